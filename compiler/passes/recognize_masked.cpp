// recognize-masked: what a model asks of NaN and infinities, answered by the masks that they come from.
//
//   p = softmax (where mask, x, -inf)
//   equal p, p                 ->  not (all of not mask along the axis)    IsNaN, and x != x
//   equal v, -inf; greater v, -inf; IsInf                                  likewise
//   where rows, 0, softmax x   ->  softmax x, (not rows)                   a factor of each row, 0 or 1
//   output p                   ->  where rows, NaN, p on the host
//
// The device holds neither NaN nor infinities: a row of a softmax that is masked as a whole is the same everywhere
// there. The masks are followed through cheap ops, and rows of NaN through products (passes/nonfinite.hpp). Of outputs
// the host puts in what comes of the model's own constants; with infinities that inputs hold it does not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "compiler/ir/pass.hpp"
#include "compiler/passes/nonfinite.hpp"

namespace ttsim::impl::ir {

namespace {

class Masked {
public:
    explicit Masked(Builder& build) : b_(build), asked_(build, NonfiniteFrom::All) {}

    std::optional<ValueId> replaced(const Node& node, std::span<const ValueId> in) {
        static const std::set<std::string_view> tests{"equal", "less", "greater", "less_equal", "greater_equal"};
        if (tests.contains(node.op) && is_float(b_.type(in[0]).dtype))
            if (const auto answer = answered(node, in)) return spread(*answer, node);
        if (node.op == "where") return chosen(node, in);
        return through(node, in);
    }

private:
    struct Answer {
        std::optional<ValueId> where;  ///< none: nowhere
        bool inverted = false;
    };

    /// The number that a constant is throughout.
    std::optional<double> number(ValueId id) const {
        const Literal* literal = b_.literal(id);
        return literal && literal->is_splat() ? std::optional(literal->at(0)) : std::nullopt;
    }
    bool from_outside(ValueId id) const {
        const Node& at = b_.graph().nodes[id];
        const OpInfo* op = find_op(at.op);
        return at.is_input() || at.is_constant() || at.has("host") || (op && op->level == Level::Host);
    }

    std::optional<Answer> answered(const Node& node, std::span<const ValueId> in) {
        const bool equal = node.op == "equal";
        if (equal && in[0] == in[1]) {
            if (from_outside(in[0])) return std::nullopt;
            return Answer{asked_.of(in[0]).nan, true};
        }
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const auto bound = number(in[k]);
            const ValueId x = in[1 - k];
            if (!bound || b_.literal(x) || from_outside(x)) continue;
            if (std::isinf(*bound)) return compared(node.op, x, *bound > 0, k == 0);
            // IsInf: beyond the largest float
            if (*bound >= std::numeric_limits<float>::max() && node.op == (k == 1 ? "greater" : "less"))
                if (const auto& up = asked_.of(x).up) return Answer{up};
        }
        return std::nullopt;
    }

    /// With an infinity; `first`: it is the first operand.
    std::optional<Answer> compared(const std::string& op, ValueId x, bool up, bool first) {
        const auto& found = asked_.of(x);
        const bool less = op == "less" || op == "less_equal", or_equal = op.ends_with("_equal");
        if (op == "equal") return Answer{up ? found.up : found.down};
        if (!less && op != "greater" && op != "greater_equal") return std::nullopt;
        const bool below = less != first;  // x < or <= the infinity
        if (below == up && or_equal) return Answer{found.nan, true};
        if (below == up) return Answer{asked_.either(found.nan, up ? found.up : found.down), true};
        if (!or_equal) return Answer{};
        return Answer{up ? found.up : found.down};
    }

    /// As large as the node's result, known to be the same as what it was made of.
    ValueId spread(const Answer& answer, const Node& node) {
        if (!answer.where) {
            Literal all(DType::Bool, node.type.dims);
            if (answer.inverted) std::fill(all.whole().begin(), all.whole().end(), 1);
            return b_.constant(std::move(all));
        }
        return spread(answer.inverted ? asked_.inverted(*answer.where) : *answer.where, node.type.dims);
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

    /// Of booleans that are repeated the smaller one is computed with.
    std::optional<ValueId> through(const Node& node, std::span<const ValueId> in) {
        const OpInfo* op = find_op(node.op);
        if (!op || !op->elementwise || node.type.format) return std::nullopt;
        bool any = false;
        std::vector<ValueId> small;
        for (const ValueId id : in) {
            small.push_back(narrow(id));
            any = any || small.back() != id;
        }
        if (!any) return std::nullopt;
        const ValueId made = node.op == "not" ? asked_.inverted(small[0]) : b_.add(node.op, small, node.attrs);
        return spread(made, node.type.dims);
    }

    std::optional<ValueId> chosen(const Node& node, std::span<const ValueId> in) {
        ValueId condition = narrow(in[0]), yes = in[1], no = in[2];
        if (b_.graph().nodes[condition].op == "not") {
            condition = b_.graph().nodes[condition].inputs[0].value;
            std::swap(yes, no);
        }
        if (const auto always = number(condition)) {
            const ValueId taken = *always != 0 ? yes : no;
            if (b_.dims(taken) == node.type.dims) return taken;
        }
        if (const auto safe = of_rows(condition, false, no, yes, node.type.dims)) return safe;
        if (const auto safe = of_rows(condition, true, yes, no, node.type.dims)) return safe;
        if (condition == in[0]) return std::nullopt;
        const ValueId made = b_.add("where", {condition, yes, no});
        return b_.dims(made) == node.type.dims ? std::optional(made) : std::nullopt;
    }

    /// A softmax whose rows are 0 where the condition is not `kept`.
    std::optional<ValueId> of_rows(ValueId condition, bool kept, ValueId rows_of, ValueId otherwise, const Dims& dims) {
        const Node softmax = b_.graph().nodes[rows_of];
        if (softmax.op != "softmax" || softmax.inputs.size() != 1 || number(otherwise) != 0.0 ||
            softmax.type.dims != dims)
            return std::nullopt;
        const std::int64_t from_end = std::ssize(dims) - softmax.integer("axis", 0);
        const Dims rows = b_.dims(condition);
        if (from_end <= std::ssize(rows) && rows[rows.size() - static_cast<std::size_t>(from_end)] != 1)
            return std::nullopt;
        const ValueId factor = b_.cast(kept ? condition : asked_.inverted(condition), DType::F32);
        b_.set_kind("softmax");
        return b_.add("softmax", {softmax.inputs[0].value, factor}, softmax.attrs);
    }

    Builder& b_;
    Nonfinite asked_;
    std::map<ValueId, ValueId> narrow_;  // what is repeated: what of
};

/// Whether something asks, or a softmax may be chosen by rows.
bool asks(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
        static const std::set<std::string_view> tests{"equal", "less",          "greater",
                                                      "where", "greater_equal", "less_equal"};
        return tests.contains(node.op);
    });
}

/// Puts NaN and infinities where outputs of the model have them.
void complete_outputs(Graph& graph) {
    Builder build(graph, graph);
    Nonfinite made(build, NonfiniteFrom::Constants);
    for (Output& output : graph.outputs) {
        const Node at = graph.nodes[output.value];
        if (!is_float(at.type.dtype) || at.type.format || at.is_constant() || at.is_input()) continue;
        const Nonfinite::Where found = made.of(output.value);
        build.set_origin(at.origin);
        build.set_kind("");
        const auto put = [&](std::optional<ValueId> where, double value) {
            if (!where) return;
            output.value = build.add("where", {*where, build.scalar(value, at.type.dtype), output.value},
                                     {{"host", std::int64_t{1}}});
        };
        put(found.up, std::numeric_limits<double>::infinity());
        put(found.down, -std::numeric_limits<double>::infinity());
        put(found.nan, std::numeric_limits<double>::quiet_NaN());
    }
}

void run_recognize_masked(Graph& graph, const PassOptions& options) {
    if (asks(graph)) {
        std::optional<Masked> masked;
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
                            .summary = "questions after NaN and infinities from the masks they come from",
                            .run = run_recognize_masked};

}  // namespace ttsim::impl::ir
