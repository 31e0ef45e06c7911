// Traces with hostile values, and all their exports. TTSIM_MUTATED_TRACES sets the number of traces.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "base/error.hpp"
#include "tests/fuzz/trace_damage.hpp"
#include "tests/fuzz/trace_exports.hpp"

using namespace ttsim::impl::fuzz;

namespace {

/// One to three changes of values, and seldom one of a table or of bytes of the file: most of what is refused at once
/// says nothing of exports.
std::string some_damage(std::mt19937_64& random) {
    std::string commands;
    const auto add = [&](std::size_t count) {
        for (; count > 0; --count) commands += static_cast<char>(random() & 0xFF);
    };
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        const bool value = random() % 16 != 0;
        commands += value ? '\x02' : static_cast<char>(random() % 4);
        add(value ? 12 : 4);
    }
    return commands;
}

}  // namespace

TEST_CASE("the exports of an undamaged trace are all given") {
    const Exported all = export_all(damaged_trace(run_trace(), ""));
    CHECK(all.refused == 0);
    CHECK(all.given == 11);
}

TEST_CASE("every export of a mutated trace can be read back, or the trace is refused") {
    const char* const wanted = std::getenv("TTSIM_MUTATED_TRACES");
    const int traces = wanted ? std::atoi(wanted) : 200;
    std::mt19937_64 random(20240601);
    Exported all;
    int failures = 0, whole = 0;
    for (int n = 0; n < traces; ++n) {
        const std::string commands = some_damage(random);
        try {
            const Exported one = export_all(damaged_trace(run_trace(), commands));
            all.given += one.given;
            all.refused += one.refused;
            whole += one.refused == 0 ? 1 : 0;
        } catch (const std::exception& error) {
            ++failures;
            FAIL_CHECK("trace " << n << ": " << error.what());
        }
    }
    fmt::print("{} mutated traces: {} exports read back, {} refused, {} failures; {} traces gave every export\n",
               traces, all.given, all.refused, failures, whole);
    CHECK(all.given > 0);
    CHECK(all.refused > 0);
}
