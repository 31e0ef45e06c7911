// recognize-masked: replaces tests for NaN and infinities by the masks that these are derived from.
//
//   p = softmax (where mask, x, -inf)
//   equal p, p                 ->  not (all of not mask along the axis)    IsNaN, and x != x
//   equal v, -inf; greater v, -inf; IsInf                                  likewise
//   where rows, 0, softmax x   ->  softmax x, (not rows)                   a factor for each row, 0 or 1
//   output p                   ->  where rows, NaN, p on the host
//
// The device holds neither NaN nor infinities; a softmax row that is masked completely has equal elements there. Masks
// are followed through cheap ops, and NaN rows through products (passes/nonfinite.hpp). The host inserts NaN and
// infinities into outputs if they are derived from the model's own constants, but not if inputs contain them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/nonfinite.hpp"

namespace ttsim::impl::ir {

namespace {

class MaskRewriter {
public:
    explicit MaskRewriter(Builder& build) : b_(build), nonfinite_(build, NonfiniteFrom::All) {}

    std::optional<ValueId> replaced(const Node& node, std::span<const ValueId> in) {
        static const std::set<OpId> tests{op::equal, op::less, op::greater, op::less_equal, op::greater_equal};
        if (tests.contains(node.op) && is_float(b_.type(in[0]).dtype))
            if (const auto result = test_result(node, in)) return spread(*result, node);
        if (node.op == op::where) return simplified_where(node, in);
        return narrowed_elementwise(node, in);
    }

private:
    struct TestResult {
        std::optional<ValueId> where;  ///< none: false everywhere
        bool inverted = false;
    };

    /// The value of a splat constant.
    std::optional<double> number(ValueId id) const {
        const Literal* literal = b_.literal(id);
        return literal && literal->is_splat() ? std::optional(literal->at(0)) : std::nullopt;
    }
    bool is_external(ValueId id) const {
        const Node& at = b_.graph().nodes[id];
        const OpInfo* op = find_op(at.op);
        return at.is_input() || at.is_constant() || at.has(attr::host) || (op && op->level == Level::Host);
    }

    std::optional<TestResult> test_result(const Node& node, std::span<const ValueId> in) {
        const bool equal = node.op == op::equal;
        if (equal && in[0] == in[1]) {
            if (is_external(in[0])) return std::nullopt;
            return TestResult{nonfinite_.of(in[0]).nan, true};
        }
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const auto bound = number(in[k]);
            const ValueId x = in[1 - k];
            if (!bound || b_.literal(x) || is_external(x)) continue;
            if (std::isinf(*bound)) return compared(node.op, x, *bound > 0, k == 0);
            // IsInf: greater than the largest float
            if (*bound >= std::numeric_limits<float>::max() && node.op == (k == 1 ? op::greater : op::less))
                if (const auto& positive = nonfinite_.of(x).positive_infinity) return TestResult{positive};
        }
        return std::nullopt;
    }

    /// Result of a comparison with an infinity; `first`: the infinity is the first operand.
    std::optional<TestResult> compared(OpId op, ValueId x, bool positive, bool first) {
        const auto& found = nonfinite_.of(x);
        const bool less = op.is_any_of({op::less, op::less_equal}),
                   or_equal = op.is_any_of({op::less_equal, op::greater_equal});
        if (op == op::equal) return TestResult{positive ? found.positive_infinity : found.negative_infinity};
        if (!less && !op.is_any_of({op::greater, op::greater_equal})) return std::nullopt;
        const bool below = less != first;  // x < or <= the infinity
        if (below == positive && or_equal) return TestResult{found.nan, true};
        if (below == positive)
            return TestResult{
                nonfinite_.logical_or(found.nan, positive ? found.positive_infinity : found.negative_infinity), true};
        if (!or_equal) return TestResult{};
        return TestResult{positive ? found.positive_infinity : found.negative_infinity};
    }

    /// Broadcasts a result to the node's dims and records the value before broadcasting.
    ValueId spread(const TestResult& result, const Node& node) {
        if (!result.where) {
            Literal all(DType::Bool, node.type.dims);
            if (result.inverted) std::fill(all.integer_elements().begin(), all.integer_elements().end(), 1);
            return b_.constant(std::move(all));
        }
        return spread(result.inverted ? nonfinite_.logical_not(*result.where) : *result.where, node.type.dims);
    }
    ValueId spread(ValueId narrow, const Dims& dims) {
        if (b_.dims(narrow) == dims) return narrow;
        const ValueId wide = b_.broadcast_to(narrow, dims);
        narrow_[wide] = narrow;
        return wide;
    }
    ValueId narrow(ValueId id) const {
        const auto at = narrow_.find(id);
        return at == narrow_.end() ? id : at->second;
    }

    /// Computes elementwise ops on broadcast bool values before broadcasting.
    std::optional<ValueId> narrowed_elementwise(const Node& node, std::span<const ValueId> in) {
        const OpInfo* op = find_op(node.op);
        if (!op || !op->elementwise || node.type.format) return std::nullopt;
        bool any = false;
        std::vector<ValueId> small;
        for (const ValueId id : in) {
            small.push_back(narrow(id));
            any = any || small.back() != id;
        }
        if (!any) return std::nullopt;
        const ValueId made =
            node.op == op::not_ ? nonfinite_.logical_not(small[0]) : b_.add(node.op, small, node.attrs);
        return spread(made, node.type.dims);
    }

    std::optional<ValueId> simplified_where(const Node& node, std::span<const ValueId> in) {
        ValueId condition = narrow(in[0]), yes = in[1], no = in[2];
        if (b_.graph().nodes[condition].op == op::not_) {
            condition = b_.graph().nodes[condition].inputs[0].value;
            std::swap(yes, no);
        }
        if (const auto always = number(condition)) {
            const ValueId selected = *always != 0 ? yes : no;
            if (b_.dims(selected) == node.type.dims) return selected;
        }
        if (const auto safe = masked_softmax(condition, false, no, yes, node.type.dims)) return safe;
        if (const auto safe = masked_softmax(condition, true, yes, no, node.type.dims)) return safe;
        if (condition == in[0]) return std::nullopt;
        const ValueId made = b_.add(op::where, {condition, yes, no});
        return b_.dims(made) == node.type.dims ? std::optional(made) : std::nullopt;
    }

    /// A softmax with rows forced to 0 where the condition is not `keep_where_true`.
    std::optional<ValueId> masked_softmax(ValueId condition, bool keep_where_true, ValueId softmax_rows,
                                          ValueId otherwise, const Dims& dims) {
        const Node softmax = b_.graph().nodes[softmax_rows];
        if (softmax.op != op::softmax || softmax.inputs.size() != 1 || number(otherwise) != 0.0 ||
            softmax.type.dims != dims)
            return std::nullopt;
        const std::int64_t from_end = std::ssize(dims) - softmax.get(attr::axis);
        const Dims rows = b_.dims(condition);
        if (from_end <= std::ssize(rows) && rows[rows.size() - static_cast<std::size_t>(from_end)] != 1)
            return std::nullopt;
        const ValueId factor = b_.cast(keep_where_true ? condition : nonfinite_.logical_not(condition), DType::F32);
        b_.set_kind("softmax");
        return b_.add(op::softmax, {softmax.inputs[0].value, factor}, softmax.attrs);
    }

    Builder& b_;
    Nonfinite nonfinite_;
    std::map<ValueId, ValueId> narrow_;  // values before broadcasting, by value after it
};

/// Whether the graph has comparisons or selections.
bool has_tests(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
        static const std::set<OpId> tests{op::equal, op::less,          op::greater,
                                          op::where, op::greater_equal, op::less_equal};
        return tests.contains(node.op);
    });
}

/// Adds host ops that insert NaN and infinities into outputs of the model.
void complete_outputs(Graph& graph) {
    Builder build(graph, graph);
    Nonfinite made(build, NonfiniteFrom::Constants);
    for (Output& output : graph.outputs) {
        const Node at = graph.nodes[output.value];
        if (!is_float(at.type.dtype) || at.type.format || at.is_constant() || at.is_input()) continue;
        const Nonfinite::Masks found = made.of(output.value);
        build.set_origin(at.origin);
        build.set_kind("");
        const auto put = [&](std::optional<ValueId> where, double value) {
            if (!where) return;
            output.value =
                build.add(op::where, {*where, build.scalar(value, at.type.dtype), output.value}, {attr::host(true)});
        };
        put(found.positive_infinity, std::numeric_limits<double>::infinity());
        put(found.negative_infinity, -std::numeric_limits<double>::infinity());
        put(found.nan, std::numeric_limits<double>::quiet_NaN());
    }
}

void run_recognize_masked(Graph& graph, const PassOptions& options) {
    if (has_tests(graph)) {
        std::optional<MaskRewriter> masked;
        rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) {
            if (!masked) masked.emplace(build);
            return masked->replaced(node, in);
        });
    }
    if (options.host_fallback) complete_outputs(graph);
    graph.erase_unused();
}

}  // namespace

extern const Pass recognize_masked;
const Pass recognize_masked{.name = "recognize-masked",
                            .summary = "replace tests for NaN and infinities by the masks they come from",
                            .run = run_recognize_masked,
                            .optional = true};

}  // namespace ttsim::impl::ir
