#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "netlist/files/manifest.hpp"
#include "sim/checks/output_check.hpp"
#include "sim/setup/setup.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/run_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// Two graphs: s = gelu(x), kept in a queue; y = (s w) + w on 2x1 cores, t 2; side = s.
NetlistText two_graphs() {
    NetlistText n;
    const Cut tall{.grid_r = 2, .m = 1, .n = 2, .t = 2};
    n.queue({.name = "x", .cut = tall, .entries = 4});
    n.queue({.name = "w", .cut = {.m = 2, .n = 2, .t = 2}, .entries = 1, .ram = true});
    n.queue({.name = "s", .input = "act", .cut = tall, .entries = 4});
    n.queue({.name = "side", .input = "copy", .cut = tall, .entries = 4});
    n.queue({.name = "y", .input = "sum", .cut = tall, .entries = 4});
    n.graph("first", 2);
    n.op({.name = "act", .type = "gelu", .inputs = {"x"}, .cut = tall});
    n.op({.name = "copy", .type = "nop", .inputs = {"act"}, .cut = tall, .col = 1});
    n.graph("second", 2);
    n.op({.name = "product",
          .type = "matmul",
          .inputs = {"s", "w"},
          .cut = tall,
          .more = "attributes: {m_k: 1, u_kt: 2}"});
    n.op({.name = "sum", .type = "add", .inputs = {"product", "s"}, .cut = tall, .col = 1});
    n.program("p", looped(2, {execute("first", {fifo("x")}), execute("second", {fifo("s"), ram("w", true)})}, 2, 8));
    return n;
}

/// d = copied - b, which golden has as 0: x and b hold the same constant.
std::string cancelling() {
    NetlistText n;
    n.head = "test-config: {stimulus-config: {type: Constant, constant_value: 0.75}}\n";
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "b", .entries = 2});
    n.queue({.name = "d", .input = "difference", .entries = 2});
    n.graph("g", 2);
    n.op({.name = "copied", .type = "nop", .inputs = {"x"}});
    n.op({.name = "difference", .type = "subtract", .inputs = {"copied", "b"}, .col = 1});
    n.program("p", looped(1, {execute("g", {fifo("x"), fifo("b")})}, 2, 4));
    return n.text();
}

/// Options with which one op computes something else.
template <class Spoil>
sim::RunOptions with_fault(const std::string& op, Spoil spoil) {
    sim::RunOptions options;
    options.check_ops = true;
    options.fault = [op, spoil](const Op& computed, std::vector<float>& block) {
        if (computed.name() == op) spoil(block);
    };
    return options;
}
sim::RunOptions scaled(const std::string& op, float factor) {
    return with_fault(op, [factor](std::vector<float>& block) {
        for (float& v : block) v *= factor;
    });
}
sim::RunOptions negated_half(const std::string& op) {
    return with_fault(op, [](std::vector<float>& block) {
        for (std::size_t i = 0; i < block.size(); i += 2) block[i] = -block[i];
    });
}

const sim::OutputReport& output(const Outcome& run, const std::string& queue) {
    for (const sim::OutputReport& o : run.report.outputs)
        if (o.queue == queue) return o;
    FAIL("no output " << queue);
    throw 0;
}

/// y = x w in Bfp8_b, whose usual tolerance asks a PCC of 0.9 of each tile. The fault below reaches about 0.95.
std::string product_in_bfp8(const std::string& comparison) {
    NetlistText n;
    n.head.insert(n.head.rfind('}'), comparison);
    n.queue({.name = "x", .entries = 2, .df = "Bfp8_b"});
    n.queue({.name = "w", .entries = 1, .ram = true, .df = "Bfp8_b"});
    n.queue({.name = "y", .input = "product", .entries = 2, .df = "Bfp8_b"});
    n.graph("g", 2);
    n.op({.name = "product",
          .type = "matmul",
          .inputs = {"x", "w"},
          .more = "attributes: {m_k: 1, u_kt: 1}",
          .df = "Bfp8_b"});
    n.program("p", looped(1, {execute("g", {fifo("x"), ram("w", true)})}, 2, 4));
    return n.text();
}
sim::RunOptions inexact_product() {
    return with_fault("product", [](std::vector<float>& block) {
        for (std::size_t i = 0; i < block.size(); ++i) block[i] *= i % 4 == 0 ? 0.2F : 1;
    });
}

bool noted(const Outcome& run, const std::string& part) {
    for (const std::string& note : run.report.notes)
        if (note.find(part) != std::string::npos) return true;
    return false;
}

std::string name_of(const sim::OpCheckReport* op) { return op ? op->op : ""; }

std::unique_ptr<sim::Setup> set_up_text(const std::string& text) {
    sim::RunOptions options;
    options.netlist = write_temp("judged.yaml", text);
    options.mode = sim::Mode::Functional;
    options.numerics = Numerics::Float32;
    return sim::set_up(options);
}

}  // namespace

TEST_CASE("an expected entry that never came fails its output") {
    const auto setup = set_up_text(cancelling());
    const Queue& d = *setup->netlist.find_queue("d");
    Tensor zeros(d.shape(), d.tile);
    sim::OutputComparison judge(*setup->state, d, sim::RunOptions());
    setup->state->store.put(d, 0, sim::pack_entry(zeros, d, Numerics::Float32));
    judge.expect(0, {zeros, 0, zeros.z});
    CHECK(judge.report().verdict() == sim::Verdict::Pass);
    judge.expect(1, {zeros, 0, zeros.z});
    judge.close(2);
    CHECK(judge.report().verdict() == sim::Verdict::Mismatch);
    CHECK(judge.report().missing == 1);
    CHECK(judge.report().first_missing == 1);
}

TEST_CASE("A required correlation binds where the usual tolerance is wide, not where the netlist has its own") {
    const auto checked = [](const std::string& comparison, std::optional<double> least) {
        sim::RunOptions options = inexact_product();
        options.least_pcc = least;
        return output(run_real(product_in_bfp8(comparison), sim::Mode::Functional, options), "y");
    };
    const sim::OutputReport usual = checked("", std::nullopt);
    CHECK(usual.result.pcc > 0.9);
    CHECK(usual.result.pcc < 0.99);
    CHECK(usual.verdict() == sim::Verdict::Pass);
    const sim::OutputReport required = checked("", 0.99);
    CHECK(required.verdict() == sim::Verdict::Mismatch);
    CHECK(required.result.first_failure.find("< 0.99 (--pcc)") != std::string::npos);
    CHECK(checked("", 0.9).verdict() == sim::Verdict::Pass);
    const char* own = ", comparison-config: {type: AllCloseHw, atol: 0.01, rtol: 0.3, check_pct: 0.4, check_pcc: 0.9}";
    CHECK(checked(own, 0.99).verdict() == sim::Verdict::Pass);
}

TEST_CASE("an entry that golden does not have fails its output") {
    const auto setup = set_up_text(cancelling());
    const Queue& d = *setup->netlist.find_queue("d");
    Tensor zeros(d.shape(), d.tile);
    for (const std::int64_t n : {0, 1}) setup->state->store.put(d, n, sim::pack_entry(zeros, d, Numerics::Float32));
    sim::OutputComparison judge(*setup->state, d, sim::RunOptions());
    judge.expect(0, {zeros, 0, zeros.z});
    judge.close(2);
    CHECK(judge.report().verdict() == sim::Verdict::Mismatch);
    CHECK(judge.report().first_unexpected == 1);
}

TEST_CASE("an entry that golden gives in parts is compared as one, including the parts golden leaves undetermined") {
    NetlistText n;
    const Cut cut{.t = 3};
    n.queue({.name = "x", .cut = cut});
    n.queue({.name = "y", .input = "same", .cut = cut});
    n.graph("g", 1);
    n.op({.name = "same", .type = "nop", .inputs = {"x"}, .cut = cut});
    n.program("p", looped(2, {execute("g", {fifo("x")})}, 1, 4));
    const auto setup = set_up_text(n.text());
    const Queue& y = *setup->netlist.find_queue("y");
    Tensor left(y.shape().z, y.shape().rt * y.tile.h, y.shape().ct * y.tile.w, 1);
    left.slice(2).at(1, 3) = nan_value;
    for (const std::int64_t e : {0, 1}) setup->state->store.put(y, e, sim::pack_entry(left, y, Numerics::Float32));
    sim::OutputComparison judge(*setup->state, y, sim::RunOptions());
    for (const std::int64_t entry : {0, 1})
        for (std::int64_t z = 0; z < 3; ++z) {
            Tensor slice(1, left.rows, left.cols, 1);
            // entry 0: golden holds infinities, one of them where the run has none, so that nothing is left open there
            if (z == 0 && entry == 0) slice.slice(0).at(0, 0) = INFINITY;
            if (z == 2 && entry == 1) slice.slice(0).at(1, 3) = nan_value;
            judge.expect(entry, {slice, z, 3});
        }
    judge.close(2);
    const sim::OutputReport report = judge.report();
    CHECK(report.result.entries == 2);
    CHECK(report.missing == 0);
    CHECK(report.non_finite.count == 2);
    CHECK(report.non_finite.z == 2);
    CHECK(report.golden_non_finite.count == 1);
    CHECK(report.golden_non_finite.entry == 1);
    CHECK(report.golden_non_finite.index == 2 * 1024 + 32 + 3);
}

TEST_CASE("an output without entries is reported as not compared") {
    NetlistText n = two_graphs();
    n.program("only_moves", {"var: {$l: 0}", "varinst: [$l, set, 0]"});
    sim::RunOptions options;
    options.programs = {"only_moves"};
    const Outcome run = run_text(n.text(), sim::Mode::Functional, options);
    REQUIRE(run.error.empty());
    CHECK(run.report.outputs.size() == 2);
    CHECK(output(run, "y").verdict() == sim::Verdict::NothingCompared);
    CHECK(run.report.verdict() == sim::Verdict::NothingCompared);
}

TEST_CASE("a wrong output that io-config leaves out is reported, not judged") {
    NetlistText n = two_graphs();
    n.head = "test-config: {io-config: {inputs: [x], outputs: [y]}}\n";
    const Outcome run = run_text(n.text(), sim::Mode::Functional, negated_half("copy"));
    CHECK(output(run, "y").verdict() == sim::Verdict::Pass);
    CHECK(output(run, "side").verdict() == sim::Verdict::NotChecked);
    CHECK(output(run, "side").result.pcc < 0.9);
    sim::RunOptions only_outputs = negated_half("copy");
    only_outputs.check_ops = false;
    CHECK(run_text(n.text(), sim::Mode::Functional, only_outputs).report.verdict() == sim::Verdict::Pass);
}

TEST_CASE("a value that golden does not determine is ill-conditioned; a wrong value is not") {
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full}) {
        // one unit in the last place: golden moves by more when its inputs move by 1e-6
        const Outcome rounded = run_text(cancelling(), mode, scaled("copied", 1 + 1.2e-7F));
        CHECK(output(rounded, "d").verdict() == sim::Verdict::IllConditioned);
        CHECK(output(rounded, "d").moved == Approx(1.5e-6).epsilon(0.1));
        CHECK(rounded.report.pass());
        const Outcome wrong = run_text(cancelling(), mode, scaled("difference", 1.001F));
        CHECK(wrong.report.verdict() == sim::Verdict::Pass);  // 0 stays 0
        const Outcome far = run_text(cancelling(), mode, scaled("copied", 1.001F));
        CHECK(output(far, "d").verdict() == sim::Verdict::Mismatch);
    }
}

TEST_CASE("a wrong op is named, and not the ops that read its output") {
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full})
        for (const std::string op : {"act", "copy", "product", "sum"}) {
            CAPTURE(op, mode);
            const Outcome run = run_text(two_graphs().text(), mode, negated_half(op));
            REQUIRE(run.error.empty());
            REQUIRE(run.report.ops.size() == 4);
            CHECK(name_of(run.report.first_wrong_op()) == op);
            CHECK(run.report.verdict() == sim::Verdict::Mismatch);
            for (const sim::OpCheckReport& o : run.report.ops) {
                CHECK(o.local.entries == 4);
                CHECK(o.accumulated.entries == 4);
                CHECK(o.verdict() == (o.op == op ? sim::Verdict::Mismatch : sim::Verdict::Pass));
            }
            const Outcome real = run_real(two_graphs().text(), mode, negated_half(op));
            CHECK(name_of(real.report.first_wrong_op()) == op);
        }
}

TEST_CASE("no op is named where all are right") {
    sim::RunOptions options;
    options.check_ops = true;
    for (const sim::Mode mode : {sim::Mode::Functional, sim::Mode::Full}) {
        for (const Outcome& run :
             {run_text(two_graphs().text(), mode, options), run_real(two_graphs().text(), mode, options),
              run_exact(two_graphs().text(), mode, options)}) {
            CHECK(run.report.ops.size() == 4);
            CHECK(run.report.first_wrong_op() == nullptr);
            CHECK(run.report.amplified_from() == nullptr);
            CHECK(run.report.verdict() == sim::Verdict::Pass);
        }
    }
}

TEST_CASE("amplified rounding is not a wrong op; the first op that amplifies it is named") {
    const Outcome run = run_text(cancelling(), sim::Mode::Functional, scaled("copied", 1 + 1.2e-7F));
    REQUIRE(run.report.ops.size() == 2);
    CHECK(run.report.first_wrong_op() == nullptr);
    CHECK(name_of(run.report.amplified_from()) == "difference");
}

TEST_CASE("a NaN that an op makes is reported with its place, checked or not") {
    for (const bool check : {true, false}) {
        sim::RunOptions options = with_fault("difference", [](std::vector<float>& block) { block[70] = nan_value; });
        options.check = check;
        const Outcome run = run_text(cancelling(), sim::Mode::Functional, options);
        CHECK(noted(run,
                    "2 values of output 'd' are NaN or infinite, the first is NaN: "
                    "entry 0, index 70 (z 0, row 2, column 6)"));
        CHECK(run.report.verdict() == (check ? sim::Verdict::Mismatch : sim::Verdict::NotChecked));
    }
}

namespace {

/// root = sqrt(x), y = root + b, side = b: x holds what `x` says, b ones.
std::string rooted(const std::string& x) {
    NetlistText n;
    n.head = "test-config: {stimulus-config: {type: Constant, constant_value: 1, overrides: {x: " + x + "}}}\n";
    n.queue({.name = "x", .entries = 2});
    n.queue({.name = "b", .entries = 2});
    n.queue({.name = "y", .input = "sum", .entries = 2});
    n.queue({.name = "side", .input = "copied", .entries = 2});
    n.graph("g", 2);
    n.op({.name = "root", .type = "sqrt", .inputs = {"x"}});
    n.op({.name = "sum", .type = "add", .inputs = {"root", "b"}, .col = 1});
    n.op({.name = "copied", .type = "nop", .inputs = {"b"}, .col = 2});
    n.program("p", looped(1, {execute("g", {fifo("x"), fifo("b")})}, 2, 4));
    return n.text();
}

}  // namespace

TEST_CASE("an output that golden has as NaN throughout was not compared, and the op that made it is named") {
    sim::RunOptions options;
    options.check_ops = true;
    const std::string negative = "{type: Constant, constant_value: -1}";
    for (const auto& run : {run_text(rooted(negative), sim::Mode::Functional, options),
                            run_real(rooted(negative), sim::Mode::Full, options)}) {
        const sim::OutputReport& y = output(run, "y");
        CHECK(y.verdict() == sim::Verdict::NothingCompared);
        CHECK(y.golden_from == "root");
        CHECK(y.why == "golden is NaN throughout, first produced by op 'root' (sqrt)");
        CHECK(noted(run, "golden of output 'y' are NaN or infinite, the first is NaN: entry 0, index 0"));
        CHECK(output(run, "side").verdict() == sim::Verdict::Pass);
        CHECK(run.report.verdict() == sim::Verdict::Pass);  // something was compared
        for (const sim::OpCheckReport& op : run.report.ops)
            CHECK(op.verdict() == (op.op == "copied" ? sim::Verdict::Pass : sim::Verdict::NothingCompared));
    }
}

TEST_CASE("of an output that golden has as NaN in part, the numbers are compared") {
    const std::string mixed = "{type: Step, step_start: -1000, step_increment: 1}";
    const Outcome right = run_text(rooted(mixed), sim::Mode::Functional);
    CHECK(output(right, "y").verdict() == sim::Verdict::Pass);
    CHECK(output(right, "y").result.undefined == 2000);
    CHECK(output(right, "y").result.elements == 48);
    CHECK(noted(right, "first produced by op 'root' (sqrt); they are not compared"));
    sim::RunOptions faulty = scaled("sum", 1.5F);
    const Outcome wrong = run_text(rooted(mixed), sim::Mode::Functional, faulty);
    CHECK(output(wrong, "y").verdict() == sim::Verdict::Mismatch);
}

TEST_CASE("an infinity among the user's inputs is reported with its place") {
    const std::filesystem::path folder = temp_folder() / "inputs_with_infinity";
    sim::RunOptions options;
    options.netlist = write_temp("cancelling.yaml", cancelling());
    options.mode = sim::Mode::Functional;
    options.numerics = Numerics::Float32;
    options.dump_dir = folder.string();
    (void)sim::run(options);
    for (const ManifestEntry& entry : read_manifest(folder.string()).inputs) {
        if (entry.queue != "b") continue;
        QueueArray array = read_npy((folder / entry.file).string(), false);
        array.entries.at(1).data.at(33) = std::numeric_limits<float>::infinity();
        write_npy((folder / entry.file).string(), array);
    }
    options.inputs_dir = std::exchange(options.dump_dir, "");
    Outcome run;
    run.report = sim::run(options);
    CHECK(noted(run, "one value of input 'b' is infinity: entry 1, index 33 (z 0, row 1, column 1)"));
}
