#include "netlist/stimulus/stimulus_constants.hpp"

#include <algorithm>
#include <limits>

namespace ttsim::impl {

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

ChosenStimulus constant(double value, const std::string& what) {
    ChosenStimulus chosen;
    chosen.stimulus.type = Stimulus::Type::Constant;
    chosen.stimulus.value = value;
    chosen.why = "constant by name: " + what;
    return chosen;
}

/// One row or column of ones, for a broadcast by matmul.
ChosenStimulus ones(bool column) {
    ChosenStimulus chosen = constant(1, column ? "one column of ones" : "one row of ones");
    Stimulus& s = chosen.stimulus;
    (column ? s.cols_first : s.rows_first) = 1;
    (column ? s.cols_last : s.rows_last) = 1;
    return chosen;
}

ChosenStimulus reciprocal_of(std::int64_t size) {
    return constant(1.0 / static_cast<double>(size), fmt::format("1/{}", size));
}

ChosenStimulus epsilon(const char* why) { return constant(1e-5, why); }

/// Number of elements that a matmul sums up per result; 0 for other steps.
std::int64_t summed(const DataStep* step) {
    if (!step || step->type() != "matmul" || step->attr().identity) return 0;
    const OpAttributes& a = step->attr();
    return a.m_k * a.u_kt * tile_edge * (a.accumulate ? std::max<std::int64_t>(a.z, 1) : 1);
}

/// Whether the step's result, ignoring copies, is the operand of a square root or reciprocal.
bool feeds_root(const DataFlow& flow, const DataStep& step) {
    return std::any_of(flow.steps().begin(), flow.steps().end(), [&](const DataStep& root) {
        return (root.type() == "sqrt" || root.type() == "reciprocal") && DataFlow::origin(root, 0).step == &step;
    });
}

/// The value implied by a consumer: a factor of a sum makes it a mean, an addend keeps a root or quotient finite.
std::optional<ChosenStimulus> constant_from_consumer(const DataFlow& flow, const DataStep::Use& use) {
    const DataStep& step = *use.step;
    if (step.type() == "multiply" && step.inputs.size() == 2)
        if (const std::int64_t size = summed(DataFlow::origin(step, 1 - use.operand).step); size > 0)
            return reciprocal_of(size);
    if (step.type() == "add" && feeds_root(flow, step)) return epsilon("eps 1e-5, added before a root or reciprocal");
    return std::nullopt;
}

/// A matmul with the constant computes the sum itself.
std::int64_t summed_with(const Queue& queue, const DataFlow& flow) {
    for (const DataStep::Use& use : flow.uses(queue.name))
        if (const std::int64_t size = summed(use.step); size > 0) return size;
    return queue.shape().rt * queue.tile.h;
}

bool holds_floats(const Queue& queue) { return !is_raw(queue.df) && !is_integer(queue.df); }

}  // namespace

std::optional<ChosenStimulus> constant_by_use(const Queue& queue, const DataFlow& flow) {
    const std::string& name = queue.name;
    if (!holds_floats(queue)) return std::nullopt;
    if (contains(name, "_s_brcst_m2") || contains(name, "_s_brcst_m1")) return ones(contains(name, "_s_brcst_m2"));
    if (contains(name, "eps")) return epsilon("eps 1e-5");
    const bool mean = contains(name, "mean") || contains(name, "avg"),
               sum = contains(name, "var") || contains(name, "sum");
    if (!mean && !sum && !name.starts_with("dc.") && !name.starts_with("lc.")) return std::nullopt;
    for (const DataStep::Use& use : flow.uses(name))
        if (const auto chosen = constant_from_consumer(flow, use)) return chosen;
    if (mean) return reciprocal_of(summed_with(queue, flow));
    if (sum) return constant(1, "1 for a variance or sum");
    return std::nullopt;
}

std::optional<ChosenStimulus> inference_constant(const Queue& queue, const TestConfig& test) {
    const auto is_input = [&] {
        return std::find(test.io_inputs.begin(), test.io_inputs.end(), queue.name) != test.io_inputs.end();
    };
    const std::string& name = queue.name;
    if (!holds_floats(queue) || is_input()) return std::nullopt;
    if (contains(name, "eps")) return constant(std::numeric_limits<float>::epsilon(), "eps, the float epsilon");
    if (contains(name, "mean") || contains(name, "var")) {
        std::int64_t length = 128;
        for (const char* arg : {"sequence_length", "sequence_lenth"})  // the second is the spelling of the format
            if (const auto found = test.args.find(arg); found != test.args.end() && found->second > 0)
                length = found->second;
        return constant(1.0 / static_cast<double>(length), fmt::format("1/{}, the sequence length", length));
    }
    if (contains(name, "sum")) return constant(1, "1 for a sum");
    return std::nullopt;
}

}  // namespace ttsim::impl
