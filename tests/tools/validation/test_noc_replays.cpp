#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/sim/noc/noc_machine.hpp"
#include "tools/validation/noc_replays.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

/// A trace in which one core after the other writes to a place that depends on `seed`.
std::string trace(int seed) {
    std::string events;
    for (int n = 0; n < 40; ++n) {
        const int from = 1 + n % 4, to_x = 1 + (n + seed) % 4, to_y = 1 + (3 * n + seed) % 5;
        events += fmt::format(
            R"({}{{"proc":"BRISC","noc":"NOC_{}","vc":-1,"sx":{},"sy":1,"dx":{},"dy":{},"num_bytes":{},"type":"WRITE_","timestamp":{}}})",
            n == 0 ? "" : ",\n", n % 2, from, to_x, to_y, 64 * (1 + (n + seed) % 60), 1000 + 20 * n);
    }
    return "[" + events + "]";
}

}  // namespace

// Routes are made on first use: with one topology for all threads they were damaged, in one run of five.
TEST_CASE("traces replayed side by side give what each gives alone") {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("ttsim_noc_replays_{}", ::getpid());
    std::filesystem::create_directory(folder);
    std::vector<std::string> files;
    for (int seed = 0; seed < 48; ++seed) {
        files.push_back((folder / fmt::format("{:02}.json", seed)).string());
        std::ofstream(files.back()) << trace(seed);
    }
    for (int round = 0; round < 4; ++round) {
        const Topology used_by_all = wormhole();  // a copy, without routes
        const std::vector<FileReplay> together = replay_files(files, used_by_all, plain_constants(), Loop::Closed);
        throw_errors(together);
        for (std::size_t n = 0; n < files.size(); ++n) {
            const Topology& own = wormhole();
            const FileReplay alone = replay_file(files[n], own, plain_constants(), Loop::Closed);
            INFO(files[n]);
            REQUIRE(together[n].result.has_value());
            CHECK(together[n].result->total_cycles == alone.result->total_cycles);
        }
    }
    std::filesystem::remove_all(folder);
}
