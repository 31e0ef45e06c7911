#include "netlist/stimulus/stimulus_choice.hpp"

#include <cmath>

#include "kernels/kernel_shape.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/stimulus/stimulus_constants.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t deep_ops = 20;

Stimulus uniform(double low, double high) {
    Stimulus s;
    s.low = low;
    s.high = high;
    return s;
}

Stimulus of_type(Stimulus::Type type) {
    Stimulus s;
    s.type = type;
    return s;
}

bool is_sparse(Stimulus::Type type) {
    return type == Stimulus::Type::Sparse || type == Stimulus::Type::SparseEncoding ||
           type == Stimulus::Type::SparseEncodingNzCounts || type == Stimulus::Type::SparseConvolution;
}

/// Whether values may be negative. Types not listed here count or select.
bool goes_below_zero(const Stimulus& s) {
    if (s.type == Stimulus::Type::Uniform) return s.low < 0;
    if (s.type == Stimulus::Type::Constant) return s.value < 0;
    return s.type == Stimulus::Type::Normal;
}

/// Whether the step multiplies a value by itself, ignoring copies.
bool squares(const DataStep& step) {
    if (step.type() != "multiply" || step.inputs.size() != 2) return false;
    const DataStep::Source left = DataFlow::origin(step, 0), right = DataFlow::origin(step, 1);
    return (left.step || left.queue) && left.step == right.step && left.queue == right.queue;
}

/// Whether the result is positive for positive operands, but may be negative if this operand is.
bool passes_sign(const DataStep& step, std::size_t operand) {
    if (squares(step)) return false;
    const OpDef* def = find_op(step.type());
    if (!def || !def->keeps_sign) return false;
    if (step.attr().relu_en && step.attr().relu != ReluMode::None) return false;
    if (step.type() == "embedding") return operand == 0;
    return step.type() != "matmul" || !step.attr().identity || operand == 1;
}

/// Number of depthwise ops whose results are added: the columns of a window, one op each.
std::int64_t parallel_branches(const DataFlow& flow, const DataStep& depthwise) {
    const auto joins = [](const DataStep& step) { return step.is_copy() || step.type() == "add"; };
    std::set<const DataStep*> sums;
    std::vector<const DataStep*> open{&depthwise};
    while (!open.empty()) {
        const DataStep& step = *open.back();
        open.pop_back();
        for (const DataStep::Use& use : flow.uses(step))
            if (joins(*use.step) && sums.insert(use.step).second) open.push_back(use.step);
    }
    std::set<const DataStep*> branches{&depthwise}, seen;
    open.assign(sums.begin(), sums.end());
    while (!open.empty()) {
        const DataStep& step = *open.back();
        open.pop_back();
        for (const DataStep::Source& input : step.inputs) {
            if (!input.step || !seen.insert(input.step).second) continue;
            if (input.step->type() == "depthwise") branches.insert(input.step);
            if (joins(*input.step)) open.push_back(input.step);
        }
    }
    return static_cast<std::int64_t>(branches.size());
}

/// Number of elements that each result sums up, if this is the right operand of a dense or depthwise product; otherwise
/// 0.
std::int64_t inner_of_right_operand(const DataFlow& flow, const DataStep::Use& use) {
    constexpr std::int64_t edge = tile_edge;
    const OpAttributes& a = use.step->attr();
    if (use.operand != 1) return 0;
    if (use.step->type() == "matmul") return a.identity ? 0 : a.m_k * a.u_kt * edge;
    if (use.step->type() == "depthwise") return a.m_k * edge * parallel_branches(flow, *use.step);
    return 0;
}

/// Whether every value of the stimulus is an index below `count`.
bool is_valid_index(const Stimulus& s, std::int64_t count) {
    const auto last = static_cast<double>(count - 1);
    if (s.type == Stimulus::Type::Constant) return s.value >= 0 && s.value <= last;
    return s.type == Stimulus::Type::Uniform && s.low >= 0 && s.high <= last && s.high >= 1;
}

}  // namespace

StimulusChooser::StimulusChooser(const Netlist& resolved) : netlist_(resolved), flow_(resolved) {
    std::size_t count = 0;
    for (const Graph& graph : resolved.graphs) {
        for (const Op& op : graph.ops) ops_.emplace(op.name(), &op);
        count += graph.ops.size();
    }
    deep_ = count > deep_ops;
    graph_ = deep_ || resolved.file.find("graph_tests") != std::string::npos;
    for (const auto& [name, stimulus] : resolved.test.stimulus_overrides)
        overrides_.push_back({name, NamePattern::parse(name), &stimulus});
    for (const Program& program : resolved.programs)
        for (const Instruction& instruction : program.instructions)
            for (const QueueSetting& setting : instruction.settings)
                if (setting.prologue && (!setting.prologue->variable.empty() || setting.prologue->literal != 0))
                    prologue_.insert(setting.queue);
    find_positive();
}

/// Traces back from ops that need positive operands (roots, logarithms) to host queues, as long as signs are preserved.
void StimulusChooser::find_positive() {
    std::set<const DataStep*> seen;
    std::vector<const DataStep::Source*> open;
    for (const DataStep& step : flow_.steps()) {
        const OpDef* def = find_op(step.type());
        if (def && def->needs_positive_operands && !step.inputs.empty()) open.push_back(&step.inputs[0]);
    }
    while (!open.empty()) {
        const DataStep::Source& from = *open.back();
        open.pop_back();
        if (from.queue) positive_.insert(from.queue);
        if (!from.step || !seen.insert(from.step).second) continue;
        for (std::size_t k = 0; k < from.step->inputs.size(); ++k)
            if (passes_sign(*from.step, k)) open.push_back(&from.step->inputs[k]);
    }
}

/// The override of exactly that name, or the first whose pattern matches the complete name.
const Stimulus* StimulusChooser::find_override(const std::string& name, std::string& override_name) const {
    for (const std::string& candidate : {name, without_instance_suffix(name)}) {
        for (const bool exact : {true, false})
            for (const Override& entry : overrides_)
                if (exact ? entry.name == candidate : entry.pattern && entry.pattern->matches(candidate)) {
                    override_name = entry.name;
                    return entry.stimulus;
                }
    }
    return nullptr;
}

bool StimulusChooser::choose_by_role(const Queue& queue, ChosenStimulus& chosen) const {
    for (const DataStep::Use& use : flow_.uses(queue.name)) {
        if (use.step->sub) continue;
        const OpConfig& op = use.step->op->cfg;
        if (op.type == "matmul" && op.attr.identity && (use.operand == 0 || use.operand == 2)) {
            const bool tiles = use.operand == 0;
            chosen = {of_type(tiles ? Stimulus::Type::Sparse : Stimulus::Type::SparseConvolution), use.step->op,
                      tiles ? "sparse tiles: one 1 in each row of a tile"
                            : fmt::format(
                                  "sparse encoding: made up as of a convolution, {} tiles for each row of output tiles",
                                  convolution_row_tiles)};
            return true;
        }
        if (op.type == "embedding" && use.operand == 1 && !op.in.empty()) {
            const std::int64_t rows = op.in[0].rt * (op.in_tile.empty() ? tile_edge : op.in_tile[0].h);
            if (netlist_.test.stimulus && is_valid_index(*netlist_.test.stimulus, rows)) continue;
            chosen = {uniform(0, static_cast<double>(rows - 1)), nullptr,
                      fmt::format("indices: uniform over the {} rows of the table", rows)};
            return true;
        }
        if (op.type == "topk" && use.operand == 1) {
            chosen = {of_type(Stimulus::Type::StepRowwise), nullptr, "indices: 0, 1, 2, ... along each row"};
            chosen.stimulus.step = 1;
            return true;
        }
    }
    return false;
}

ChosenStimulus StimulusChooser::choose_default(const Queue& queue) const {
    const bool positive = positive_.contains(&queue);
    const bool is_constant = queue.type == QueueType::Ram || prologue_.contains(queue.name);
    if (!is_raw(queue.df) && !is_integer(queue.df))
        for (const DataStep::Use& use : flow_.uses(queue.name)) {
            const std::int64_t k = inner_of_right_operand(flow_, use);
            if (k <= 0 || (deep_ && !is_constant)) continue;
            const double inner = static_cast<double>(k);
            if (!deep_ || positive)
                return {uniform(0.001, 2 / inner), nullptr, fmt::format("default: uniform (0.001, 2/{})", k)};
            const double edge = std::sqrt(3 / inner);
            return {uniform(-edge, edge), nullptr, fmt::format("default: uniform (-sqrt(3/{0}), sqrt(3/{0}))", k)};
        }
    if (positive && graph_) return {uniform(0.001, 1), nullptr, "uniform (0.001, 1), since it reaches a root or log"};
    if (graph_) return {uniform(-1, 1), nullptr, "default: uniform (-1, 1)"};
    return {uniform(0.001, 1), nullptr, "default: uniform (0.001, 1)"};
}

ChosenStimulus StimulusChooser::choose(const Queue& queue) const {
    ChosenStimulus chosen;
    std::string override_name;
    if (const Stimulus* stimulus = find_override(queue.name, override_name)) {
        chosen = {*stimulus, nullptr, "stimulus-config override '" + override_name + "'"};
        if (!is_sparse(stimulus->type)) return chosen;
        if (const auto named = ops_.find(stimulus->matmul_ident_name); named != ops_.end())
            chosen.sparse_op = named->second;
        for (const DataStep::Use& use : flow_.uses(queue.name))
            if (!chosen.sparse_op && use.step->attr().identity) chosen.sparse_op = use.step->op;
        if (!chosen.sparse_op && stimulus->type != Stimulus::Type::Sparse)
            fail_input(queue.loc, "the stimulus of queue '{}' names the op '{}', which is not an op of the netlist",
                       queue.name, stimulus->matmul_ident_name);
        return chosen;
    }
    if (choose_by_role(queue, chosen)) return chosen;
    const TestConfig& test = netlist_.test;
    if (test.stimulus && !is_sparse(test.stimulus->type)) {
        const bool inference = !test.io_inputs.empty();
        if (const auto special = inference ? inference_constant(queue, test) : std::nullopt) return *special;
        if (positive_.contains(&queue) && goes_below_zero(*test.stimulus)) {
            chosen.stimulus = *test.stimulus;  // keeps the filled part of every tile
            chosen.stimulus.type = Stimulus::Type::Uniform;
            chosen.stimulus.low = 0.001;
            chosen.stimulus.high = 1;
            chosen.why = "uniform (0.001, 1), not the stimulus-config, since it reaches a root or log";
            return chosen;
        }
        return {*test.stimulus, nullptr, "stimulus-config"};
    }
    if (const auto named = constant_by_use(queue, flow_)) return *named;
    return choose_default(queue);
}

}  // namespace ttsim::impl
