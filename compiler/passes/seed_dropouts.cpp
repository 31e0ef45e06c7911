// seed-dropouts: gives each dropout of a model that is trained a seed of its own, before passes copy or move ops.
//
//   %y = dropout %x {p = 0.5}  ->  %y = dropout %x {p = 0.5, seed = 2748159631}
//   %y = dropout %x            ->  %x
#include <algorithm>

#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "kernels/ops/dropout_mask.hpp"

namespace ttsim::impl::ir {

static void run_seed_dropouts(Graph& graph, const PassOptions& options) {
    const auto is_dropout = [](const Node& node) { return node.op == op::dropout; };
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_dropout)) return;
    std::int64_t place = 0;
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) -> std::optional<ValueId> {
        if (!is_dropout(node)) return std::nullopt;
        const std::int64_t own = place++;
        if (node.get(attr::p) == 0) return in[0];
        if (!options.training)
            fail_unsupported(node.loc,
                             "'{}' (dropout) has random results, and the model is compiled for inference; export it in "
                             "evaluation mode, or compile it with '--training'",
                             node.name);
        Node seeded = node;
        seeded.set(attr::seed, dropout_seed(options.training->dropout_seed, node.get(attr::seed), own));
        return build.copy(seeded, {{in[0], {}}});
    });
}

extern const Pass seed_dropouts;
const Pass seed_dropouts{.name = "seed-dropouts",
                         .summary = "give each dropout of a model that is trained a seed of its own",
                         .run = run_seed_dropouts};

}  // namespace ttsim::impl::ir
