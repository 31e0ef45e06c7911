#include "compiler/model/host_fallback.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/host/host_value.hpp"

namespace ttsim::impl::ir {

static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

static void add(std::vector<HostFallbackOps>& given, const std::string& why, std::string op) {
    auto found = std::find_if(given.begin(), given.end(), [&](const HostFallbackOps& g) { return g.why == why; });
    if (found == given.end()) found = given.insert(given.end(), {why, {}});
    if (std::find(found->ops.begin(), found->ops.end(), op) == found->ops.end()) found->ops.push_back(std::move(op));
}

/// A refused op that the host can compute, of at most `most_work` multiply-adds.
static bool is_host_candidate(const Graph& model, const Node& node, const LegalizationError& refusal,
                              double most_work) {
    const auto& origins = refusal.origins();
    if (node.origin.empty() || std::find(origins.begin(), origins.end(), node.origin) == origins.end()) return false;
    if (node.is_input() || node.is_constant() || node.has(attr::host) || !has_host_value(node)) return false;
    std::vector<Type> in;
    for (const Edge& edge : node.inputs) in.push_back(model.type(edge.value));
    return host_work(node, in) <= most_work;
}

bool can_move_to_host(const Graph& model, const LegalizationError& refusal, double most_work) {
    return std::any_of(model.nodes.begin(), model.nodes.end(),
                       [&](const Node& node) { return is_host_candidate(model, node, refusal, most_work); });
}

bool move_to_host(Graph& model, const LegalizationError& refusal, double most_work,
                  std::vector<HostFallbackOps>& given) {
    bool any = false;
    for (Node& node : model.nodes) {
        if (!is_host_candidate(model, node, refusal, most_work)) continue;
        node.set(attr::host, true);
        add(given, first_line(refusal.reason(node.origin).message()), fmt::format("'{}' ({})", node.origin, node.op));
        any = true;
    }
    return any;
}

std::vector<std::string> lines_of(const std::vector<HostFallbackOps>& given) {
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

}  // namespace ttsim::impl::ir
