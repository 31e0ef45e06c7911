// Flags and reports shared by the benchmarks of DRAM, Ethernet and NoC.
#pragma once

#include <memory>
#include <string>

#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/memory_rows.hpp"

namespace ttsim::impl::cli {

struct BenchFlags {
    std::string arch, csv, out;
    bool report = false, json = false;
};

/// Adds --arch, --csv, --out, --report, --json.
void add_bench_flags(CLI::App& command, BenchFlags& flags, Outputs& outputs);
/// Throws CLI::ValidationError for flags that exclude each other.
void check_bench_flags(const BenchFlags& flags);
/// Adds a command 'bench' to `parent`, with the flags above, which calls run(*flags). Flags has a member `bench`.
template <class Flags>
CLI::App& add_bench(CLI::App& parent, const char* description, const std::shared_ptr<Flags>& flags,
                    void (*run)(Flags&)) {
    CLI::App* command = parent.add_subcommand("bench", description);
    auto outputs = std::make_shared<Outputs>(*command);
    add_bench_flags(*command, flags->bench, *outputs);
    command->callback([flags, outputs, run] {
        check_bench_flags(flags->bench);
        outputs->claim();
        run(*flags);
    });
    return *command;
}
/// Writes the rows with `predicted` added, and the errors as a table or JSON to standard output.
void report_rows(const BenchFlags& flags, const sim::BenchRows& rows, const std::string& predicted);

}  // namespace ttsim::impl::cli
