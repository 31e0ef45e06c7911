#include "compiler/options/pass_options.hpp"

namespace ttsim::impl::ir {

PassOptions pass_options(const CompileOptions& options) {
    PassOptions made;
    made.default_df = options.default_df;
    made.stable_softmax = options.stable_softmax;
    made.host_fallback = options.host_fallback;
    made.accumulate_df = options.accumulate_df;
    made.rules = options.rules;
    made.auto_fusing = options.auto_fusing;
    made.t_streaming = options.t_streaming;
    made.overrides = options.overrides;
    made.conv_fracture = options.conv_fracture.value_or(1);
    made.prestride = options.prestride;
    made.fuse_gelu = options.fuse_gelu;
    made.loops = options.loops;
    made.intermediates = options.intermediates;
    made.keep_names = options.keep_names;
    made.threads = options.threads;
    made.wide_results = options.wide_results;
    made.fp16_quantizers = options.fp16_quantizers;
    made.device_comparisons = options.device_comparisons;
    made.training = options.training ? &*options.training : nullptr;
    made.saved_entries = options.microbatch * options.emit.microbatch_count;
    return made;
}

}  // namespace ttsim::impl::ir
