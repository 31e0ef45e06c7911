// Which of its two NoCs the chip's software gives a pipe. A pipe has two halves: from its sources to the pipe's core,
// and from there to the receivers (docs/modelling.md "Choice of NoC").
#pragma once

#include "netlist/plan/plan.hpp"
#include "sim/machine/resources.hpp"

namespace ttsim::impl::sim {

/// The NoC with fewer links between two nodes of a chip; NoC 0 if both have as many.
int shorter_noc(const ChipParams& chip, NocCoord from, NocCoord to);

/// From the cores of an op to those of another one on the same chip, by the places of their grids.
int noc_between(const ChipParams& chip, const std::vector<NocCoord>& producer, const std::vector<NocCoord>& consumer);

/// From the pipe's core to its receivers: along a row NoC 0, along a column NoC 1; one receiver by the operand's
/// number.
int noc_to_receivers(const PlanOp& consumer, std::size_t k, const NocEnd& receivers);

/// The core of a multicast, which gets the data and sends them on to the others: the first one in the direction of the
/// NoC.
NocCoord multicast_core(const NocEnd& receivers, int noc);

}  // namespace ttsim::impl::sim
