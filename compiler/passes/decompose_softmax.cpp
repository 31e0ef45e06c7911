// decompose-softmax: softmax and log_softmax as exponentials and sums.
//
//   %y = softmax %x       ->  e = exp(x - max x), y = e * (1 / sum e)
//   %y = softmax %x, %f   ->  y = e * (f * (1 / sum e)), f has one element for each row
//   %y = log_softmax %x   ->  y = (x - max x) - log(sum exp(x - max x))
//
// Without stable_softmax the maximum is left out.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static void run_decompose_softmax(Graph& graph, const PassOptions& options) {
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::softmax && node.op != op::log_softmax) return std::nullopt;
        const std::int64_t axis = node.get(attr::axis);
        ValueId x = in[0];
        if (options.stable_softmax)
            x = build.add(op::subtract, {x, build.add(op::reduce_max, {x}, {attr::axis(axis)})});
        const ValueId e = build.add(op::exp, {x});
        const ValueId sum = build.reduce_sum(e, axis);
        if (node.op == op::log_softmax) return build.add(op::subtract, {x, build.add(op::log, {sum})});
        ValueId factor = build.add(op::reciprocal, {sum});
        if (in.size() > 1) factor = build.add(op::multiply, {factor, in[1]});
        return build.add(op::multiply, {e, factor});
    });
}

extern const Pass decompose_softmax;
const Pass decompose_softmax{.name = "decompose-softmax",
                             .summary = "softmax and log_softmax from exp, sums and a maximum",
                             .run = run_decompose_softmax};

}  // namespace ttsim::impl::ir
