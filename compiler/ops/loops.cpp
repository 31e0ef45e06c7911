// Ops of loops that run as device programs: inputs, states and results of an iteration. The host slices inputs and
// collects results (passes/reroll_loops.cpp makes these ops, host/host_cut.cpp removes them).
//
//   join {axis}                           Concatenation of the operands along an axis.
//   loop_feed {loop, iterations}          One slice of its operand [iterations, ...] for each iteration.
//   loop_state {loop, state, dims, dtype} The state of that index from the previous iteration; zeros in the first.
//   loop_results {loop, iterations}       The first operand's values of all iterations, [iterations, ...]. The other
//                                         operands are the new values of the states, by index.
#include <array>

#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

std::size_t joined_axis(const Node& node, const Type& type) {
    const std::int64_t axis = node.get(attr::axis);
    if (axis < 0 || axis >= std::ssize(type.dims))
        fail_input(node.loc, "'{}' has axis {}; its operand has rank {}", node.name, axis, type.dims.size());
    return static_cast<std::size_t>(axis);
}

Type infer_join(const Node& node, std::span<const Type> in) {
    const std::size_t axis = joined_axis(node, in[0]);
    Type out = in[0];
    for (const Type& type : in.subspan(1)) {
        Dims dims = type.dims;
        if (dims.size() == out.dims.size()) dims[axis] = out.dims[axis];
        if (dims != out.dims || type.dtype != out.dtype)
            fail_input(node.loc, "'{}' joins {} and {} along axis {}", node.name, to_string(in[0]), to_string(type),
                       axis);
        out.dims[axis] += type.dims[axis];
    }
    return out;
}

Literal eval_join(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto axis = static_cast<std::size_t>(node.get(attr::axis));
    const std::int64_t inner = strides(out.dims())[axis], row = out.dims()[axis] * inner;
    std::int64_t at = 0;
    for (const Literal* part : in) {
        const std::int64_t own = part->dims()[axis] * inner;
        for (std::int64_t k = 0; k < part->size(); ++k) out.copy(k / own * row + at + k % own, *part, k);
        at += own;
    }
    return out;
}

std::int64_t iterations_of(const Node& node) {
    const std::int64_t iterations = node.get(attr::iterations);
    if (iterations < 1) fail_input(node.loc, "'{}' has {} iterations", node.name, iterations);
    return iterations;
}

Type infer_feed(const Node& node, std::span<const Type> in) {
    if (in[0].dims.empty() || in[0].dims[0] != iterations_of(node))
        fail_input(node.loc, "'{}' feeds {} in {} iterations", node.name, to_string(in[0]), iterations_of(node));
    return {in[0].dtype, {in[0].dims.begin() + 1, in[0].dims.end()}, {}};
}

Type infer_state(const Node& node, std::span<const Type>) {
    const auto dtype = parse_dtype(node.get(attr::dtype));
    if (!dtype) fail_input(node.loc, "'{}' has no element type '{}'", node.name, node.get(attr::dtype));
    return {*dtype, node.get(attr::dims), {}};
}

Type infer_results(const Node& node, std::span<const Type> in) {
    Type out = in[0];
    out.dims.insert(out.dims.begin(), iterations_of(node));
    return out;
}

constexpr std::array loop_table{
    OpFunctions{op::join, infer_join, eval_join},
    OpFunctions{op::loop_feed, infer_feed},
    OpFunctions{op::loop_state, infer_state},
    OpFunctions{op::loop_results, infer_results},
};

}  // namespace

std::span<const OpFunctions> loop_ops() { return loop_table; }

}  // namespace ttsim::impl::ir
