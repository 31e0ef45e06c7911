#include "compiler/host_fallback.hpp"

#include <algorithm>

#include "compiler/host/host_value.hpp"

namespace tt::ir {

/// Multiply-adds of an op that the host takes from a device that has no room for it: half a minute a sample.
static constexpr double most_host_work = 4e9;

static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool give_to_host(Graph& model, const NoDeviceForm& refusal, std::vector<std::string>& notes) {
    bool any = false;
    for (Node& node : model.nodes) {
        const auto& origins = refusal.origins();
        if (node.origin.empty() || std::find(origins.begin(), origins.end(), node.origin) == origins.end()) continue;
        if (node.is_input() || node.is_constant() || node.has("host") || !has_host_value(node)) continue;
        std::vector<Type> in;
        for (const Edge& edge : node.inputs) in.push_back(model.type(edge.value));
        if (host_work(node, in) > most_host_work) continue;
        node.attrs["host"] = std::int64_t{1};
        notes.push_back(fmt::format("'{}' ({}) runs on the host; the device refused it: {}", node.origin, node.op,
                                    first_line(refusal.reason(node.origin).message())));
        any = true;
    }
    return any;
}

}  // namespace tt::ir
