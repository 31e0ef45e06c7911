// fold-constants
//
//   %c = f %a, %b     where %a, %b are constants   ->   %c = constant [...]
#include "compiler/pass.hpp"

namespace tt::ir {

static void run(Graph& graph, const PassOptions&) {
    rewrite(graph, [](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (in.empty() || node.type.format) return std::nullopt;
        for (const ValueId id : in)
            if (!build.literal(id)) return std::nullopt;
        const OpInfo* op = find_op(node.op);
        if (!op->eval) return std::nullopt;
        return build.add(node.op, {in.begin(), in.end()}, node.attrs);
    });
}

extern const Pass fold_constants;
const Pass fold_constants{.name = "fold-constants", .summary = "compute what depends on constants only", .run = run};

}  // namespace tt::ir
