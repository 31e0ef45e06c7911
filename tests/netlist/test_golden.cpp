#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "netlist/golden/golden.hpp"
#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

/// Golden on HOST entries that are constant: 1, 2, 3, ... by entry for queues, 100 for rams.
struct Run {
    Netlist netlist;
    ThreadPool pool{2};
    Forecast forecast;
    std::unique_ptr<Golden> golden;
    std::map<std::string, std::vector<float>> seen;          ///< by the sink, in order
    std::map<std::string, std::vector<std::int64_t>> sizes;  ///< of the parts it got

    bool same = true;  ///< all values of an entry

    explicit Run(const std::string& text, std::optional<std::int64_t> inputs_count = std::nullopt,
                 bool with_sink = false, std::int64_t most_elements = GoldenOptions{}.max_copied_elements)
        : netlist(resolved(text)), forecast(ttsim::impl::forecast(netlist, all_programs(netlist), inputs_count)) {
        GoldenOptions options;
        options.numerics = Numerics::Float32;
        options.inputs_count = inputs_count;
        options.max_copied_elements = most_elements;
        options.host_entry = [](const Queue& queue, std::int64_t n) {
            Tensor values(queue.shape(), queue.tile);
            std::fill(values.data.begin(), values.data.end(),
                      queue.type == QueueType::Ram ? 100.0F : static_cast<float>(n + 1));
            return values;
        };
        if (with_sink)
            options.sink = [this](const Queue& queue, std::int64_t, const GoldenPart& part) {
                if (part.first == 0) seen[queue.name].push_back(part.slices.data.at(0));
                for (const float value : part.slices.data) same = same && value == seen[queue.name].back();
                sizes[queue.name].push_back(part.slices.size());
            };
        golden = std::make_unique<Golden>(netlist, forecast, std::move(options), pool);
        golden->run(all_programs(netlist));
    }
    /// The value every element of the entry has; NaN when there is no entry or they differ.
    float at(const std::string& queue, std::int64_t n) {
        const auto tensor = golden->entry(*netlist.find_queue(queue), n);
        if (!tensor) return std::nanf("");
        for (const float value : tensor->data)
            if (value != tensor->data.at(0)) return std::nanf("");
        return tensor->data.at(0);
    }
};

std::string accumulating(const std::string& setting) {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "acc", .input = "grad", .entries = 1, .ram = true});
    n.graph("g", 2);
    n.op({.name = "grad", .type = "datacopy", .inputs = {"x"}, .gradient = true});
    n.program("p", looped(2, {execute("g", {fifo("x"), "acc: {" + setting + ", rd_ptr_global: 0, wr_ptr_global: 0}"})},
                          2, 8));
    return n.text();
}

}  // namespace

TEST_CASE("golden evaluates ops in the order of their data, input by input") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "w", .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "sum", .entries = 4});
    n.graph("g", 2);
    n.op({.name = "sum", .type = "add", .inputs = {"twice", "w"}});  // before what feeds it
    n.op({.name = "twice", .type = "add", .inputs = {"x", "x"}, .col = 1});
    n.program("p", looped(2, {execute("g", {fifo("x"), ram("w", true)})}, 2, 8));
    Run run(n.text());
    for (std::int64_t k = 0; k < 4; ++k) CHECK(run.at("y", k) == 2 * static_cast<float>(k + 1) + 100);
    CHECK(std::isnan(run.at("y", 4)));

    Run some(n.text(), 1);
    CHECK(some.at("y", 0) == 102);
    CHECK(std::isnan(some.at("y", 1)));
    CHECK(some.at("y", 2) == 106);

    Run sunk(n.text(), std::nullopt, true);
    CHECK(sunk.seen["y"] == std::vector<float>{102, 104, 106, 108});
}

TEST_CASE("results that only the sink takes come in parts when they are large") {
    constexpr std::int64_t tile = 1024;
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "y", .input = "wide", .cut = {.n = 2, .t = 7}, .entries = 4});
    n.queue({.name = "z", .input = "both", .cut = {.n = 2, .t = 7}, .entries = 4});
    n.queue({.name = "sum", .input = "last", .cut = {.n = 2, .t = 7}, .entries = 4});
    n.graph("g", 2);
    const std::string broadcast = "input_0_tms: [broadcast: {z: 7}, broadcast: {c: 2}]";
    n.op({.name = "wide", .type = "nop", .inputs = {"x"}, .cut = {.n = 2, .t = 7}, .more = broadcast});
    n.op({.name = "both", .type = "nop", .inputs = {"x"}, .cut = {.n = 2, .t = 7}, .row = 1, .more = broadcast});
    n.op({.name = "last", .type = "add", .inputs = {"both", "both"}, .cut = {.n = 2, .t = 7}, .row = 2});
    n.program("p", looped(2, {execute("g", {fifo("x")})}, 2, 8));

    Run whole(n.text(), std::nullopt, true);
    CHECK(whole.sizes["y"] == std::vector<std::int64_t>(4, 14 * tile));

    Run parts(n.text(), std::nullopt, true, 8 * tile);
    CHECK(parts.same);
    for (const char* queue : {"y", "z", "sum"}) {
        CAPTURE(queue);
        CHECK(parts.seen[queue] == whole.seen[queue]);
        CHECK(std::accumulate(parts.sizes[queue].begin(), parts.sizes[queue].end(), std::int64_t{0}) == 4 * 14 * tile);
    }
    for (const std::int64_t size : parts.sizes["y"]) CHECK(size <= 8 * tile);
    CHECK(parts.sizes["z"] == whole.sizes["z"]);  // an op reads it as well
    for (const std::int64_t size : parts.sizes["sum"]) CHECK(size <= 8 * tile);
}

TEST_CASE("golden reads a ram before it writes it, and with prologue once per execute") {
    const auto text = [](bool prologue) {
        NetlistText n;
        n.queue({.name = "x", .entries = 4});
        n.queue({.name = "state", .input = "next", .entries = 1, .ram = true});
        n.queue({.name = "before", .input = "copy", .entries = 4});
        n.graph("g", 2);
        n.op({.name = "next", .type = "add", .inputs = {"x", "state"}});
        n.op({.name = "copy", .type = "nop", .inputs = {"state"}, .col = 1});
        n.program("p", looped(2, {execute("g", {fifo("x"), ram("state", prologue)})}, 2, 8));
        return n.text();
    };
    Run streamed(text(false));
    CHECK(streamed.at("before", 0) == 0);
    CHECK(streamed.at("before", 1) == 1);
    CHECK(streamed.at("before", 2) == 3);
    CHECK(streamed.at("before", 3) == 6);
    CHECK(streamed.at("state", 0) == 10);
    Run resident(text(true));
    CHECK(resident.at("before", 1) == 0);
    CHECK(resident.at("before", 2) == 2);  // input 1 wrote 0 + 2
    CHECK(resident.at("before", 3) == 2);
    CHECK(resident.at("state", 0) == 6);
}

TEST_CASE("golden's gradients add up, from zero where the settings say so") {
    CHECK(Run(accumulating("prologue: false, epilogue: false, zero: false")).at("acc", 0) == 1 + 2 + 3 + 4);
    CHECK(Run(accumulating("prologue: true, epilogue: true, zero: false")).at("acc", 0) == 1 + 2 + 3 + 4);
    CHECK(Run(accumulating("prologue: true, epilogue: true, zero: true")).at("acc", 0) == 3 + 4);
}

TEST_CASE("golden passes data from graph to graph through a queue and drops popped entries") {
    NetlistText n;
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "mid", .input = "first", .entries = 2});
    n.queue({.name = "y", .input = "second", .entries = 2});
    n.graph("g", 2);
    n.op({.name = "first", .type = "add", .inputs = {"x", "x"}});
    n.graph("h", 2);
    n.op({.name = "second", .type = "add", .inputs = {"mid", "mid"}});
    n.program("p", looped(3, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 2, 4));
    Run run(n.text());
    for (std::int64_t k = 0; k < 6; ++k) CHECK(run.at("y", k) == 4 * static_cast<float>(k + 1));
    CHECK(std::isnan(run.at("mid", 0)));
}

TEST_CASE("golden sees through views of a ram, both ways") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "slots", .input = "append", .entries = 4, .ram = true});
    n.queue({.name = "all", .cut = {.t = 4}, .entries = 1, .ram = true, .more = "alias: slots"});
    n.queue({.name = "y", .input = "stack", .cut = {.m = 4}, .entries = 4});
    n.graph("g", 1);
    n.op({.name = "append", .type = "nop", .inputs = {"x"}});
    n.graph("h", 1);
    n.op({.name = "stack", .type = "nop", .inputs = {"all"}, .cut = {.m = 4}, .more = "input_0_tms: [vstack: 4]"});
    auto body = looped(2,
                       {execute("g", {fifo("x"), ram("slots", false, "0", "$slot")}), execute("h", {ram("all")}),
                        "varinst: [$slot, incwrap, 1, 4]"},
                       1, 8);
    body[0] = "var: {$l: 0, $g: 0, $slot: 1}";
    n.program("p", body);
    Run run(n.text());
    const auto second = run.golden->entry(*run.netlist.find_queue("y"), 1);
    REQUIRE(second);
    REQUIRE(second->rows == 128);
    CHECK(second->slice(0).at(0, 0) == 0);  // slot 0 was never written
    CHECK(second->slice(0).at(32, 0) == 1);
    CHECK(second->slice(0).at(64, 31) == 2);
    CHECK(second->slice(0).at(127, 0) == 0);
}

TEST_CASE("golden refuses to read a FIFO entry that nothing wrote") {
    NetlistText n = two_graphs(2, 2);
    n.program("p", looped(1, {execute("h", {fifo("mid")})}, 2, 4));
    CHECK_THROWS_WITH(Run(n.text()),
                      Catch::Contains("queue 'mid' is read at slot 0 (entry 0), which has not been written"));
}
