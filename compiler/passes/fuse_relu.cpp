// fuse-relu: fuses a relu into the packer of its producer.
//
//   %a = buda.add %x, %y
//   %b = buda.nop %a {relu = "min", threshold = 0.0}     and nothing else reads %a
//   ->  %b = buda.add %x, %y {relu = "min", threshold = 0.0}
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

static bool can_fuse(const Node& producer, std::size_t uses) {
    return uses == 1 && producer.op.on_device() && !producer.has(attr::relu);
}

static void run_fuse_relu(Graph& graph, const PassOptions& options) {
    const auto uses = graph.use_counts();
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        if (node.op != op::buda::nop || !node.has(attr::relu) || !node.inputs[0].tms.empty()) continue;
        const ValueId from = node.inputs[0].value;
        const Node& producer = graph.nodes[from];
        if (!can_fuse(producer, uses[from]) || producer.type.format != node.type.format) continue;
        const Attrs relu = node.attrs;
        node.op = producer.op;
        if (options.keep_names) node.name = producer.name;
        node.inputs = producer.inputs;
        node.attrs = producer.attrs;
        node.attrs.insert(relu.begin(), relu.end());
    }
    graph.erase_unused();
}

extern const Pass fuse_relu;
const Pass fuse_relu{.name = "fuse-relu",
                     .summary = "fuse a relu into the packer of its producer",
                     .run = run_fuse_relu,
                     .optional = true};

}  // namespace ttsim::impl::ir
