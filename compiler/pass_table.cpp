#include <algorithm>
#include <array>

#include "compiler/pass.hpp"

namespace tt::ir {

// One name per pass; its file has the rest.
extern const Pass fold_constants, erase_unused, merge_moves, decompose_elementwise, decompose_softmax,
    decompose_normalization, decompose_pools, decompose_convolution, explicit_broadcast, fuse_slice_stack, split_moves,
    lower_to_buda, fuse_relu, mark_host, cut_host_part, decompose_indexing, sink_moves, host_moves, host_windows,
    stream_slices, fuse_bias;

std::span<const Pass* const> all_passes() {
    static constexpr std::array table{
        &fold_constants,    &erase_unused,
        &merge_moves,       &decompose_convolution,
        &decompose_pools,   &decompose_normalization,
        &decompose_softmax, &decompose_elementwise,
        &fuse_slice_stack,  &explicit_broadcast,
        &split_moves,       &lower_to_buda,
        &fuse_relu,         &mark_host,
        &cut_host_part,     &decompose_indexing,
        &sink_moves,        &host_moves,
        &host_windows,      &stream_slices,
        &fuse_bias,
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
         {"fold-constants", "decompose-indexing", "decompose-convolution", "decompose-pools", "decompose-normalization",
          "decompose-softmax", "decompose-elementwise", "fold-constants", "merge-moves", "sink-moves", "merge-moves",
          "erase-unused"}},
        {"default",
         "everything ttsim compile does before placing",
         {"fold-constants", "mark-host", "host-windows", "decompose-indexing", "decompose-convolution",
          "decompose-pools", "decompose-normalization", "decompose-softmax", "decompose-elementwise", "fold-constants",
          "merge-moves", "sink-moves", "merge-moves", "host-moves", "cut-host", "fuse-slice-stack",
          "explicit-broadcast", "split-moves", "erase-unused", "lower-to-buda", "fuse-bias", "fuse-relu", "stream-slices"}},
    };
    return table;
}

}  // namespace tt::ir
