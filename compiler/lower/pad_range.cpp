#include "compiler/lower/pad_range.hpp"

#include <algorithm>

#include "compiler/ops/device.hpp"

namespace ttsim::impl::ir {

static PadRange device_range(const Node& node, std::span<const PadRange> in) {
    const OpDef* def = counterpart_def(node.op);
    if (!def || !def->range) return PadRange::unbounded();
    OpAttributes attr;
    read_attributes(node, *def, attr);
    return def->range(attr, in);
}

PadRange unary_pads(const Node& node, PadRange x) {
    if (node.op == op::relu_max) {  // done by the packer
        const double most = node.get(attr::threshold);
        return {std::clamp(x.low, 0.0, most), std::clamp(x.high, 0.0, most)};
    }
    if (node.op == op::relu)
        return x.is_bounded() ? PadRange{std::max(x.low, 0.0), std::max(x.high, 0.0)} : PadRange::unbounded();
    if (node.op == op::cast) return x.is_bounded() ? x : PadRange::unbounded();
    return device_range(node, {&x, 1});
}

PadRange binary_pads(const Node& node, PadRange a, PadRange b) {
    const PadRange in[] = {a, b};
    return device_range(node, in);
}

}  // namespace ttsim::impl::ir
