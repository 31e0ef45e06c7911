#include <algorithm>
#include <array>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

// One name per pass; its file has the rest.
// clang-format off
extern const Pass reroll_loops, keep_states, fold_constants, erase_unused, merge_moves, sink_moves, fold_scales, fold_batch_norm, integer_gemm, flatten_rows,
    recognize_gelu, recognize_norms, recognize_softmax, recognize_masked,
    mark_host, host_windows, split_wide_products, host_moves, cut_host_part,
    decompose_indexing, decompose_convolution, decompose_pools, decompose_normalization, decompose_softmax,
    decompose_elementwise,
    fuse_slice_stack, fold_flatten, explicit_broadcast, split_reshapes, split_moves,
    lower_to_buda, splice_columns, keep_names, keep_intermediates, data_formats, fp16_quantizers_pass, mixed_precision, fuse_bias, fuse_relu, fuse_gelu, widen_outputs, stream_slices, split_products, even_splices, insert_nops, fuse_ops, order_ops;

std::span<const Pass* const> all_passes() {
    static constexpr std::array table{
        &reroll_loops, &fold_constants, &erase_unused, &merge_moves, &sink_moves, &fold_scales, &fold_batch_norm, &integer_gemm, &flatten_rows,
        &recognize_gelu, &recognize_norms, &recognize_softmax, &recognize_masked,
        &mark_host, &host_windows, &split_wide_products, &host_moves, &cut_host_part,
        &decompose_indexing, &decompose_convolution, &decompose_pools, &decompose_normalization, &decompose_softmax,
        &decompose_elementwise,
        &fuse_slice_stack, &fold_flatten, &explicit_broadcast, &split_reshapes, &split_moves,
        &lower_to_buda, &splice_columns, &keep_names, &keep_intermediates, &data_formats, &fp16_quantizers_pass, &mixed_precision, &keep_states, &fuse_bias, &fuse_relu, &fuse_gelu, &widen_outputs, &stream_slices, &split_products, &even_splices, &insert_nops, &fuse_ops, &order_ops,
    };
    return table;
}

const Pass* find_pass(std::string_view name) {
    const auto passes = all_passes();
    const auto it = std::find_if(passes.begin(), passes.end(), [&](const Pass* p) { return p->name == name; });
    return it == passes.end() ? nullptr : *it;
}

std::span<const Pipeline> all_pipelines() {
    static const std::vector<Pipeline> table{
        {"decompose",
         "model ops to core ops",
         {"fold-constants", "recognize-gelu", "recognize-norms", "recognize-softmax", "recognize-masked", "fold-batch-norm", "integer-gemm",
          "decompose-indexing", "decompose-convolution", "decompose-pools", "decompose-normalization",
          "decompose-softmax", "decompose-elementwise",
          "fold-constants", "fold-scales", "flatten-rows", "merge-moves", "sink-moves", "merge-moves", "erase-unused"}},
        {"default",
         "everything ttsim compile does before placing",
         {"reroll-loops", "fold-constants", "recognize-gelu", "recognize-norms", "recognize-softmax", "recognize-masked", "fold-batch-norm", "integer-gemm", "mark-host", "host-windows", "cut-host",
          "decompose-indexing", "decompose-convolution", "decompose-pools", "decompose-normalization",
          "decompose-softmax", "decompose-elementwise",
          "fold-constants", "fold-scales", "flatten-rows", "merge-moves", "sink-moves", "merge-moves", "split-wide-products", "host-moves", "cut-host",
          "fuse-slice-stack", "fold-flatten", "explicit-broadcast", "split-reshapes", "split-moves", "erase-unused",
          "lower-to-buda", "splice-columns", "keep-names", "keep-intermediates", "fuse-bias", "fuse-relu", "widen-outputs", "stream-slices", "fuse-bias", "fuse-relu", "data-formats", "fp16-quantizers", "mixed-precision", "keep-states", "fuse-gelu", "split-products", "even-splices", "insert-nops", "fuse-ops", "order-ops"}},
    };
    return table;
}
// clang-format on

}  // namespace ttsim::impl::ir
