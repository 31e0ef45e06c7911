#include "compiler/host_fallback.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/host/host_value.hpp"

namespace tt::ir {

static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

static void add(std::vector<GivenToHost>& given, const std::string& why, std::string op) {
    auto found = std::find_if(given.begin(), given.end(), [&](const GivenToHost& g) { return g.why == why; });
    if (found == given.end()) found = given.insert(given.end(), {why, {}});
    if (std::find(found->ops.begin(), found->ops.end(), op) == found->ops.end()) found->ops.push_back(std::move(op));
}

bool give_to_host(Graph& model, const NoDeviceForm& refusal, double most_work, std::vector<GivenToHost>& given) {
    bool any = false;
    for (Node& node : model.nodes) {
        const auto& origins = refusal.origins();
        if (node.origin.empty() || std::find(origins.begin(), origins.end(), node.origin) == origins.end()) continue;
        if (node.is_input() || node.is_constant() || node.has("host") || !has_host_value(node)) continue;
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(model.type(edge.value));
        if (host_work(node, in) > most_work) continue;
        node.attrs["host"] = std::int64_t{1};
        add(given, first_line(refusal.reason(node.origin).message()), fmt::format("'{}' ({})", node.origin, node.op));
        any = true;
    }
    return any;
}

std::vector<std::string> lines_of(const std::vector<GivenToHost>& given) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> lines;
    for (const auto& [why, ops] : given) {
        const std::size_t named = ops.size() > most_named + 1 ? most_named : ops.size();
        std::string names =
            fmt::format("{}", fmt::join(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(named), ", "));
        if (named < ops.size()) names += fmt::format(" and {} more", ops.size() - named);
        lines.push_back(ops.size() == 1 ? fmt::format("{} runs on the host; the device refused it: {}", names, why)
                                        : fmt::format("{} run on the host; the device refused them: {}", names, why));
    }
    return lines;
}

}  // namespace tt::ir
