// What tests of sessions call them with.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

#include "netlist/text/reader.hpp"
#include "runtime/session.hpp"

namespace ttsim::impl::test {

/// Each engine in turn: the machine, its values alone, golden.
inline runtime::SessionOptions each_engine() {
    runtime::SessionOptions options;
    const std::string engine = GENERATE(as<std::string>{}, "machine", "functional", "golden");
    CAPTURE(engine);
    if (engine == "functional") options.mode = sim::Mode::Functional;
    options.golden = engine == "golden";
    return options;
}

inline std::unique_ptr<runtime::Session> open(const std::string& text, runtime::SessionOptions options) {
    options.threads = 1;
    return std::make_unique<runtime::Session>(read_netlist_text(text, "session.yaml"), make_machine("wormhole_b0", {}),
                                              options);
}

inline Tensor tile(float value) { return Tensor(1, 32, 32, value); }
inline float first(const Tensor& entry) { return entry.data.front(); }

/// What the call says when it fails as it should.
inline std::string refusal(const std::function<void()>& call, Fault fault) {
    try {
        call();
    } catch (const Error& error) {
        CHECK(error.fault() == fault);
        return error.what();
    }
    FAIL("no error");
    return "";
}

}  // namespace ttsim::impl::test
