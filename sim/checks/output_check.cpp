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
constexpr std::size_t max_doubtful = 4;
/// Relative size of the perturbation, and the largest ratio of a difference to the change it causes for an
/// ill-conditioned output. Rounding adds up over ops, but is smaller than the perturbation at each.
constexpr float perturbation = 1e-6F;
constexpr double max_perturbation_factor = 10;

void report_non_finite(RunState& state, const Queue& queue, const NonFinite& found) {
    if (found.count > 0) state.report.notes.push_back(found.text("output '" + queue.name + "'"));
}

/// Adds a note about undefined golden values, which are not compared, and their origin.
void report_undefined(RunState& state, const NonFiniteOps& ops, const Queue& queue, OutputReport& report) {
    const NonFinite& found = report.golden_non_finite;
    if (found.count == 0) return;
    const Op* op = ops.first_origin(queue);
    report.golden_from = op ? op->name() : "";
    const std::string from =
        op ? fmt::format("first produced by op '{}' ({})", op->name(), op->cfg.type) : "already in the host inputs";
    if (report.result.all_undefined())
        report.why = fmt::format("golden is {} throughout, {}", std::isnan(found.value) ? "NaN" : "infinite", from);
    state.report.notes.push_back(
        fmt::format("{}, {}; {}", found.text("golden of output '" + queue.name + "'"), from,
                    report.result.all_undefined() ? "nothing was compared" : "they are not compared"));
}

Tensor host_entry(const RunState& state, const Queue& queue, std::int64_t n) {
    const EntryPtr entry = state.host.entry(queue, n);
    TT_CHECK(entry, "host entry {} of '{}' was forecast", n, queue.name);
    return unpack_exactly({{entry}, queue.shape().z});
}

/// Perturbs values; deterministic for a seed, queue and entry.
void perturb(const RunState& state, std::uint32_t run_seed, const Queue& queue, std::int64_t n, Tensor& values) {
    if (is_raw(queue.df) || is_integer(queue.df)) return;
    const auto place = static_cast<std::uint32_t>(&queue - state.netlist.queues.data());
    std::seed_seq seed{run_seed, place, static_cast<std::uint32_t>(n)};
    std::mt19937 bits(seed);
    for (float& v : values.data) v *= 1 + ((bits() & 1) != 0 ? perturbation : -perturbation);
}

using Comparisons = std::map<const Queue*, OutputComparison>;

/// Runs golden and passes every entry of the compared queues to `take`, in order per queue.
void run_golden(RunState& state, const RunOptions& run, const Comparisons& comparisons, GoldenOptions options,
                const std::function<void(const Queue&, std::int64_t, const GoldenPart&)>& take, const char* what) {
    if (!options.host_entry)
        options.host_entry = [&state](const Queue& queue, std::int64_t n) { return host_entry(state, queue, n); };
    std::map<const Queue*, std::set<std::int64_t>>
        seen_entries;  // all keys are inserted here, since tasks write concurrently
    for (const auto& [queue, comparison] : comparisons) seen_entries[queue];
    options.sink = [&](const Queue& queue, std::int64_t n, const GoldenPart& value) {
        seen_entries.at(&queue).insert(n);
        take(queue, n, value);
    };
    if (run.progress)
        options.progress = [&run, what](double share) { run.progress({.stage = what, .share = share, .next = ""}); };
    Golden golden(state.netlist, state.forecast, std::move(options), state.pool);
    const AbandonOnFailure tasks(state.pool);
    golden.run(state.calls);
    for (const auto& [queue, comparison] : comparisons)
        for (std::int64_t n = 0; n < entries_of(state, *queue); ++n) {
            if (seen_entries.at(queue).contains(n)) continue;
            if (const auto value = golden.entry(*queue, n)) take(*queue, n, {*value, 0, value->z});
        }
}

/// Runs golden with perturbed inputs, for the outputs that differ.
void run_perturbed(RunState& state, const RunOptions& run, Comparisons& comparisons) {
    GoldenOptions options = golden_options(state);
    options.host_entry = [&state, &run](const Queue& queue, std::int64_t n) {
        Tensor values = host_entry(state, queue, n);
        perturb(state, run.seed, queue, n, values);
        return values;
    };
    run_golden(
        state, run, comparisons, std::move(options),
        [&comparisons](const Queue& queue, std::int64_t n, const GoldenPart& value) {
            comparisons.at(&queue).expect_perturbed(n, value);
        },
        "computing golden, perturbed");
}

}  // namespace

std::int64_t entries_of(const RunState& state, const Queue& queue) {
    const auto it = state.forecast.queues.find(&queue);
    const std::int64_t touched = it == state.forecast.queues.end() ? 0 : it->second.entries;
    return queue.type == QueueType::Ram ? queue.entries : touched;
}

OutputComparison::OutputComparison(RunState& state, const Queue& queue, const RunOptions& run)
    : state_(state),
      queue_(queue),
      strict_(run.strict),
      least_pcc_(run.least_pcc),
      rule_(comparison_for(state.netlist, queue, run.strict)),
      part_(compared_part(state.netlist, queue)) {
    const bool exact_numbers = state.settings.numerics == Numerics::Float32;
    report_.queue = queue.name;
    report_.comparison = exact_numbers ? float32_comparison() : rule_.comparison;
    report_.rule = exact_numbers ? "--numerics float32" : rule_.source;
    report_.why = part_.why;
    comparison_ = std::make_unique<QueueComparison>(report_.comparison, queue.tile, part_);
    moved_ = std::make_unique<QueueComparison>(float32_comparison(), queue.tile, part_);
}

void OutputComparison::expect(std::int64_t n, const GoldenPart& golden) {
    expected_.insert(n);
    if (!state_.store.has(queue_, n)) {
        // entries that graphs have read may have been dropped
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
    if (doubts && comparison_->failed_tiles() > failed && doubtful_.size() < max_doubtful)
        doubtful_.push_back({n, golden.first, golden.slices});
}

void OutputComparison::close(std::int64_t count) {
    // only FIFO entries can be unexpected, since a ram has content from the start
    if (queue_.type != QueueType::Queue || state_.read_by_graph[&queue_]) return;
    for (std::int64_t n = 0; n < count; ++n)
        if (!expected_.contains(n) && state_.store.has(queue_, n) && report_.unexpected++ == 0)
            report_.first_unexpected = n;
}

OutputReport OutputComparison::report() const {
    OutputReport report = report_;
    QueueComparison::Result& r = report.result;
    r = comparison_->result();
    // --strict ignores the vendor's tolerances
    if (strict_) r.pass = r.strict_pass;
    if (r.judged && rule_.strict_pcc > 0 && r.pcc < rule_.strict_pcc) {
        r.pass = r.strict_pass = false;
        if (r.first_failure.empty())
            r.first_failure = fmt::format("--strict: pcc {:.6f} < {}", r.pcc, rule_.strict_pcc);
    }
    if (least_pcc_ && r.judged && !r.constant && !rule_.from_netlist && r.pcc < *least_pcc_) {
        r.pass = r.strict_pass = false;
        if (r.first_failure.empty())
            r.first_failure = fmt::format("all values: pcc {:.6f} < {} (--pcc)", r.pcc, *least_pcc_);
    }
    const QueueComparison::Result moved = moved_->result();
    if (moved.entries == 0) return report;
    report.moved = moved.max_error;
    report.ill_conditioned = !r.pass && !moved.pass && r.max_error <= max_perturbation_factor * moved.max_error;
    return report;
}

bool OutputComparison::in_doubt() const { return !doubtful_.empty() && !comparison_->result().pass; }

void OutputComparison::expect_perturbed(std::int64_t n, const GoldenPart& moved) {
    for (const Doubtful& doubtful : doubtful_)
        if (doubtful.entry == n && doubtful.first == moved.first) moved_->add(doubtful.slices, moved.slices);
}

void check_outputs(RunState& state, const RunOptions& run) {
    const std::vector<const Queue*> outputs = reported_outputs(state.netlist);
    for (const std::string& name : unknown_outputs(state.netlist))
        state.report.notes.push_back(
            fmt::format("io-config lists output '{}', which is not a queue that an op fills", name));
    Comparisons comparisons;
    for (const Queue* queue : outputs) comparisons.try_emplace(queue, state, *queue, run);
    OpCheck ops(state, run.strict);
    NonFiniteOps non_finite(state.netlist);
    GoldenOptions netlist_golden = golden_options(state);
    netlist_golden.op_result = [&](const Op& op, std::int64_t n, const GoldenPart& value) {
        non_finite.record(op, value.slices);
        if (state.op_results) ops.add_accumulated(op, n, value);
    };
    run_golden(
        state, run, comparisons, std::move(netlist_golden),
        [&comparisons](const Queue& queue, std::int64_t n, const GoldenPart& value) {
            comparisons.at(&queue).expect(n, value);
        },
        "computing golden");
    for (auto& [queue, comparison] : comparisons) comparison.close(entries_of(state, *queue));
    if (std::any_of(comparisons.begin(), comparisons.end(), [](const auto& j) { return j.second.in_doubt(); }))
        run_perturbed(state, run, comparisons);
    if (state.op_results) {
        GoldenOptions local_golden = golden_options(state);
        local_golden.op_result = [&ops](const Op& op, std::int64_t n, const GoldenPart& value) {
            ops.add_local(op, n, value);
        };
        run_golden(
            state, run, comparisons, std::move(local_golden), [](const Queue&, std::int64_t, const GoldenPart&) {},
            "computing golden, op by op");
        state.report.ops = ops.reports();
        state.report.ops_checked = true;
    }
    for (const Queue* queue : outputs) {
        state.report.outputs.push_back(comparisons.at(queue).report());
        OutputReport& report = state.report.outputs.back();
        report_non_finite(state, *queue, report.non_finite);
        report_undefined(state, non_finite, *queue, report);
    }
    state.report.checked = true;
}

void scan_outputs(RunState& state) {
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
