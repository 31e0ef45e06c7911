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
    ThreadPool pool;
    Forecast forecast;
    std::unique_ptr<Golden> golden;
    std::map<std::string, std::vector<float>> seen;          ///< by the sink, in order
    std::map<std::string, std::vector<std::int64_t>> sizes;  ///< of the parts it got

    bool same = true;  ///< all values of an entry

    explicit Run(const std::string& text, std::optional<std::int64_t> inputs_count = std::nullopt,
                 bool with_sink = false, std::int64_t most_elements = GoldenOptions{}.max_copied_elements)
        : Run(text, inputs_count, with_sink, [most_elements] {
              GoldenOptions options;
              options.max_copied_elements = most_elements;
              return options;
          }()) {}
    Run(const std::string& text, std::optional<std::int64_t> inputs_count, bool with_sink, GoldenOptions options,
        unsigned threads = 2)
        : netlist(resolved(text)),
          pool(threads),
          forecast(ttsim::impl::forecast(netlist, all_programs(netlist), inputs_count)) {
        options.numerics = Numerics::Float32;
        options.inputs_count = inputs_count;
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

namespace {

/// 64 inputs of one execute through three graphs: `last` adds what `first` gave, by a FIFO that both others read,
/// and what `middle` summed up.
std::string three_graphs() {
    NetlistText n;
    n.queue({.name = "x", .entries = 128});
    n.queue({.name = "w", .entries = 1, .ram = true});
    n.queue({.name = "mid", .input = "double", .entries = 128});
    n.queue({.name = "acc", .input = "grad", .entries = 1, .ram = true});
    n.queue({.name = "sum", .input = "plus", .entries = 128});
    n.queue({.name = "y", .input = "both", .entries = 128});
    n.graph("first", 64);
    n.op({.name = "double", .type = "add", .inputs = {"x", "x"}});
    n.graph("middle", 64);
    n.op({.name = "grad", .type = "datacopy", .inputs = {"mid"}, .gradient = true});
    n.op({.name = "plus", .type = "add", .inputs = {"mid", "w"}, .col = 1});
    n.graph("last", 64);
    n.op({.name = "both", .type = "add", .inputs = {"mid", "sum"}});
    n.program("p", looped(2,
                          {execute("first", {fifo("x")}),
                           execute("middle", {"mid: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, "
                                              "rd_ptr_global: $g}",
                                              ram("w", true), "acc: {rd_ptr_global: 0, wr_ptr_global: 0}"}),
                           execute("last", {fifo("mid"), fifo("sum")})},
                          64, 256));
    return n.text();
}

}  // namespace

TEST_CASE("graphs that queues connect advance together, with the same results") {
    for (const std::int64_t elements : {std::int64_t{1}, std::int64_t{1} << 40}) {
        GoldenOptions options;
        options.max_passed_elements = elements;
        Run run(three_graphs(), std::nullopt, false, options);
        float sum = 0;
        for (std::int64_t k = 0; k < 128; ++k) {
            const auto x = static_cast<float>(k + 1);
            CHECK(run.at("y", k) == 2 * x + (2 * x + 100));
            sum += 2 * x;
        }
        CHECK(run.at("acc", 0) == sum);
        CHECK(std::isnan(run.at("mid", 0)));
        CHECK(std::isnan(run.at("mid", 127)));
    }
}

TEST_CASE("the last graph takes its first input before the first graph has done all") {
    std::vector<std::string> begun;  // by one thread, which may have 24 tasks waiting
    GoldenOptions options;
    options.max_passed_elements = 1;
    options.op_result = [&](const Op& op, std::int64_t n, const GoldenPart&) {
        begun.push_back(op.name() + " " + std::to_string(n));
    };
    const Run run(three_graphs(), std::nullopt, false, options, 1);
    const auto place = [&](const char* name) {
        const auto found = std::find(begun.begin(), begun.end(), name);
        REQUIRE(found != begun.end());
        return found;
    };
    CHECK(place("both 0") < place("double 63"));
    CHECK(place("both 63") < place("both 127"));
}

TEST_CASE("a graph waits for entries that an earlier one has yet to write") {
    NetlistText n;
    n.queue({.name = "x", .entries = 64});
    n.queue({.name = "mid", .input = "first", .entries = 64});
    n.queue({.name = "y", .input = "second", .entries = 64});
    n.graph("g", 64);
    n.op({.name = "first", .type = "nop", .inputs = {"x"}});
    n.graph("h", 32);
    n.op({.name = "second", .type = "nop", .inputs = {"mid"}});
    auto body = looped(1,
                       {execute("g", {fifo("x")}),
                        execute("h", {"mid: {prologue: false, epilogue: false, zero: false, rd_ptr_local: $half, "
                                      "rd_ptr_global: $g}"})},
                       64, 128);
    body[0] = "var: {$l: 0, $g: 0, $half: 32}";
    n.program("p", body);
    GoldenOptions options;
    options.max_passed_elements = 1;
    Run run(n.text(), std::nullopt, false, options);
    for (std::int64_t k = 0; k < 32; ++k) CHECK(run.at("y", k) == static_cast<float>(32 + k + 1));
}

TEST_CASE("a graph that writes a ram another one reads does not advance with it") {
    NetlistText n;
    n.queue({.name = "x", .entries = 12});
    n.queue({.name = "mid", .input = "keep", .entries = 12});
    n.queue({.name = "state", .input = "store", .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "use", .entries = 12});
    n.graph("g", 12);
    n.op({.name = "keep", .type = "nop", .inputs = {"x"}});
    n.op({.name = "store", .type = "nop", .inputs = {"keep"}, .col = 1});
    n.graph("h", 12);
    n.op({.name = "use", .type = "add", .inputs = {"mid", "state"}});
    n.program("p",
              looped(1, {execute("g", {fifo("x"), ram("state")}), execute("h", {fifo("mid"), ram("state")})}, 12, 24));
    GoldenOptions options;
    options.max_passed_elements = 1;
    Run run(n.text(), std::nullopt, false, options);
    for (std::int64_t k = 0; k < 12; ++k) CHECK(run.at("y", k) == static_cast<float>(k + 1) + 12);  // the last input's
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
