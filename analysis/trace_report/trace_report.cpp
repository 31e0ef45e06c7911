#include "analysis/trace_report/trace_report.hpp"

namespace ttsim::impl::report {

TraceReport epochs_report(trace::Reader& trace) { return {trace.run(), trace::epochs(trace), {}, {}, {}, {}}; }

TraceReport epoch_report(trace::Reader& trace, std::int64_t epoch) {
    const trace::EpochOps found = trace::epoch_with_ops(trace, epoch);
    return {trace.run(), {}, found.epoch, *found.ops, trace::output_streaming_waits(trace, epoch), {}};
}

TraceReport resources_report(trace::Reader& trace) { return {trace.run(), {}, {}, {}, {}, trace::resources(trace)}; }

}  // namespace ttsim::impl::report
