// fold-batch-norm: folds a batch normalization into the weights and bias of the convolution before it,
//
//   %c = conv %x, %w                                        %y = conv %x, %w * f, shift - mean * f
//   %y = batch_norm %c, %scale, %shift, %mean, %var    ->   f = scale / sqrt(var + epsilon), for each output channel
//
// if all parameters are constants and nothing else reads %c.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

std::optional<ValueId> folded(Builder& build, const Node& node, std::span<const ValueId> in) {
    const Node conv = build.graph().nodes[in[0]];
    if (conv.op != op::conv || !build.literal(conv.inputs[1].value)) return std::nullopt;
    if (conv.inputs.size() > 2 && !build.literal(conv.inputs[2].value)) return std::nullopt;
    for (std::size_t k = 1; k < in.size(); ++k)
        if (!build.literal(in[k])) return std::nullopt;
    const ValueId safe = build.add(op::add, {in[4], build.scalar(node.get(attr::epsilon))});
    const ValueId factor = build.add(op::multiply, {in[1], build.add(op::reciprocal, {build.add(op::sqrt, {safe})})});
    const ValueId weights = conv.inputs[1].value;
    Dims along(build.dims(weights).size(), 1);
    along[0] = build.dims(weights)[0];
    const ValueId scaled = build.add(op::multiply, {weights, build.reshape(factor, along)});
    ValueId offset = in[3];
    if (conv.inputs.size() > 2) offset = build.add(op::subtract, {offset, conv.inputs[2].value});
    const ValueId bias = build.add(op::subtract, {in[2], build.add(op::multiply, {offset, factor})});
    build.set_kind("");
    return build.add(op::conv, {conv.inputs[0].value, scaled, bias}, conv.attrs);
}

void run_fold_batch_norm(Graph& graph, const PassOptions&) {
    const auto uses = graph.use_counts();
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (node.op != op::batch_norm || uses[node.inputs[0].value] != 1) return std::nullopt;
        return folded(build, node, in);
    });
}

}  // namespace

extern const Pass fold_batch_norm;
const Pass fold_batch_norm{.name = "fold-batch-norm",
                           .summary = "fold batch normalizations into the convolutions before them",
                           .run = run_fold_batch_norm,
                           .optional = true};

}  // namespace ttsim::impl::ir
