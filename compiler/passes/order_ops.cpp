// order-ops: moves ops after those that overrides require before them ("after"); others keep their order.
#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

namespace {

class Order {
public:
    Order(const Graph& graph, const Overrides& overrides) : graph_(graph), states_(graph.nodes.size()) {
        std::map<std::string, ValueId> ids;
        for (ValueId id = 0; id < graph.nodes.size(); ++id) ids.emplace(graph.nodes[id].name, id);
        for (const auto& [name, user] : overrides)
            for (const std::string& before : user.after)
                if (ids.contains(name) && ids.contains(before)) earlier_[ids[name]].push_back(ids[before]);
    }
    bool any() const { return !earlier_.empty(); }

    std::vector<ValueId> all() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) visit(id);
        return std::move(order_);
    }

private:
    enum class State : std::uint8_t { New, Open, Done };

    /// Depth first, without recursion, since a model may be one long chain.
    void visit(ValueId root) {
        std::vector<std::pair<ValueId, std::size_t>> stack{{root, 0}};
        while (!stack.empty()) {
            auto& [id, next] = stack.back();
            if (states_[id] == State::Done) {
                stack.pop_back();
                continue;
            }
            states_[id] = State::Open;
            const std::vector<ValueId> before = needed(id);
            if (next == before.size()) {
                states_[id] = State::Done;
                order_.push_back(id);
                stack.pop_back();
                continue;
            }
            const ValueId one = before[next++];
            if (states_[one] == State::Open)
                fail_input({},
                           "the order that overrides require ('after') has a cycle: '{}' needs '{}', which needs it",
                           graph_.nodes[id].name, graph_.nodes[one].name);
            if (states_[one] == State::New) stack.emplace_back(one, 0);
        }
    }

    std::vector<ValueId> needed(ValueId id) const {
        std::vector<ValueId> ids;
        for (const Edge& edge : graph_.nodes[id].inputs) ids.push_back(edge.value);
        if (const auto required = earlier_.find(id); required != earlier_.end())
            ids.insert(ids.end(), required->second.begin(), required->second.end());
        return ids;
    }

    const Graph& graph_;
    std::map<ValueId, std::vector<ValueId>> earlier_;
    std::vector<State> states_;
    std::vector<ValueId> order_;
};

void run_order_ops(Graph& graph, const PassOptions& options) {
    Order order(graph, options.overrides);
    if (!order.any()) return;
    Graph result = graph.next();
    Builder build(result);
    std::vector<ValueId> moved(graph.nodes.size());
    for (const ValueId id : order.all()) {
        std::vector<Edge> inputs = graph.nodes[id].inputs;
        for (Edge& edge : inputs) edge.value = moved[edge.value];
        moved[id] = build.copy(graph.nodes[id], std::move(inputs));
    }
    for (const Output& out : graph.outputs) result.outputs.push_back({out.name, moved[out.value], out.type});
    graph = std::move(result);
}

}  // namespace

extern const Pass order_ops;
const Pass order_ops{.name = "order-ops", .summary = "order ops as overrides require", .run = run_order_ops};

}  // namespace ttsim::impl::ir
