// The parts of a run in the data of a page, each in a source of its own.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/page/page_source.hpp"
#include "sim/setup.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

/// "machine": its chips, cores and memories.
Json page_machine(const Machine& machine);
/// "ops" and "queues": the netlist as it is placed.
Json page_ops(const Netlist& netlist);
Json page_queues(const Netlist& netlist);
/// "epochs": what runs together, in order, with the buffers of every op in L1.
Json page_epochs(const sim::Setup& setup);
/// "trace": the tables of ttperf, cores, inputs of ops, links and channels over time.
Json page_trace(trace::Reader& trace);
/// One number after the other, without digits that say nothing.
double page_rounded(double value);

}  // namespace ttsim::impl::report
