// The table of all passes and pipelines.
#include <algorithm>
#include <array>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

// Passes are defined in files of the same name.
extern const Pass reroll_loops, keep_states, fold_constants, erase_unused, merge_moves, sink_moves, fold_scales,
    fold_batch_norm, integer_gemm, flatten_rows, recognize_gelu, recognize_norms, recognize_softmax, recognize_masked,
    mark_host, host_windows, split_wide_products, host_moves, cut_host_part, decompose_indexing, decompose_convolution,
    decompose_pools, decompose_normalization, decompose_softmax, decompose_elementwise, fuse_slice_stack, fold_flatten,
    explicit_broadcast, split_reshapes, split_moves, lower_to_buda, splice_columns, keep_names, keep_intermediates,
    data_formats, fp16_quantizers_pass, mixed_precision, fuse_bias, fuse_relu, fuse_gelu, widen_outputs, stream_slices,
    split_products, even_splices, insert_nops, fuse_ops, order_ops, train_parameters, hoist_moves, autograd,
    sum_gradients, decompose_batch_norm;

std::span<const Pass* const> all_passes() {
    static constexpr std::array table{
        &reroll_loops,
        &fold_constants,
        &erase_unused,
        &merge_moves,
        &sink_moves,
        &fold_scales,
        &fold_batch_norm,
        &integer_gemm,
        &flatten_rows,
        &recognize_gelu,
        &recognize_norms,
        &recognize_softmax,
        &recognize_masked,
        &mark_host,
        &host_windows,
        &split_wide_products,
        &host_moves,
        &cut_host_part,
        &decompose_indexing,
        &decompose_convolution,
        &decompose_pools,
        &decompose_normalization,
        &decompose_softmax,
        &decompose_elementwise,
        &fuse_slice_stack,
        &fold_flatten,
        &explicit_broadcast,
        &split_reshapes,
        &split_moves,
        &lower_to_buda,
        &splice_columns,
        &keep_names,
        &keep_intermediates,
        &data_formats,
        &fp16_quantizers_pass,
        &mixed_precision,
        &keep_states,
        &fuse_bias,
        &fuse_relu,
        &fuse_gelu,
        &widen_outputs,
        &stream_slices,
        &split_products,
        &even_splices,
        &insert_nops,
        &fuse_ops,
        &order_ops,
        &train_parameters,
        &hoist_moves,
        &autograd,
        &sum_gradients,
        &decompose_batch_norm,
    };
    return table;
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
const Names decomposition{"decompose-normalization",
                          "decompose-softmax",
                          "decompose-elementwise",
                          "fold-constants",
                          "fold-scales",
                          "flatten-rows",
                          "merge-moves",
                          "sink-moves",
                          "merge-moves"};
const Names tiling{"fuse-slice-stack", "fold-flatten",  "explicit-broadcast", "split-reshapes", "split-moves",
                   "erase-unused",     "lower-to-buda", "splice-columns",     "keep-names",     "keep-intermediates",
                   "fuse-bias",        "fuse-relu",     "widen-outputs",      "stream-slices",  "fuse-bias",
                   "fuse-relu",        "data-formats"};
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
         joined({{"reroll-loops"},
                 recognition,
                 {"fold-batch-norm", "integer-gemm", "mark-host", "host-windows", "cut-host", "decompose-indexing",
                  "decompose-convolution", "decompose-pools"},
                 decomposition,
                 {"split-wide-products", "host-moves", "cut-host"},
                 tiling,
                 {"fp16-quantizers", "mixed-precision", "keep-states"},
                 fusion,
                 {"order-ops"}})},
        {"training", "the same for a model that is trained: 'ttsim compile --training'",
         joined({{"train-parameters"},
                 recognition,
                 {"mark-host", "cut-host", "decompose-indexing", "decompose-convolution", "decompose-pools",
                  "decompose-batch-norm", "hoist-moves", "autograd"},
                 decomposition,
                 tiling,
                 {"mixed-precision"},
                 fusion,
                 {"sum-gradients", "keep-states", "order-ops"}})},
    };
    return table;
}

}  // namespace ttsim::impl::ir
