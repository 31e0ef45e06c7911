#include "netlist/stimulus_choice.hpp"

#include <algorithm>
#include <cmath>

namespace tt {

namespace {

constexpr std::size_t deep_ops = 20;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Stimulus constant(double value) {
    Stimulus s;
    s.type = Stimulus::Type::Constant;
    s.value = value;
    return s;
}

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
           type == Stimulus::Type::SparseEncodingNzCounts;
}

/// "q.3" is the copy of queue "q" on chip 3.
std::string without_instance(const std::string& name) {
    const auto dot = name.rfind('.');
    const bool number = dot != std::string::npos && dot + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    return number ? name.substr(0, dot) : name;
}

/// Inner dimension in datums of the dense matmul that takes this operand as its right one; 0 when it is no such.
std::int64_t inner_of_right_operand(const Op& op, std::size_t operand) {
    constexpr std::int64_t edge = 32;
    const OpAttributes& a = op.cfg.attr;
    if (op.cfg.type == "matmul") return operand == 1 && !a.identity ? a.m_k * a.u_kt * edge : 0;
    if (!op.cfg.fused) return 0;
    for (const auto& schedule : op.cfg.fused->schedules)
        for (const FusedSubOp& sub : schedule)
            if (sub.type == "matmul" && sub.inputs.size() > 1 && sub.inputs[1].kind == FusedOperand::Kind::Input &&
                sub.inputs[1].index == static_cast<int>(operand))
                return sub.attributes.m_k * sub.attributes.u_kt * edge;
    return 0;
}

/// Whether every value of the stimulus is an index below `count`.
bool gives_indices(const Stimulus& s, std::int64_t count) {
    const auto last = static_cast<double>(count - 1);
    if (s.type == Stimulus::Type::Constant) return s.value >= 0 && s.value <= last;
    return s.type == Stimulus::Type::Uniform && s.low >= 0 && s.high <= last && s.high >= 1;
}

}  // namespace

StimulusChooser::StimulusChooser(const Netlist& resolved) : netlist_(resolved) {
    std::size_t count = 0;
    for (const Graph& graph : resolved.graphs)
        for (const Op& op : graph.ops) {
            ops_.emplace(op.name(), &op);
            for (std::size_t i = 0; i < op.inputs.size(); ++i) uses_[op.inputs[i]].push_back({&op, i});
            ++count;
        }
    deep_ = count > deep_ops;
    graph_ = deep_ || has(resolved.file, "graph_tests");
    for (const auto& [name, stimulus] : resolved.test.stimulus_overrides)
        overrides_.push_back({name, NamePattern::parse(name), &stimulus});
}

const std::vector<StimulusChooser::Use>& StimulusChooser::uses(const std::string& queue) const {
    static const std::vector<Use> none;
    const auto found = uses_.find(queue);
    return found == uses_.end() ? none : found->second;
}

/// The override of that very name, else the first whose pattern matches the whole name.
const Stimulus* StimulusChooser::own(const std::string& name, std::string& which) const {
    for (const std::string& candidate : {name, without_instance(name)}) {
        for (const bool exact : {true, false})
            for (const Override& entry : overrides_)
                if (exact ? entry.name == candidate : entry.pattern && entry.pattern->matches(candidate)) {
                    which = entry.name;
                    return entry.stimulus;
                }
    }
    return nullptr;
}

bool StimulusChooser::by_part(const Queue& queue, ChosenStimulus& chosen) const {
    for (const Use& use : uses(queue.name)) {
        const OpConfig& op = use.op->cfg;
        if (op.type == "matmul" && op.attr.identity && (use.operand == 0 || use.operand == 2)) {
            const bool tiles = use.operand == 0;
            chosen = {of_type(tiles ? Stimulus::Type::Sparse : Stimulus::Type::SparseEncoding), use.op,
                      tiles ? "sparse tiles: one 1 in each row of a tile"
                            : "sparse encoding: zero strips 0, ublocks 0.5, tiles 0.8"};
            return true;
        }
        if (op.type == "embedding" && use.operand == 1 && !op.in.empty()) {
            const std::int64_t rows = op.in[0].rt * (op.in_tile.empty() ? 32 : op.in_tile[0].h);
            if (netlist_.test.stimulus && gives_indices(*netlist_.test.stimulus, rows)) continue;
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

/// Datums that a mean or average is taken over: the inner dimension of the matmul that uses the constant, or of the
/// one whose sum is multiplied by it.
std::int64_t StimulusChooser::reduced_size(const Queue& queue) const {
    for (const Use& use : uses(queue.name)) {
        const OpAttributes& a = use.op->cfg.attr;
        if (use.op->cfg.type == "matmul" && a.m_k * a.u_kt > 0) return a.m_k * a.u_kt * 32;
        for (const std::string& other : use.op->inputs)
            if (const auto found = ops_.find(other); found != ops_.end() && found->second->cfg.type == "matmul")
                return std::max<std::int64_t>(1, found->second->cfg.attr.m_k * found->second->cfg.attr.u_kt * 32);
    }
    return queue.shape().rt * queue.tile.h;
}

bool StimulusChooser::by_name(const Queue& queue, ChosenStimulus& chosen) const {
    const std::string& name = queue.name;
    const auto take = [&](double value, const std::string& what) {
        chosen = {constant(value), nullptr, "constant by name: " + what};
        return true;
    };
    if (is_raw(queue.df) || is_integer(queue.df)) return false;
    if (has(name, "_s_brcst_m2") || has(name, "_s_brcst_m1")) {
        const bool column = has(name, "_s_brcst_m2");
        take(1, column ? "one column of ones" : "one row of ones");
        (column ? chosen.stimulus.cols_first : chosen.stimulus.rows_first) = 1;
        (column ? chosen.stimulus.cols_last : chosen.stimulus.rows_last) = 1;
        return true;
    }
    const auto share = [&] {
        const std::int64_t size = reduced_size(queue);
        return take(1.0 / static_cast<double>(size), fmt::format("1/{}", size));
    };
    if (has(name, "eps")) return take(1e-5, "eps 1e-5");
    if (has(name, "mean") || has(name, "avg")) return share();
    if (has(name, "var") || has(name, "sum")) return take(1, "1 for a variance or sum");
    if (!name.starts_with("dc.") || uses(name).empty()) return false;
    // decomposed layer norms and softmaxes number their constants: what is added is eps, a factor is 1/K
    const std::string& type = uses(name).front().op->cfg.type;
    if (type == "add" || type == "fused_op") return take(1e-5, "eps 1e-5, since it is added");
    return type == "multiply" ? share() : false;
}

ChosenStimulus StimulusChooser::by_default(const Queue& queue) const {
    if (!is_raw(queue.df) && !is_integer(queue.df))
        for (const Use& use : uses(queue.name)) {
            const std::int64_t k = inner_of_right_operand(*use.op, use.operand);
            if (k <= 0 || (deep_ && queue.type != QueueType::Ram)) continue;
            const double inner = static_cast<double>(k);
            if (!deep_) return {uniform(0.001, 2 / inner), nullptr, fmt::format("default: uniform (0.001, 2/{})", k)};
            const double edge = std::sqrt(3 / inner);
            return {uniform(-edge, edge), nullptr, fmt::format("default: uniform (-sqrt(3/{0}), sqrt(3/{0}))", k)};
        }
    if (graph_) return {uniform(-1, 1), nullptr, "default: uniform (-1, 1)"};
    return {uniform(0.001, 1), nullptr, "default: uniform (0.001, 1)"};
}

ChosenStimulus StimulusChooser::choose(const Queue& queue) const {
    ChosenStimulus chosen;
    std::string which;
    if (const Stimulus* stimulus = own(queue.name, which)) {
        chosen = {*stimulus, nullptr, "stimulus-config override '" + which + "'"};
        if (!is_sparse(stimulus->type)) return chosen;
        if (const auto named = ops_.find(stimulus->matmul_ident_name); named != ops_.end())
            chosen.sparse_op = named->second;
        for (const Use& use : uses(queue.name))
            if (!chosen.sparse_op && use.op->cfg.attr.identity) chosen.sparse_op = use.op;
        if (!chosen.sparse_op && stimulus->type != Stimulus::Type::Sparse)
            fail_input(queue.loc, "the stimulus of queue '{}' names the op '{}', which is no op of the netlist",
                       queue.name, stimulus->matmul_ident_name);
        return chosen;
    }
    if (by_part(queue, chosen) || by_name(queue, chosen)) return chosen;
    if (netlist_.test.stimulus && !is_sparse(netlist_.test.stimulus->type))
        return {*netlist_.test.stimulus, nullptr, "stimulus-config"};
    return by_default(queue);
}

}  // namespace tt
