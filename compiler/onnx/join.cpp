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

}  // namespace tt::ir
