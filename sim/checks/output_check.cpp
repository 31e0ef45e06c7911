#include "sim/checks/output_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sim/checks/non_finite_ops.hpp"
#include "sim/checks/op_check.hpp"
#include "sim/untimed/golden_engine.hpp"

namespace ttsim::impl::sim {

namespace {

/// Failing entries of a queue that are kept until golden has run with perturbed inputs.
constexpr std::size_t most_doubtful = 4;
/// Relative size of the perturbation, and how many times the move it causes a difference may have: rounding adds up
/// over ops, but is smaller than the perturbation at each.
constexpr float perturbation = 1e-6F;
constexpr double most_moves = 10;

void report_non_finite(RunState& state, const Queue& queue, const NonFinite& found) {
    if (found.count > 0) state.report.notes.push_back(found.text("output '" + queue.name + "'"));
}

/// What golden leaves open is not compared: says so, and where it began.
void report_undefined(RunState& state, const NonFiniteOps& ops, const Queue& queue, OutputReport& report) {
    const NonFinite& found = report.golden_non_finite;
    if (found.count == 0) return;
    const Op* op = ops.first_before(queue);
    report.golden_from = op ? op->name() : "";
    const std::string from =
        op ? fmt::format("made first by op '{}' ({})", op->name(), op->cfg.type) : "from values of the host";
    if (report.result.undefined_throughout())
        report.why = fmt::format("golden is {} throughout, {}", std::isnan(found.value) ? "NaN" : "infinite", from);
    state.report.notes.push_back(
        fmt::format("{}, {}; {}", found.text("golden of output '" + queue.name + "'"), from,
                    report.result.undefined_throughout() ? "nothing was compared" : "they are not compared"));
}

Tensor host_entry(const RunState& state, const Queue& queue, std::int64_t n) {
    const EntryPtr entry = state.host.entry(queue, n);
    TT_CHECK(entry, "host entry {} of '{}' was forecast", n, queue.name);
    return unpack_exactly({{entry}, queue.shape().z});
}

/// The same for the same seed, queue and entry, whoever asks and how often.
void perturb(const RunState& state, std::uint32_t run_seed, const Queue& queue, std::int64_t n, Tensor& values) {
    if (is_raw(queue.df) || is_integer(queue.df)) return;
    const auto place = static_cast<std::uint32_t>(&queue - state.netlist.queues.data());
    std::seed_seq seed{run_seed, place, static_cast<std::uint32_t>(n)};
    std::mt19937 bits(seed);
    for (float& v : values.data) v *= 1 + ((bits() & 1) != 0 ? perturbation : -perturbation);
}

using Judges = std::map<const Queue*, OutputJudge>;

/// Every entry that golden has of the queues `take` names, in order per queue.
void run_golden(RunState& state, const RunOptions& run, const Judges& judges, GoldenOptions options,
                const std::function<void(const Queue&, std::int64_t, const GoldenPart&)>& take, const char* what) {
    if (!options.host_entry)
        options.host_entry = [&state](const Queue& queue, std::int64_t n) { return host_entry(state, queue, n); };
    std::map<const Queue*, std::set<std::int64_t>> sunk;  // all keys are made here: tasks of several queues write
    for (const auto& [queue, judge] : judges) sunk[queue];
    options.sink = [&](const Queue& queue, std::int64_t n, const GoldenPart& value) {
        sunk.at(&queue).insert(n);
        take(queue, n, value);
    };
    if (run.progress)
        options.progress = [&run, what](double share) { run.progress({.stage = what, .share = share, .next = ""}); };
    Golden golden(state.netlist, state.forecast, std::move(options), state.pool);
    const AbandonOnFailure tasks(state.pool);
    golden.run(state.calls);
    for (const auto& [queue, judge] : judges)
        for (std::int64_t n = 0; n < entries_of(state, *queue); ++n) {
            if (sunk.at(queue).contains(n)) continue;
            if (const auto value = golden.entry(*queue, n)) take(*queue, n, {*value, 0, value->z});
        }
}

/// Golden once more with inputs a little off, for the outputs that differ.
void run_perturbed(RunState& state, const RunOptions& run, Judges& judges) {
    GoldenOptions options = golden_options(state);
    options.host_entry = [&state, &run](const Queue& queue, std::int64_t n) {
        Tensor values = host_entry(state, queue, n);
        perturb(state, run.seed, queue, n, values);
        return values;
    };
    run_golden(
        state, run, judges, std::move(options),
        [&judges](const Queue& queue, std::int64_t n, const GoldenPart& value) {
            judges.at(&queue).expect_perturbed(n, value);
        },
        "computing golden, perturbed");
}

}  // namespace

std::int64_t entries_of(const RunState& state, const Queue& queue) {
    const auto it = state.forecast.queues.find(&queue);
    const std::int64_t touched = it == state.forecast.queues.end() ? 0 : it->second.entries;
    return queue.type == QueueType::Ram ? queue.entries : touched;
}

OutputJudge::OutputJudge(RunState& state, const Queue& queue, bool strict)
    : state_(state),
      queue_(queue),
      strict_(strict),
      rule_(comparison_for(state.netlist, queue, strict)),
      part_(judged_part(state.netlist, queue)) {
    const bool exact_numbers = state.settings.numerics == Numerics::Float32;
    report_.queue = queue.name;
    report_.comparison = exact_numbers ? float32_comparison() : rule_.comparison;
    report_.rule = exact_numbers ? "--numerics float32" : rule_.source;
    report_.why = part_.why;
    comparison_ = std::make_unique<QueueComparison>(report_.comparison, queue.tile, part_);
    moved_ = std::make_unique<QueueComparison>(float32_comparison(), queue.tile, part_);
}

void OutputJudge::expect(std::int64_t n, const GoldenPart& golden) {
    expected_.insert(n);
    if (!state_.store.has(queue_, n)) {
        // entries that graphs have read may be gone already
        if (golden.last() && !state_.read_by_graph[&queue_] && report_.missing++ == 0) report_.first_missing = n;
        return;
    }
    const EntrySpan left = state_.store.read(queue_, n);
    TT_CHECK(golden.z == left.z(), "golden of '{}' has {} slices, the run left {}", queue_.name, golden.z, left.z());
    const std::int64_t failed = comparison_->failed_tiles();
    if (golden.first == 0) {
        undefined_ = report_.golden_non_finite;
        undefined_before_ = comparison_->undefined();
    }
    comparison_->add_part(golden.slices, golden.first, golden.z, [&](std::int64_t first, std::int64_t count) {
        Tensor actual = unpack_slices(left, first, count);
        if (!part_.bits) report_.non_finite.scan(actual, n, first);
        return actual;
    });
    if (!golden.last() || comparison_->undefined() > undefined_before_) undefined_.scan(golden.slices, n, golden.first);
    if (golden.last() && comparison_->undefined() > undefined_before_) report_.golden_non_finite = undefined_;
    const bool doubts = state_.settings.numerics == Numerics::Float32 && !part_.bits;
    if (doubts && comparison_->failed_tiles() > failed && doubtful_.size() < most_doubtful)
        doubtful_.push_back({n, golden.first, golden.slices});
}

void OutputJudge::close(std::int64_t count) {
    // a ram has contents before anything is written; an entry of a FIFO is there because it was pushed
    if (queue_.type != QueueType::Queue || state_.read_by_graph[&queue_]) return;
    for (std::int64_t n = 0; n < count; ++n)
        if (!expected_.contains(n) && state_.store.has(queue_, n) && report_.unexpected++ == 0)
            report_.first_unexpected = n;
}

OutputReport OutputJudge::report() const {
    OutputReport report = report_;
    QueueComparison::Result& r = report.result;
    r = comparison_->result();
    // --strict takes nothing for the vendor's form
    if (strict_) r.pass = r.strict_pass;
    if (r.judged && rule_.strict_pcc > 0 && r.pcc < rule_.strict_pcc) {
        r.pass = r.strict_pass = false;
        if (r.first_failure.empty())
            r.first_failure = fmt::format("--strict: pcc {:.6f} < {}", r.pcc, rule_.strict_pcc);
    }
    const QueueComparison::Result moved = moved_->result();
    if (moved.entries == 0) return report;
    report.moved = moved.max_error;
    report.ill_conditioned = !r.pass && !moved.pass && r.max_error <= most_moves * moved.max_error;
    return report;
}

bool OutputJudge::in_doubt() const { return !doubtful_.empty() && !comparison_->result().pass; }

void OutputJudge::expect_perturbed(std::int64_t n, const GoldenPart& moved) {
    for (const Doubtful& doubtful : doubtful_)
        if (doubtful.entry == n && doubtful.first == moved.first) moved_->add(doubtful.slices, moved.slices);
}

void check_outputs(RunState& state, const RunOptions& run) {
    const std::vector<const Queue*> outputs = reported_outputs(state.netlist);
    for (const std::string& name : unknown_outputs(state.netlist))
        state.report.notes.push_back(
            fmt::format("io-config lists output '{}', which is no queue that an op fills", name));
    Judges judges;
    for (const Queue* queue : outputs) judges.try_emplace(queue, state, *queue, run.strict);
    OpCheck ops(state, run.strict);
    NonFiniteOps non_finite(state.netlist);
    GoldenOptions whole = golden_options(state);
    whole.op_result = [&](const Op& op, std::int64_t n, const GoldenPart& value) {
        non_finite.see(op, value.slices);
        if (state.op_results) ops.add_accumulated(op, n, value);
    };
    run_golden(
        state, run, judges, std::move(whole),
        [&judges](const Queue& queue, std::int64_t n, const GoldenPart& value) { judges.at(&queue).expect(n, value); },
        "computing golden");
    for (auto& [queue, judge] : judges) judge.close(entries_of(state, *queue));
    if (std::any_of(judges.begin(), judges.end(), [](const auto& j) { return j.second.in_doubt(); }))
        run_perturbed(state, run, judges);
    if (state.op_results) {
        GoldenOptions fed = golden_options(state);
        fed.op_result = [&ops](const Op& op, std::int64_t n, const GoldenPart& value) { ops.add_local(op, n, value); };
        run_golden(
            state, run, judges, std::move(fed), [](const Queue&, std::int64_t, const GoldenPart&) {},
            "computing golden, op by op");
        state.report.ops = ops.reports();
        state.report.ops_checked = true;
    }
    for (const Queue* queue : outputs) {
        state.report.outputs.push_back(judges.at(queue).report());
        OutputReport& report = state.report.outputs.back();
        report_non_finite(state, *queue, report.non_finite);
        report_undefined(state, non_finite, *queue, report);
    }
    state.report.checked = true;
}

void look_through_outputs(RunState& state) {
    for (const Queue* queue : reported_outputs(state.netlist)) {
        if (is_raw(queue->df)) continue;
        NonFinite found;
        for (std::int64_t n = 0; n < entries_of(state, *queue); ++n) {
            if (!state.store.has(*queue, n)) continue;
            const EntrySpan entry = state.store.read(*queue, n);
            for (std::int64_t z = 0; z < entry.z(); ++z) found.scan(unpack_slices(entry, z, 1), n, z);
        }
        report_non_finite(state, *queue, found);
    }
}

}  // namespace ttsim::impl::sim
