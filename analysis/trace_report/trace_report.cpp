#include "analysis/trace_report/trace_report.hpp"

namespace ttsim::impl::report {

TraceReport epochs_report(trace::Reader& trace) { return {trace.run(), trace::epochs(trace), {}, {}, {}, {}}; }

TraceReport epoch_report(trace::Reader& trace, std::int64_t epoch) {
    std::vector<trace::OpUse> ops = trace::ops(trace, epoch);
    return {trace.run(), {}, trace::epoch(trace, epoch), std::move(ops), trace::output_streaming_waits(trace, epoch),
            {}};
}

TraceReport resources_report(trace::Reader& trace) { return {trace.run(), {}, {}, {}, {}, trace::resources(trace)}; }

}  // namespace ttsim::impl::report
