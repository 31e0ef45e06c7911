// recompute: the backward program computes forward values again (TrainingRequest::recompute). The forward program then
// saves none of them but checkpoints: only inputs and parameters pass from one to the other.
//
//   before   %a = buda.exp %x
//            %g = buda.multiply %loss, %a for backward
//
//   after    %a = buda.exp %x
//            %a_recompute = buda.exp %x for backward
//            %g = buda.multiply %loss, %a_recompute for backward
//
// Checkpoints are saved nevertheless, and read instead of copied: ops that a pattern of TrainingRequest::checkpoints
// names, and as many values as TrainingRequest::saved_limit has room for. Of these, the ones stay that need most work
// for each byte.
//
// It runs on ops of the device after fusion, so that a copy computes the bits of its original. A copy is placed before
// its first reader.
#include <algorithm>
#include <optional>
#include <set>

#include "base/name_pattern.hpp"
#include "base/text.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

namespace {

/// Forward values that are saved.
class Checkpoints {
public:
    Checkpoints(const Graph& graph, const PassOptions& options)
        : graph_(graph), entries_(options.saved_entries), request_(*options.training) {
        find_named();
        if (request_.saved_limit > 0) keep_costly();
    }

    bool contains(ValueId id) const { return kept_.contains(id); }
    /// Forward values that the backward program can read from memory or compute again.
    static bool is_forward(const Node& node) {
        return node.phase == Phase::Forward && !node.is_input() && !node.is_constant();
    }

private:
    void find_named() {
        for (const std::string& text : request_.checkpoints) {
            const NamePattern pattern(text, {});
            bool any = false;
            for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
                const Node& node = graph_.nodes[id];
                if (!is_forward(node) || !(pattern.matches(node.name) || pattern.matches(node.origin))) continue;
                kept_.insert(id);
                any = true;
            }
            if (any) continue;
            std::vector<std::string> names;
            for (const Node& node : graph_.nodes)
                if (is_forward(node)) names.push_back(node.name);
            fail_input({}, "no forward op matches the checkpoint '{}'{}", text, did_you_mean(text, names));
        }
    }

    /// Begins with all values that backward ops read, and gives up those whose bytes cost the least work.
    void keep_costly() {
        const std::set<ValueId> named = kept_;
        for (const Node& node : graph_.nodes)
            for (const Edge& edge : node.inputs)
                if (node.phase == Phase::Backward && is_forward(graph_.nodes[edge.value])) kept_.insert(edge.value);
        std::int64_t bytes = 0;
        for (const ValueId id : kept_) bytes += bytes_of(id);
        std::set<ValueId> copied;
        while (bytes > request_.saved_limit) {
            std::optional<ValueId> cheapest;
            double least = 0;
            for (const ValueId id : kept_) {
                if (named.contains(id)) continue;
                double work = 0;
                for (const ValueId again : copies_for(id, copied)) work += work_of(again);
                const double by_byte = work / static_cast<double>(bytes_of(id));
                if (cheapest && by_byte >= least) continue;
                cheapest = id;
                least = by_byte;
            }
            if (!cheapest) return;
            copied.merge(copies_for(*cheapest, copied));
            kept_.erase(*cheapest);
            bytes -= bytes_of(*cheapest);
        }
    }

    /// The ops that must be copied if `id` is not saved, besides `copied`.
    std::set<ValueId> copies_for(ValueId id, const std::set<ValueId>& copied) const {
        std::set<ValueId> found{id};
        std::vector<ValueId> open{id};
        while (!open.empty()) {
            const Node& node = graph_.nodes[open.back()];
            open.pop_back();
            for (const Edge& edge : node.inputs)
                if (is_forward(graph_.nodes[edge.value]) && !kept_.contains(edge.value) &&
                    !copied.contains(edge.value) && found.insert(edge.value).second)
                    open.push_back(edge.value);
        }
        return found;
    }

    /// DRAM of a value: an entry for each input of a step.
    std::int64_t bytes_of(ValueId id) const {
        const Type& type = graph_.nodes[id].type;
        return count(type.dims) * tile_bytes(type.format.value_or(DataFormat::Float16_b), TileDim{}) * entries_;
    }
    /// Operations on tiles, for an input.
    double work_of(ValueId id) const {
        const Node& node = graph_.nodes[id];
        const bool product = node.op == op::buda::matmul;
        const std::int64_t inner = product ? graph_.type(node.inputs.front().value).dims.back() : 1;
        return static_cast<double>(count(node.type.dims) * inner);
    }

    const Graph& graph_;
    std::int64_t entries_;
    const TrainingRequest& request_;
    std::set<ValueId> kept_;
};

class Recompute {
public:
    Recompute(const Graph& graph, const PassOptions& options)
        : graph_(graph), checkpoints_(graph, options), result_(graph.next()), build_(result_) {}

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
        return Checkpoints::is_forward(graph_.nodes[id]) && !checkpoints_.contains(id);
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
    const Checkpoints checkpoints_;
    Graph result_;
    Builder build_;
    std::vector<ValueId> moved_;         // in the result, of each node
    std::map<ValueId, ValueId> copies_;  // in the result, of forward ops
};

void run_recompute(Graph& graph, const PassOptions& options) {
    if (options.training && options.training->recompute) graph = Recompute(graph, options).run();
}

}  // namespace

extern const Pass recompute;
const Pass recompute{.name = "recompute",
                     .summary = "compute forward values again in the backward program instead of saving them",
                     .run = run_recompute};

}  // namespace ttsim::impl::ir
