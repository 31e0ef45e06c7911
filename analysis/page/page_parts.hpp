// The parts of a run in the data of a page, each in its own source file.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/page/page_source.hpp"
#include "sim/setup/setup.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

/// "machine": chips, cores and memories.
Json page_machine(const Machine& machine);
/// "ops" and "queues": the placed netlist.
Json page_ops(const Netlist& netlist);
Json page_queues(const Netlist& netlist);
/// "counts": what the summary says of the netlist; it does not read its parts.
Json page_counts(const Netlist& netlist);
/// "epochs": epochs in order of execution, with the L1 buffers of every op.
Json page_epochs(const sim::Setup& setup);
/// "trace": the tables of ttperf, and cores, inputs of ops, links and channels over time.
Json page_trace(trace::Reader& trace);
/// Work of the ops of each epoch without `same_as`: [epoch, op, math, dram_bytes, in_bytes, out_bytes, first, last].
/// `math` sums the cycles of all cores, the bytes are those of all inputs; `first` and `last` count from the epoch's
/// start.
Json page_work(trace::Database& database);
/// "routes" of a trace of level 2: NoC links of each pipe, {op, operand, from, queue, chip, noc, links, bytes}.
Json page_routes(trace::Database& database);
/// "advice": the costliest causes, as `ttperf advice --json`. `measure`: gains by simulation, not estimated.
Json page_advice(trace::Reader& trace, bool measure);
/// Rounds to three decimals.
double page_rounded(double value);

}  // namespace ttsim::impl::report
