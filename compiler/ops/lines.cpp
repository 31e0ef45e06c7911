#include "compiler/ops/lines.hpp"

namespace ttsim::impl::ir {

Lines lines_of(const Node& node, const Dims& dims) {
    const std::int64_t axis = node.get(attr::axis), rank = static_cast<std::int64_t>(dims.size());
    if (axis < 0 || axis >= rank)
        fail_input(node.loc, "'{}' has axis {}; its operand has rank {}", node.name, axis, rank);
    Lines out;
    out.axis = static_cast<std::size_t>(axis);
    out.size = dims[out.axis];
    for (std::size_t a = 0; a < dims.size(); ++a) {
        if (a > out.axis) out.step *= dims[a];
        if (a != out.axis) out.lines *= dims[a];
    }
    return out;
}

}  // namespace ttsim::impl::ir
