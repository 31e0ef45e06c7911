#include <cmath>
#include <nlohmann/json.hpp>

#include "netlist/manifest.hpp"
#include "report/model_report.hpp"

namespace tt::report {

using Json = nlohmann::ordered_json;

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
    all["model"] = {{"samples", report.model.samples},
                    {"host_steps", report.model.steps},
                    {"notes", report.model.notes},
                    {"outputs", outputs}};
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tt::report
