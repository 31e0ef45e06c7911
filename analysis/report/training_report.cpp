#include "analysis/report/training_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/report/table.hpp"

namespace ttsim::impl::report {

std::string training_text(const TrainingUse& use, std::optional<std::size_t> width) {
    Table table({{"step", false}, {"epochs"}, {"cycles"}, {"of step"}, {"util"}, {"math"}});
    const auto add = [&](std::string_view name, const EpochTypeUse& part, double share) {
        table.add({std::string(name), grouped(part.epochs), grouped(part.cycles), percent(share),
                   percent(part.utilization()), percent(part.math_utilization())});
    };
    for (const EpochType type : epoch_types) add(to_string(type), use.of(type), use.step_share(type));
    add("all", use.step(), 1);
    return "\n" + table.text(width) + fmt::format("saved activations: {} bytes\n", grouped(use.saved_bytes));
}

nlohmann::ordered_json training_json(const std::optional<TrainingUse>& use) {
    using Json = nlohmann::ordered_json;
    if (!use) return nullptr;
    Json types = Json::array();
    const auto row = [](std::string_view name, const EpochTypeUse& part, double share) {
        return Json{{"epoch_type", name},
                    {"epochs", part.epochs},
                    {"cycles", part.cycles},
                    {"step_share", share},
                    {"utilization", part.utilization()},
                    {"math_utilization", part.math_utilization()}};
    };
    for (const EpochType type : epoch_types)
        types.push_back(row(to_string(type), use->of(type), use->step_share(type)));
    return {{"types", std::move(types)}, {"step", row("step", use->step(), 1)}, {"saved_bytes", use->saved_bytes}};
}

}  // namespace ttsim::impl::report
