// Real netlists, where they are at hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "netlist/text/writer.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/small_netlist.hpp"
#include "tests/skip.hpp"

using namespace ttsim::impl;

namespace {

const std::filesystem::path folder = ttsim::impl::test::shared_folder() / "netlists";

std::vector<std::string> files(bool negative) {
    std::vector<std::string> found;
    if (!std::filesystem::exists(folder)) return found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string file = entry.path().string();
        const bool wanted = (file.find("/error_tests/") != std::string::npos) == negative;
        if (entry.path().extension() == ".yaml" && wanted) found.push_back(file);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::int64_t chips_of(const Netlist& netlist) {
    std::int64_t highest = 0;
    for (const Queue& queue : netlist.queues) highest = std::max(highest, queue.device());
    for (const Graph& graph : netlist.graphs) {
        highest = std::max(highest, graph.device());
        for (const Op& op : graph.ops) highest = std::max(highest, op.cfg.attr.dest_device);
    }
    return highest + 1;
}

/// "" when the netlist is good on one of its chips, else what the first one complains of.
std::string wrong_everywhere(const Netlist& resolved) {
    std::string first;
    for (const std::string& arch : resolved.archs) {
        Diagnostics problems;
        validate(resolved, chip(arch), test::default_grid(arch), chips_of(resolved), problems);
        if (problems.empty()) return "";
        if (first.empty()) first = problems.items().front().message;
    }
    return first;
}

/// Files whose rejection is right, or whose rule is not modelled.
const std::vector<std::string> odd_files{
    "directed/wh_multichip/netlist_matmul_pack_perf.yaml",                            // off the grid
    "pytorch_bin/matmul_ident/16x16_ljb/netlist_matmul_ident.yaml",                   // legacy encoding
    "netlist_single_channel_eth_datacopy_fork2_one_branch_reblock_large_batch.yaml",  // 80 addresses for 64 buffers
    "/default_netlist.yaml",                                                          // queues overlap in DRAM
    "/directed_tests/netlist_binary.yaml",                                            // the same
};

bool is_odd(const std::string& file) {
    return std::any_of(odd_files.begin(), odd_files.end(), [&](const std::string& odd) { return file.ends_with(odd); });
}

}  // namespace

TEST_CASE("every real netlist reads, resolves, validates on one of its chips and is written back equal") {
    const std::vector<std::string> all = files(false);
    if (ttsim::impl::test::skip_without(folder)) return;
    REQUIRE_FALSE(all.empty());
    int good = 0;
    for (const std::string& file : all) {
        INFO(file);
        std::string wrong;
        try {
            const Netlist read = read_netlist(file);
            CHECK(equal(read, read_netlist_text(write_netlist(read), file)));
            wrong = wrong_everywhere(resolve(read));
        } catch (const Error& error) {
            wrong = error.what();
        }
        good += wrong.empty() ? 1 : 0;
        INFO(wrong);
        CHECK(wrong.empty() != is_odd(file));
    }
    std::cout << good << " of " << all.size() << " real netlists are good on one of their chips\n";
}

TEST_CASE("every negative netlist is rejected on its first chip") {
    for (const std::string& file : files(true)) {
        INFO(file);
        std::string wrong;
        try {
            const Netlist resolved = resolve(read_netlist(file));
            Diagnostics problems;
            const std::string& arch = resolved.archs.front();
            validate(resolved, chip(arch), test::default_grid(arch), chips_of(resolved), problems);
            problems.throw_if_any();
        } catch (const Error& error) {
            wrong = error.what();
        }
        std::cout << std::filesystem::path(file).filename().string() << ": " << wrong.substr(wrong.rfind(".yaml:") + 6)
                  << "\n";
        CHECK_FALSE(wrong.empty());
    }
}
