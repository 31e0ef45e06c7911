// explicit-broadcast: repeats elements by products with ones.
//
//   %y = add %a, %b : f32[4, 3]   %a: f32[4, 3], %b: f32[4, 1]
//   ->  %e = map_axis %b, ones[3, 1] {axis = 1}
//       %y = add %a, %e
//
// Broadcasts that a TM can do stay implicit: of constants, and of operands that repeat whole slices along leading axes.
// The pass handles leading axes of matmul alike.
#include <algorithm>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

/// Whether leading axes of `from` are 1 up to some axis and equal `to` after it, so that whole slices are repeated.
bool repeats_slices(const Dims& from, const Dims& to, std::size_t keep) {
    bool seen = false;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::size_t skip = to.size() - from.size();
        const std::int64_t d = i < skip ? 1 : from[i - skip];
        if (i + keep >= to.size()) {
            if (d != to[i]) return false;
        } else if (d == to[i]) {
            seen = seen || d != 1;
        } else if (seen) {
            return false;
        }
    }
    return true;
}

/// Repeats elements within slices; whole slices are left to TMs.
ValueId spread(Builder& build, ValueId x, Dims to) {
    if (build.literal(x) || repeats_slices(build.dims(x), to, 2)) return x;
    const Dims from = build.dims(x);
    const std::size_t skip = to.size() - from.size();
    for (std::size_t i = 0; i + 2 < to.size() && (i < skip || from[i - skip] == 1); ++i) to[i] = 1;
    return build.broadcast_to(x, to);
}

void run_explicit_broadcast(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        const OpInfo* op = find_op(node.op);
        if (!op || in.size() != 2 || !(op->elementwise || node.op == op::matmul)) return std::nullopt;
        std::vector<ValueId> operands;
        for (const ValueId id : in) {
            Dims to = node.type.dims;
            if (node.op == op::matmul) {
                to[to.size() - 2] = build.dims(id)[build.dims(id).size() - 2];
                to.back() = build.dims(id).back();
            }
            operands.push_back(spread(build, id, std::move(to)));
        }
        return build.add(node.op, operands, node.attrs);
    });
}

}  // namespace

extern const Pass explicit_broadcast;
const Pass explicit_broadcast{.name = "explicit-broadcast",
                              .summary = "repeat elements by products with ones where no TM can",
                              .run = run_explicit_broadcast};

}  // namespace ttsim::impl::ir
