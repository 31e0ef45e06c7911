// fold-scales: folds scalar factors into preceding constants,
//
//   %s = map_axis %x, %ones {axis = 1}                   %y = map_axis %x, [0.25, 0.25, 0.25, 0.25] {axis = 1}
//   %y = multiply %s, 0.25                          ->
//
//   %p = matmul %x, %w                                   %p = matmul %x, 0.125 * %w
//   %q = add %p, %b                                      %q = add %p, 0.125 * %b
//   %h = transpose %q {perm = [0, 2, 1]}                 %y = transpose %q {perm = [0, 2, 1]}
//   %y = multiply %h, 0.125                         ->
//
// if the values between have no other readers. A mean, as exporters write it, becomes one product, and attention needs
// no scaling of its scores.
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

Literal scaled(const Literal& matrix, double by) {
    Literal out = matrix;
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, matrix.at(i) * by);
    return out;
}

/// Folds the factor into the matrix of the map_axis directly before.
std::optional<ValueId> mapped(Builder& build, const Node& node, std::span<const ValueId> in,
                              const std::vector<std::size_t>& uses) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const Node inner = build.graph().nodes[in[k]];
        const Literal* factor = build.literal(in[1 - k]);
        if (inner.op != op::map_axis || !factor || !factor->is_splat() || inner.type.dims != node.type.dims ||
            uses[node.inputs[k].value] != 1)
            continue;
        const Literal* matrix = build.literal(inner.inputs[1].value);
        if (!matrix) continue;
        const double by = factor->at(0);
        return build.map_axis(inner.inputs[0].value, inner.get(attr::axis), scaled(*matrix, by));
    }
    return std::nullopt;
}

/// Factors to fold into constants of products and sums, and the multiplications that this removes.
class FactorFolding {
public:
    FactorFolding(const Graph& graph, const PassOptions& options)
        : graph_(graph), options_(options), uses_(graph.use_counts()) {
        for (const Node& node : graph.nodes) {
            if (node.op != op::multiply || node.type.format) continue;
            for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
                if (const auto by = number(node, 1 - k); by && fold(node.inputs[k].value, *by)) {
                    removed_.emplace(node.name, k);
                    break;
                }
        }
    }

    /// The rewritten node in the new graph, with these operands.
    std::optional<ValueId> rewritten(Builder& build, const Node& node, std::span<const ValueId> in) const {
        if (const auto found = removed_.find(node.name); found != removed_.end()) return in[found->second];
        const auto found = factors_.find(node.name);
        if (found == factors_.end()) return std::nullopt;
        std::vector<ValueId> operands(in.begin(), in.end());
        const std::size_t k = constant_operand(node);
        operands[k] = build.add(op::multiply, {operands[k], build.scalar(found->second)});
        return build.add(node.op, operands, node.attrs);
    }
    const std::vector<std::size_t>& uses() const { return uses_; }

private:
    /// The factor in operand k of a multiplication, if it is a splat. Very small or large factors stay, since they may
    /// keep intermediate values in a format's range.
    std::optional<double> number(const Node& node, std::size_t k) const {
        const Node& constant = graph_.nodes[node.inputs[k].value];
        constexpr double most = 64;
        if (!constant.literal || !constant.literal->is_splat() || !is_float(constant.type.dtype) ||
            graph_.type(node.inputs[1 - k].value).dims != node.type.dims)
            return std::nullopt;
        const double by = constant.literal->at(0), size = std::fabs(by);
        return size >= 1 / most && size <= most ? std::optional(by) : std::nullopt;
    }

    bool is_weight(ValueId id) const { return graph_.nodes[id].literal && is_float(graph_.type(id).dtype); }
    /// The right operand if both are constants: for a product the weights.
    std::size_t constant_operand(const Node& node) const { return is_weight(node.inputs[1].value) ? 1 : 0; }

    bool fold(ValueId id, double by) {
        std::vector<std::string> targets;
        if (!find_targets(id, targets)) return false;
        for (const std::string& name : targets) factors_.try_emplace(name, 1).first->second *= by;
        return true;
    }

    /// Collects the nodes whose constants scale the whole value; false: there is none, or a changed value has other
    /// readers.
    bool find_targets(ValueId id, std::vector<std::string>& targets) const {
        const Node& node = graph_.nodes[id];
        const auto& kept = options_.intermediates;
        if (uses_[id] != 1 || node.has(attr::host) || std::find(kept.begin(), kept.end(), node.origin) != kept.end())
            return false;
        if (node.op == op::reshape || node.op == op::transpose) return find_targets(node.inputs[0].value, targets);
        if (node.op != op::add && node.op != op::matmul) return false;
        const std::size_t k = constant_operand(node);
        if (is_weight(node.inputs[k].value)) {
            if (node.op == op::add && !find_targets(node.inputs[1 - k].value, targets)) return false;
            targets.push_back(node.name);
            return true;
        }
        return node.op == op::matmul && (find_targets_of_operand(node.inputs[0].value, targets) ||
                                         find_targets_of_operand(node.inputs[1].value, targets));
    }
    bool find_targets_of_operand(ValueId id, std::vector<std::string>& targets) const {
        const std::size_t before = targets.size();
        if (find_targets(id, targets)) return true;
        targets.resize(before);
        return false;
    }

    const Graph& graph_;
    const PassOptions& options_;
    std::vector<std::size_t> uses_;
    std::map<std::string, double> factors_;       // by name of the product or sum
    std::map<std::string, std::size_t> removed_;  // by name of the removed multiplication: the operand that replaces it
};

void run_fold_scales(Graph& graph, const PassOptions& options) {
    const Graph before = graph;
    const FactorFolding scales(before, options);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (const auto found = scales.rewritten(build, node, in)) return found;
        return node.op == op::multiply ? mapped(build, node, in, scales.uses()) : std::nullopt;
    });
}

}  // namespace

extern const Pass fold_scales;
const Pass fold_scales{.name = "fold-scales",
                       .summary = "fold scalar factors into preceding constants",
                       .run = run_fold_scales,
                       .optional = true};

}  // namespace ttsim::impl::ir
