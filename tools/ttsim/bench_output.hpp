// Flags and reports shared by the benchmarks of DRAM, Ethernet and NoC.
#pragma once

#include <string>

#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/memory_rows.hpp"

namespace ttsim::impl::cli {

struct BenchFlags {
    std::string arch = "wormhole_b0", csv, out;
    bool report = false, json = false;
};

/// Adds --arch, --csv, --out, --report, --json.
void add_bench_flags(CLI::App& command, BenchFlags& flags, Outputs& outputs);
/// Throws CLI::ValidationError for flags that exclude each other.
void check_bench_flags(const BenchFlags& flags);
/// Writes the rows with `predicted` added, and the errors as a table or JSON to standard output.
void report_rows(const BenchFlags& flags, const sim::BenchRows& rows, const std::string& predicted);

}  // namespace ttsim::impl::cli
