#include "isa/uncertainty.hpp"

#include <algorithm>

#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"

namespace ttsim::impl {

namespace {

bool is_kind_of(std::string_view kind, std::string_view type) {
    return kind == type || (kind.starts_with(type) && kind.substr(type.size()).starts_with("_"));
}

/// Applies to the kinds of a type: itself, or those that the table tells apart (reduce_r, reduce_c, reduce_z).
template <class Visit>
bool visit_kinds(const Uncertainty& uncertainty, std::string_view type, Visit visit) {
    if (const auto exact = uncertainty.ops.find(type); exact != uncertainty.ops.end()) {
        visit(exact->second);
        return true;
    }
    bool any = false;
    for (const auto& [kind, error] : uncertainty.ops) {
        if (!is_kind_of(kind, type)) continue;
        visit(error);
        any = true;
    }
    return any;
}

}  // namespace

bool Uncertainty::measured(std::string_view type) const {
    return visit_kinds(*this, type, [](double) {});
}

double Uncertainty::of_op(std::string_view type) const {
    double most = 0;
    return visit_kinds(*this, type, [&](double error) { most = std::max(most, error); }) ? most : unmeasured;
}

double Uncertainty::of_graph(std::string_view type, double busy_share, const std::set<Connection>& by) const {
    const double busy = std::clamp(busy_share, 0.0, 1.0);
    double waiting = waits;
    for (const Connection connection : by)
        if (const auto found = connections.find(connection); found != connections.end())
            waiting = std::max(waiting, found->second);
    return busy * of_op(type) + (1 - busy) * waiting;
}

std::optional<Uncertainty> uncertainty_of(const std::string& chip) {
    YamlMap file = YamlMap::from_file(config_file("uncertainty.yaml"));
    if (!file.has(chip)) return {};
    constexpr double percent = 0.01;
    YamlMap map = file.map(chip), ops = map.map("ops");
    Uncertainty found;
    for (const std::string& kind : ops.keys()) found.ops[kind] = percent * ops.number(kind);
    found.unmeasured = percent * map.number("unmeasured");
    found.waits = percent * map.number("waits");
    YamlMap connections = map.map("connections");
    found.connections = {{Connection::Direct, percent * connections.number("direct")},
                         {Connection::Gather, percent * connections.number("gather")},
                         {Connection::Forked, percent * connections.number("forked")},
                         {Connection::DramRead, percent * connections.number("dram_read")}};
    connections.done();
    map.done();
    return found;
}

}  // namespace ttsim::impl
