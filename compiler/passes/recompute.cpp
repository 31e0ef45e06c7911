// recompute: the backward program computes forward values again (TrainingRequest::recompute). The forward program then
// saves none of them: only inputs and parameters pass from one to the other.
//
//   before   %a = buda.exp %x
//            %g = buda.multiply %loss, %a for backward
//
//   after    %a = buda.exp %x
//            %a_recompute = buda.exp %x for backward
//            %g = buda.multiply %loss, %a_recompute for backward
//
// It runs on ops of the device after fusion, so that a copy computes the bits of its original. A copy is placed before
// its first reader.
#include <algorithm>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

namespace {

class Recompute {
public:
    explicit Recompute(const Graph& graph) : graph_(graph), result_(graph.next()), build_(result_) {}

    Graph run() {
        for (const Node& node : graph_.nodes) {
            const bool backward = node.phase == Phase::Backward;
            std::vector<Edge> inputs = node.inputs;
            if (backward) copy_forward(node);
            for (Edge& edge : inputs) edge.value = backward ? seen_backward(edge.value) : moved_[edge.value];
            moved_.push_back(build_.copy(node, std::move(inputs)));
        }
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        result_.erase_unused();
        return std::move(result_);
    }

private:
    bool is_recomputed(ValueId id) const {
        const Node& node = graph_.nodes[id];
        return node.phase == Phase::Forward && !node.is_input() && !node.is_constant();
    }
    ValueId seen_backward(ValueId id) const { return is_recomputed(id) ? copies_.at(id) : moved_[id]; }

    /// Copies the forward ops that `reader` depends on, if they have no copy yet.
    void copy_forward(const Node& reader) {
        std::set<ValueId> wanted;
        std::vector<ValueId> open;
        const auto want = [&](const Node& node) {
            for (const Edge& edge : node.inputs)
                if (is_recomputed(edge.value) && !copies_.contains(edge.value) && wanted.insert(edge.value).second)
                    open.push_back(edge.value);
        };
        want(reader);
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            want(graph_.nodes[id]);
        }
        for (const ValueId id : wanted) {
            Node copy = graph_.nodes[id];
            copy.name += recompute_suffix;
            copy.phase = Phase::Backward;
            std::vector<Edge> inputs = copy.inputs;
            for (Edge& edge : inputs) edge.value = seen_backward(edge.value);
            copies_[id] = build_.copy(copy, std::move(inputs));
        }
    }

    const Graph& graph_;
    Graph result_;
    Builder build_;
    std::vector<ValueId> moved_;         // in the result, of each node
    std::map<ValueId, ValueId> copies_;  // in the result, of forward ops
};

void run_recompute(Graph& graph, const PassOptions& options) {
    if (options.training && options.training->recompute) graph = Recompute(graph).run();
}

}  // namespace

extern const Pass recompute;
const Pass recompute{.name = "recompute",
                     .summary = "compute forward values again in the backward program instead of saving them",
                     .run = run_recompute};

}  // namespace ttsim::impl::ir
