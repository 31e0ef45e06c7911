#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/report/model_report.hpp"
#include "analysis/report/table.hpp"
#include "base/figures.hpp"

namespace ttsim::impl::report {

namespace {

/// The host's part of the work, and its time.
std::string host_line(const ModelReport& report) {
    const ir::MultiplyAdds& work = report.model.multiply_adds;
    std::string out = "on the host: ";
    if (work.host + work.device > 0)
        out += fmt::format("{} of the multiply-adds, ", percent(share_of(work.host, work.host + work.device)));
    if (report.device.cycles > 0) out += fmt::format("{} of the time, ", percent(report.host_time_share()));
    return out + fmt::format("{:.3g} ms measured\n", 1000 * report.model.host_seconds);
}

std::string output_text(const ir::ModelOutput& output) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::string first;
    for (std::int64_t i = 0; i < output.value.size(); ++i) {
        low = std::min(low, output.value.at(i));
        high = std::max(high, output.value.at(i));
        if (i < 4) first += fmt::format("{}{:.6g}", i ? ", " : "", output.value.at(i));
    }
    std::string text = fmt::format("output '{}' {}: {}{} in {:.6g}..{:.6g}\n", output.name,
                                   ir::to_string(ir::Type{output.value.dtype(), output.value.dims(), {}}), first,
                                   output.value.size() > 4 ? ", ..." : "", low, high);
    const char* measure = ir::is_float(output.value.dtype()) ? "pcc" : "fraction equal";
    const auto add = [&](const std::optional<ir::Agreement>& found, const char* with) {
        if (found)
            text += fmt::format("  {}{} {:.6f}, largest difference {:.6g}: {}\n", with, measure, found->pcc,
                                found->max_error,
                                found->pass ? "pass" : fmt::format("mismatch, {} required (--pcc)", found->least));
    };
    add(output.expected, "");
    add(output.reference, "against the model in float32: ");
    if (!output.file.empty()) text += fmt::format("  written to {}\n", output.file);
    return text;
}

}  // namespace

std::string text(const ModelReport& report, std::optional<std::size_t> width) {
    const ir::ModelRunReport& model = report.model;
    std::string out = text(report.device, width);
    out += fmt::format("\nmodel: {} sample{}\n", model.samples, model.samples == 1 ? "" : "s");
    out += host_line(report);
    for (const std::string& step : model.steps) out += "host: " + step + "\n";
    for (const std::string& note : model.notes) out += "note: " + note + "\n";
    for (const ir::ModelOutput& output : model.outputs) out += output_text(output);
    for (const std::string& note : model.notes) out += "note: " + note + "\n";
    if (!model.pass()) out += "verdict of the model: mismatch\n";
    return out;
}

}  // namespace ttsim::impl::report
