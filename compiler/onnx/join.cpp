#include "compiler/onnx/join.hpp"

#include <numeric>

namespace tt::ir {

ValueId joined(Import& n, ValueId a, ValueId b, std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis);
    Dims one = n.b.dims(a), other = n.b.dims(b);
    const bool fits = axis >= 0 && axis < std::ssize(one) && one.size() == other.size();
    if (fits) one[at] = other[at];
    if (!fits || one != other)
        n.wrong("{} and {} cannot be joined along axis {}", to_string(n.b.type(a)), to_string(n.b.type(b)), axis);
    const std::int64_t first = n.b.dims(a)[at], second = n.b.dims(b)[at];
    if (first == 0) return b;
    if (second == 0) return a;
    n.check_positions(first + second);
    std::vector<std::int64_t> left(static_cast<std::size_t>(first + second), -1), right = left;
    std::iota(left.begin(), left.begin() + first, 0);
    std::iota(right.begin() + first, right.end(), 0);
    return n.two("add", n.pick(a, axis, left), n.pick(b, axis, right));
}

ValueId joined(Import& n, std::span<const ValueId> parts, std::int64_t axis) {
    TT_CHECK(!parts.empty(), "nothing is joined");
    if (parts.size() == 1) return parts.front();
    const std::size_t half = parts.size() / 2;
    return joined(n, joined(n, parts.first(half), axis), joined(n, parts.subspan(half), axis), axis);
}

TurnMarks::TurnMarks(Import& n, std::int64_t turns)
    : n_(n),
      marks_(turns > 4),
      name_(fmt::format("{}#{}", n.b.origin(), n.b.graph().nodes.size())),
      from_(n.b.graph().nodes.size()) {}

void TurnMarks::next() {
    std::vector<Node>& nodes = n_.b.graph().nodes;
    for (; from_ < nodes.size(); ++from_) {
        Node& node = nodes[from_];
        if (!marks_ || node.is_constant() || node.is_input() || node.has("turn")) continue;
        node.attrs["loop"] = name_;
        node.attrs["turn"] = turn_;
    }
    ++turn_;
}

ValueId TurnMarks::joined(std::span<const ValueId> parts, std::int64_t axis) {
    if (!marks_ || parts.size() == 1) return ir::joined(n_, parts, axis);
    n_.check_positions(std::ssize(parts) * n_.b.dims(parts.front())[static_cast<std::size_t>(axis)]);
    return n_.b.add("join", {parts.begin(), parts.end()}, {{"axis", axis}});
}

}  // namespace tt::ir
