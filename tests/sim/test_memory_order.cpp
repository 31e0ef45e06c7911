#include <catch2/catch.hpp>

#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

constexpr sim::Mode both_modes[] = {sim::Mode::Functional, sim::Mode::Full};

/// entries[first] + ... + entries[end - 1]
Tensor sum_of(const std::vector<Tensor>& entries, std::size_t first, std::size_t end) {
    Tensor sum = entries.at(first);
    for (std::size_t n = first + 1; n < end; ++n)
        for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += entries.at(n).data[i];
    return sum;
}
bool equal(const Tensor& a, const Tensor& b) { return a.data == b.data; }

/// acc += x, two inputs an execute, three executes; `setting` is that of acc. Two cores, three slices.
std::string accumulating(const std::string& setting) {
    NetlistText n;
    const Cut cut{.grid_r = 2, .grid_c = 1, .m = 1, .n = 2, .rt = 1, .ct = 1, .t = 3};
    n.queue({.name = "x", .cut = cut, .entries = 6});
    n.queue({.name = "acc", .input = "grad", .cut = cut, .entries = 1, .ram = true});
    n.graph("g", 2);
    n.op({.name = "grad", .type = "datacopy", .inputs = {"x"}, .cut = cut, .gradient = true});
    auto body = looped(3,
                       {execute("g", {fifo("x"), "acc: {" + setting + ", rd_ptr_global: 0, wr_ptr_global: 0}"}),
                        "varinst: [$zero, set, 0]"},
                       2, 12);
    body[0] = "var: {$l: 0, $g: 0, $zero: 1}";
    n.program("p", body);
    return n.text();
}

}  // namespace

TEST_CASE("a gradient adds up over inputs and executes, wherever its slices lie") {
    for (const sim::Mode mode : both_modes)
        for (const std::string setting :
             {"prologue: true, epilogue: true, zero: $zero", "prologue: true, epilogue: true, zero: false",
              "prologue: false, epilogue: false, zero: false"}) {
            INFO(setting);
            const Outcome run = run_text(accumulating(setting), mode);
            REQUIRE(verdicts(run) == "acc passes");
            CHECK(equal(run.outputs.at("acc").entries.at(0), sum_of(run.inputs.at("x").entries, 0, 6)));
        }
}

TEST_CASE("zero clears a gradient before each execute that asks for it") {
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(accumulating("prologue: true, epilogue: true, zero: true"), mode);
        REQUIRE(verdicts(run) == "acc passes");
        CHECK(equal(run.outputs.at("acc").entries.at(0), sum_of(run.inputs.at("x").entries, 4, 6)));
    }
}

TEST_CASE("a ram is read before it is written within an input") {
    NetlistText n;
    const Cut cut{.grid_r = 1, .grid_c = 2, .m = 1, .n = 2, .rt = 1, .ct = 1, .t = 2};
    n.queue({.name = "x", .cut = cut, .entries = 4});
    n.queue({.name = "state", .input = "next", .cut = cut, .entries = 1, .ram = true});
    n.queue({.name = "before", .input = "copy", .cut = cut, .entries = 4});
    n.graph("g", 4);
    n.op({.name = "next", .type = "add", .inputs = {"x", "state"}, .cut = cut});
    n.op({.name = "copy", .type = "nop", .inputs = {"state"}, .cut = cut, .col = 2});
    n.program("p", looped(1, {execute("g", {fifo("x"), ram("state")})}, 4, 8));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(run.error == "");
        CHECK(run.report.pass());
        const std::vector<Tensor>& x = run.inputs.at("x").entries;
        const std::vector<Tensor>& seen = run.outputs.at("before").entries;
        REQUIRE(seen.size() == 4);
        CHECK(seen[0].data == std::vector<float>(seen[0].data.size(), 0.0F));  // a slot never written reads as 0
        CHECK(equal(seen[1], x[0]));
        for (std::size_t k = 1; k < 4; ++k) CHECK(equal(seen[k], sum_of(x, 0, k)));
    }
}

TEST_CASE("a ram in prologue is read once per execute") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "state", .input = "next", .entries = 1, .ram = true});
    n.queue({.name = "before", .input = "copy", .entries = 4});
    n.graph("g", 2);
    n.op({.name = "next", .type = "add", .inputs = {"x", "state"}});
    n.op({.name = "copy", .type = "nop", .inputs = {"state"}, .col = 1});
    n.program("p", looped(2, {execute("g", {fifo("x"), ram("state", true)})}, 2, 8));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(run.error == "");
        CHECK(run.report.pass());
        const std::vector<Tensor>& x = run.inputs.at("x").entries;
        const std::vector<Tensor>& seen = run.outputs.at("before").entries;
        CHECK(seen[1].data == std::vector<float>(seen[1].data.size(), 0.0F));  // the write of input 0 is not seen
        CHECK(equal(seen[2], x[1]));                                           // input 1 wrote 0 + x1
        CHECK(equal(seen[3], x[1]));
    }
}

TEST_CASE("a ram in prologue is read once per execute even when it does not fit in L1") {
    NetlistText n;
    const Cut large{.m = 7, .n = 5, .rt = 2, .ct = 4};  // 280 tiles of 2080 B beside an output buffer of twice that
    n.queue({.name = "x", .cut = large, .entries = 4});
    n.queue({.name = "state", .input = "next", .cut = large, .entries = 1, .ram = true});
    n.graph("g", 2);
    n.op({.name = "next", .type = "add", .inputs = {"x", "state"}, .cut = large});
    n.op({.name = "see", .type = "nop", .inputs = {"next"}, .cut = large, .col = 1});
    n.queue({.name = "y", .input = "see", .cut = large, .entries = 4});
    n.program("p", looped(2, {execute("g", {fifo("x"), ram("state", true)})}, 2, 8));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "y passes");
        const std::vector<Tensor>& x = run.inputs.at("x").entries;
        const std::vector<Tensor>& y = run.outputs.at("y").entries;
        CHECK(equal(y.at(0), x[0]));
        CHECK(equal(y.at(1), x[1]));                        // not + x0
        CHECK(equal(y.at(2), sum_of({x[2], x[1]}, 0, 2)));  // the second execute finds what input 1 wrote
        CHECK(equal(y.at(3), sum_of({x[3], x[1]}, 0, 2)));
    }
}

TEST_CASE("ram pointers step with their autoincrements and wrap") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "log", .input = "o", .entries = 3, .ram = true});
    n.graph("g", 4);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.program("p", looped(1,
                          {execute("g", {fifo("x"),
                                         "log: {prologue: false, epilogue: false, zero: false, rd_ptr_global: 0, "
                                         "wr_ptr_global: 1, global_wrptr_autoinc: 1}"})},
                          4, 8));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "log passes");
        const std::vector<Tensor>& x = run.inputs.at("x").entries;
        const std::vector<Tensor>& log = run.outputs.at("log").entries;
        CHECK(equal(log.at(1), x[3]));  // slots 1, 2, 0, 1
        CHECK(equal(log.at(2), x[1]));
        CHECK(equal(log.at(0), x[2]));
    }
}

TEST_CASE("a queue of one entry between two chips carries all inputs when the reader pops each") {
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "mid", .input = "o", .entries = 1});
    n.queue({.name = "y", .input = "p", .entries = 6, .device = 1});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.graph("h", 2, 1);
    n.op({.name = "p", .type = "nop", .inputs = {"mid"}});
    n.program("p", looped(3,
                          {execute("g", {fifo("x")}),
                           execute("h", {"mid: {prologue: false, epilogue: false, zero: false, rd_ptr_local: 0, "
                                         "rd_ptr_global: 0, global_rdptr_autoinc: 1}"})},
                          2, 8));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "y passes");
        const std::vector<Tensor>& x = run.inputs.at("x").entries;
        REQUIRE(x.size() == 6);
        for (std::size_t k = 0; k < x.size(); ++k) CHECK(equal(run.outputs.at("y").entries.at(k), x[k]));
    }
}

TEST_CASE("skipped inputs leave gaps that block nothing") {
    NetlistText n = two_graphs(4, 4);
    n.program("p", looped(5, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 4, 8));
    for (const std::int64_t count : {1, 3})
        for (const sim::Mode mode : both_modes) {
            sim::RunOptions options;
            options.inputs_count = count;
            const Outcome run = run_text(n.text(), mode, options);
            REQUIRE(verdicts(run) == "y passes");
            REQUIRE(run.outputs.at("y").entries.size() == static_cast<std::size_t>(16 + count));
            const std::vector<Tensor>& x = run.inputs.at("x").entries;
            for (std::size_t k = 0; k < x.size(); ++k) {
                const bool ran = k % 4 < static_cast<std::size_t>(count);
                CHECK(equal(run.outputs.at("y").entries[k], x[k]));  // both are dumped as 0 where nothing ran
                CHECK((x[k].data[0] != 0) == ran);
            }
        }
}

TEST_CASE("the host refills a short queue while the program runs") {
    NetlistText n;
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "y", .input = "o", .entries = 1});
    n.graph("g", 1);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.program("p", looped(9, {execute("g", {fifo("x")})}, 1, 4));
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    REQUIRE(verdicts(run) == "y passes");
    REQUIRE(run.outputs.at("y").entries.size() == 9);
    for (std::size_t k = 0; k < 9; ++k) CHECK(equal(run.outputs.at("y").entries[k], run.inputs.at("x").entries[k]));
}

TEST_CASE("untilized results are the same values") {
    NetlistText n;
    const Cut cut{.grid_r = 2, .grid_c = 2, .m = 1, .n = 1, .rt = 1, .ct = 2, .t = 2};
    n.queue({.name = "x", .cut = cut, .entries = 2});
    n.queue({.name = "y", .input = "o", .cut = {.m = 2, .n = 2, .rt = 1, .ct = 2, .t = 2}, .entries = 2});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}, .cut = cut, .untilize = true});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "y passes");
        CHECK(equal(run.outputs.at("y").entries[1], run.inputs.at("x").entries[1]));
    }
}

TEST_CASE("untilized rows of ublocks leave one by one, through a buffer smaller than the output of a step") {
    for (const int buffer : {1, 2}) {
        INFO("buf_size_mb " << buffer);
        const Cut cut{.m = 4, .n = 2, .rt = 2, .ct = 2, .t = 2}, left{.m = 4, .n = 1, .rt = 2, .ct = 2, .t = 2},
            right{.m = 1, .n = 2, .rt = 2, .ct = 2, .t = 2};
        NetlistText n;
        n.queue({.name = "x", .cut = left, .entries = 4});
        n.queue({.name = "w", .cut = right, .entries = 4});
        n.queue({.name = "y", .input = "o", .cut = cut, .entries = 4, .on_host = true});
        n.graph("g", 4);
        n.op({.name = "o",
              .type = "matmul",
              .inputs = {"x", "w"},
              .cut = cut,
              .more = "attributes: {m_k: 1, u_kt: 2}",
              .buffer = buffer,
              .untilize = true});
        n.program("p", looped(1, {execute("g", {fifo("x"), fifo("w")})}, 4, 8));
        for (const sim::Mode mode : both_modes) CHECK(verdicts(run_text(n.text(), mode)) == "y passes");
    }
}

TEST_CASE("a queue may transform what it stores") {
    NetlistText n;
    n.queue({.name = "x", .cut = {.m = 1, .n = 1, .rt = 1, .ct = 4, .t = 1}, .entries = 2});
    n.queue({.name = "y",
             .input = "o",
             .cut = {.m = 1, .n = 1, .rt = 1, .ct = 2, .t = 2},
             .entries = 2,
             .more = "input_tms: [hslice: 2]"});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}, .cut = {.grid_c = 2, .ct = 2}});
    n.program("p", looped(1, {execute("g", {fifo("x")})}, 2, 4));
    for (const sim::Mode mode : both_modes) {
        const Outcome run = run_text(n.text(), mode);
        REQUIRE(verdicts(run) == "y passes");
        const Tensor& x = run.inputs.at("x").entries[1];
        const Tensor& y = run.outputs.at("y").entries[1];
        REQUIRE((y.z == 2 && y.cols == 64));
        for (std::int64_t r = 0; r < 32; ++r)
            for (std::int64_t c = 0; c < 128; ++c) CHECK(y.slice(c / 64).at(r, c % 64) == x.slice(0).at(r, c));
    }
}

TEST_CASE("queues may be in host memory") {
    NetlistText n;
    n.queue({.name = "x", .entries = 2, .on_host = true});
    n.queue({.name = "y", .input = "o", .entries = 2, .on_host = true});
    n.graph("g", 2);
    n.op({.name = "o", .type = "nop", .inputs = {"x"}});
    n.program("p", looped(2, {execute("g", {fifo("x")})}, 2, 4));
    const Outcome run = run_text(n.text(), sim::Mode::Full);
    CHECK(verdicts(run) == "y passes");
    for (std::size_t k = 0; k < 4; ++k) CHECK(equal(run.outputs.at("y").entries[k], run.inputs.at("x").entries[k]));
}
