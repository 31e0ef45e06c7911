#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/report/model_report.hpp"
#include "base/figures.hpp"
#include "base/json_text.hpp"
#include "netlist/files/manifest.hpp"

namespace ttsim::impl::report {

using Json = nlohmann::ordered_json;

double ModelReport::host_time_share() const {
    if (device.cycles == 0) return 0;
    const double chips = device.all_on_host ? 0 : milliseconds_of(device.cycles, device.clock_mhz) / 1000;
    return share_of(model.host_seconds, model.host_seconds + chips);
}

std::string json(const ModelReport& report) {
    Json all = Json::parse(json(report.device));
    Json outputs = Json::array();
    for (const ir::ModelOutput& output : report.model.outputs) {
        Json item{{"name", output.name},
                  {"dtype", std::string(ir::to_string(output.value.dtype()))},
                  {"dims", output.value.dims()},
                  {"file", npy_name(output.name)}};
        const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
        if (output.expected) {
            item["pcc"] = output.expected->pcc;
            item["max_error"] = number(output.expected->max_error);
            item["pass"] = output.expected->pass;
        }
        if (output.reference)
            item["reference"] = {{"pcc", output.reference->pcc},
                                 {"max_error", number(output.reference->max_error)},
                                 {"pass", output.reference->pass}};
        outputs.push_back(std::move(item));
    }
    const ir::MultiplyAdds& adds = report.model.multiply_adds;
    const double work = adds.host + adds.device;
    const bool timed = report.device.cycles > 0;
    all["model"] = {{"samples", report.model.samples},
                    {"host_steps", report.model.steps},
                    {"host_seconds", report.model.host_seconds},
                    {"host_time_share", timed ? Json(report.host_time_share()) : Json(nullptr)},
                    {"host_multiply_add_share", work > 0 ? Json(share_of(adds.host, work)) : Json(nullptr)},
                    {"notes", report.model.notes},
                    {"outputs", outputs}};
    return json_document(all);
}

}  // namespace ttsim::impl::report
