// Reads files of measured transfer times, predicts the times and compares both.
#pragma once

#include "tools/validation/memory_rows.hpp"
#include "tools/validation/noc_bench.hpp"

namespace ttsim::impl::noc {

/// Columns chip (or arch), pattern, transaction_bytes, num_transactions_total, and where present mechanism (UNICAST,
/// MULTICAST, MULTICAST_LINKED), memory (L1, DRAM_SHARDED, DRAM_INTERLEAVED), noc_index, num_subordinates, same_axis,
/// stateful, loopback, latency_cycles (measured). Predicts cycles. Throws one Error(Input) with every wrong column and
/// value; rows of another chip or of a kind without a model get a reason.
sim::BenchRows predict_noc_rows(CsvFile csv, const ChipParams& chip, const Topology& topology,
                                const Constants& constants);
const std::vector<std::string>& noc_columns();

}  // namespace ttsim::impl::noc
