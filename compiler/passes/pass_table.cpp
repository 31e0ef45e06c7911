// The pipelines, and the passes that the build found in this folder (cmake/tt_library.cmake).
#include <algorithm>
#include <vector>

#include "compiler/ir/pass.hpp"
#include "generated/pass_list.hpp"

namespace ttsim::impl::ir {

/// In the order of the pipelines, then by name.
static std::vector<const Pass*> sorted_passes() {
    std::vector<const Pass*> passes(std::begin(found_passes), std::end(found_passes));
    std::vector<std::string_view> order;
    for (const Pipeline& pipeline : all_pipelines())
        order.insert(order.end(), pipeline.passes.begin(), pipeline.passes.end());
    const auto place = [&](const Pass* pass) { return std::find(order.begin(), order.end(), pass->name); };
    std::sort(passes.begin(), passes.end(), [&](const Pass* a, const Pass* b) {
        return std::pair(place(a), a->name) < std::pair(place(b), b->name);
    });
    return passes;
}

std::span<const Pass* const> all_passes() {
    static const std::vector<const Pass*> passes = sorted_passes();
    return passes;
}

const Pass* find_pass(std::string_view name) {
    const auto passes = all_passes();
    const auto it = std::find_if(passes.begin(), passes.end(), [&](const Pass* p) { return p->name == name; });
    return it == passes.end() ? nullptr : *it;
}

namespace {

using Names = std::vector<std::string_view>;

// Parts that pipelines share.
const Names recognition{"fold-constants", "recognize-gelu", "recognize-norms", "recognize-softmax", "recognize-masked"};
const Names decomposition{"decompose-normalization", "decompose-softmax",  "decompose-elementwise",
                          "fold-constants",          "fold-scales",        "flatten-rows",
                          "merge-data-movement",     "sink-data-movement", "merge-data-movement"};
const Names tiling{"fuse-slice-stack",    "cut-slices",   "fold-flatten",  "explicit-broadcast", "split-reshapes",
                   "split-data-movement", "erase-unused", "lower-to-buda", "splice-columns",     "keep-names",
                   "keep-intermediates",  "fuse-bias",    "fuse-relu",     "widen-outputs",      "stream-slices",
                   "fuse-bias",           "fuse-relu",    "data-formats"};
const Names fusion{"fuse-gelu", "split-products", "even-splices", "insert-nops", "fuse-ops"};

Names joined(std::initializer_list<Names> parts) {
    Names all;
    for (const Names& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

std::span<const Pipeline> all_pipelines() {
    static const std::vector<Pipeline> table{
        {"decompose", "model ops to core ops",
         joined({recognition,
                 {"fold-batch-norm", "integer-gemm", "decompose-indexing", "decompose-convolution", "decompose-pools"},
                 decomposition,
                 {"erase-unused"}})},
        {"default", "all passes of ttsim compile before placement",
         joined({{"seed-dropouts", "reroll-loops"},
                 recognition,
                 {"fold-batch-norm", "integer-gemm", "mark-host", "host-windows", "cut-host", "decompose-indexing",
                  "decompose-convolution", "decompose-pools"},
                 decomposition,
                 {"split-wide-products", "host-data-movement", "cut-host"},
                 tiling,
                 {"fp16-quantizers", "mixed-precision", "keep-states"},
                 fusion,
                 {"order-ops"}})},
        {"training", "the same for a model that is trained: 'ttsim compile --training'",
         joined({{"seed-dropouts", "train-parameters"},
                 recognition,
                 {"mark-host", "host-windows", "cut-host", "decompose-indexing", "decompose-convolution",
                  "decompose-pools", "decompose-batch-norm", "hoist-data-movement", "autograd"},
                 decomposition,
                 tiling,
                 {"mixed-precision"},
                 fusion,
                 {"recompute", "sum-gradients", "keep-states", "order-ops"}})},
    };
    return table;
}

}  // namespace ttsim::impl::ir
