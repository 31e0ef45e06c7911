#include "compiler/onnx/join.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

namespace ttsim::impl::ir {

ValueId joined(Import& n, ValueId a, ValueId b, std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis);
    Dims dims_a = n.b.dims(a), dims_b = n.b.dims(b);
    const bool fits = axis >= 0 && axis < std::ssize(dims_a) && dims_a.size() == dims_b.size();
    if (fits) dims_a[at] = dims_b[at];
    if (!fits || dims_a != dims_b)
        n.wrong("{} and {} cannot be joined along axis {}", to_string(n.b.type(a)), to_string(n.b.type(b)), axis);
    const std::int64_t first = n.b.dims(a)[at], second = n.b.dims(b)[at];
    if (first == 0) return b;
    if (second == 0) return a;
    n.check_positions(first + second);
    std::vector<std::int64_t> left(static_cast<std::size_t>(first + second), -1), right = left;
    std::iota(left.begin(), left.begin() + first, 0);
    std::iota(right.begin() + first, right.end(), 0);
    return n.binary(op::add, n.gather(a, axis, left), n.gather(b, axis, right));
}

/// The dims without axes of size 1 after `axis`: boxes [1, n, 1, 4] are concatenated as [1, n, 4]. nullopt if there is
/// nothing to remove.
static std::optional<Dims> without_ones(const Dims& dims, std::int64_t axis) {
    const std::int64_t rank = std::ssize(dims);
    if (axis < 0 || axis >= rank - 2) return std::nullopt;
    const auto behind = dims.begin() + axis + 1;
    Dims kept(dims.begin(), behind);
    std::copy_if(behind, dims.end(), std::back_inserter(kept), [](std::int64_t d) { return d != 1; });
    if (kept.size() == dims.size() || std::ssize(kept) == axis + 1) return std::nullopt;
    return kept;
}

ValueId joined(Import& n, std::span<const ValueId> parts, std::int64_t axis) {
    TT_CHECK(!parts.empty(), "nothing is joined");
    if (parts.size() == 1) return parts.front();
    if (const auto dims = without_ones(n.b.dims(parts.front()), axis)) {
        std::vector<ValueId> narrow;
        for (const ValueId part : parts) {
            Dims own = *dims;
            own[static_cast<std::size_t>(axis)] = n.b.dims(part)[static_cast<std::size_t>(axis)];
            narrow.push_back(count(own) == count(n.b.dims(part)) ? n.b.reshape(part, own) : part);
        }
        const ValueId all = joined(n, narrow, axis);
        Dims dims_all = n.b.dims(parts.front());
        dims_all[static_cast<std::size_t>(axis)] = n.b.dims(all)[static_cast<std::size_t>(axis)];
        return n.b.reshape(all, dims_all);
    }
    const std::size_t half = parts.size() / 2;
    return joined(n, joined(n, parts.first(half), axis), joined(n, parts.subspan(half), axis), axis);
}

IterationMarks::IterationMarks(Import& n, std::int64_t iterations)
    : n_(n),
      marks_(iterations > 4),
      name_(fmt::format("{}#{}", n.b.origin(), n.b.graph().nodes.size())),
      from_(n.b.graph().nodes.size()) {}

void IterationMarks::next() {
    std::vector<Node>& nodes = n_.b.graph().nodes;
    for (; from_ < nodes.size(); ++from_) {
        Node& node = nodes[from_];
        if (!marks_ || node.is_constant() || node.is_input() || node.has(attr::iteration)) continue;
        node.set(attr::loop, name_);
        node.set(attr::iteration, iteration_);
    }
    ++iteration_;
}

ValueId IterationMarks::joined(std::span<const ValueId> parts, std::int64_t axis) {
    if (!marks_ || parts.size() == 1) return ir::joined(n_, parts, axis);
    n_.check_positions(std::ssize(parts) * n_.b.dims(parts.front())[static_cast<std::size_t>(axis)]);
    return n_.b.add(op::join, {parts.begin(), parts.end()}, {attr::axis(axis)});
}

}  // namespace ttsim::impl::ir
