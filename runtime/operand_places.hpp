// Operands of a program in the L1 of cores, for the timing of its netlist.
#pragma once

#include <span>

#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"
#include "runtime/buffer_spec.hpp"
#include "sim/settings/idealized_resources.hpp"

namespace ttsim::impl::runtime {

/// A machine for the timing of a program.
struct PlacedMachine {
    Machine machine;
    sim::IdealizedResources resources;
};

/// The machine that times a program whose inputs and outputs lie in these buffers, in the model's order; missing ones
/// are in DRAM. With buffers in L1 it has the L1 of each core as a further DRAM channel, and the queues of these
/// operands are placed there: the k-th buffer of a queue in the core of that part of the tensor. Queues of other values
/// stay as they are.
PlacedMachine with_operands_in_l1(const Machine& machine, ir::CompiledModel& model, std::span<const BufferSpec> inputs,
                                  std::span<const BufferSpec> outputs);

}  // namespace ttsim::impl::runtime
