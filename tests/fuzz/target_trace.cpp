// Traces: a whole one of a small run, damaged as the bytes say (trace_damage.hpp), then analysed and exported.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/exports/perfetto.hpp"
#include "analysis/trace/analysis.hpp"
#include "analysis/trace/perf_resources.hpp"
#include "analysis/trace/perf_rows.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_damage.hpp"
#include "tests/trace/small_trace.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::fuzz {

namespace {

const std::string& whole_trace() {
    static const std::string bytes = [] {
        std::ifstream in(test::small_trace("whole.ttperf"), std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    }();
    return bytes;
}

void read_all(const std::string& file) {
    trace::Reader reader(file);
    for (const trace::EpochUse& epoch : trace::epochs(reader)) (void)trace::ops(reader, epoch.id);
    (void)trace::resources(reader);
    const trace::PerfData data = trace::read_perf_data(reader);
    for (const trace::Stage& stage : trace::stages(data, false)) (void)trace::stage_row(data, stage);
    for (const trace::EpochUse& epoch : data.epochs) (void)trace::epoch_resources(data, epoch.id);
    std::string text;
    bool cut = false;
    trace::export_perfetto(reader, {}, [&](std::string_view piece) {
        if (text.size() < 1 << 24)
            text += piece;
        else
            cut = true;
    });
    TT_CHECK(cut || nlohmann::json::accept(text), "the export is JSON");
}

}  // namespace

void trace(const std::string& bytes) {
    const std::string file = damaged_trace(whole_trace(), bytes);
    answer([&] { read_all(file); });
}

}  // namespace ttsim::impl::fuzz
