// Microseconds of one warm round of one_add.yaml in a session: push both inputs, run, get, pop. One line per engine:
//   full 31.2
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "netlist/text/reader.hpp"
#include "runtime/session.hpp"
#include "tests/folders.hpp"

using namespace ttsim::impl;
using runtime::Session;
using runtime::SessionOptions;

namespace {

constexpr int rounds = 2000, repeats = 5;

void round(Session& session, bool values) {
    session.push("a", Tensor(1, 32, 32, 1));
    session.push("b", Tensor(1, 32, 32, 2));
    session.run("p");
    if (values && session.get("y").data.front() != 3) fail_input({}, "the sum is wrong");
    session.pop("y");
}

/// The fastest of a few repeats, so that other load disturbs less.
double microseconds(const SessionOptions& options) {
    using Clock = std::chrono::steady_clock;
    Session session(read_netlist((test::source_folder() / "tests/runtime/one_add.yaml").string()),
                    make_machine("wormhole_b0", {}), options);
    const bool values = options.golden || options.mode != sim::Mode::Timing;
    for (int n = 0; n < 100; ++n) round(session, values);
    double best = 1e9;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const Clock::time_point begun = Clock::now();
        for (int n = 0; n < rounds; ++n) round(session, values);
        best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begun).count() / rounds);
    }
    return best;
}

}  // namespace

int main() {
    SessionOptions options;
    options.threads = 1;  // one tile: more threads would only wake each other
    try {
        const auto show = [&](const char* engine) { fmt::print("{} {:.1f}\n", engine, microseconds(options)); };
        show("full");
        options.mode = sim::Mode::Timing;
        show("timing");
        options.mode = sim::Mode::Functional;
        show("functional");
        options.golden = true;
        show("golden");
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
