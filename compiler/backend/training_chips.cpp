#include "compiler/backend/training_chips.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "compiler/ir/netlist_name.hpp"
#include "compiler/ir/training.hpp"

namespace ttsim::impl::ir {

namespace {

/// Cycles of all cores for an execute, on the grid that needs least.
double work_of(const OpChoices& op) {
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& c : op.choice.fitting)
        least = std::min(least, c.cycles * static_cast<double>(c.blocking.cores()));
    return op.choice.fitting.empty() ? 0 : least * static_cast<double>(op.inputs);
}

const std::string& origin_of(const Node& node) { return node.origin.empty() ? node.name : node.origin; }

/// "bw_in0_NAME" -> "NAME": the forward node that autograd made a backward op from.
std::string forward_name(const std::string& origin) {
    constexpr std::string_view mark = "bw_in";
    if (!origin.starts_with(mark)) return origin;
    const std::size_t end = origin.find_first_not_of("0123456789", mark.size());
    return end == std::string::npos || origin[end] != '_' ? origin : origin.substr(end + 1);
}

class Assignment {
public:
    Assignment(std::vector<OpChoices>& ops, const Graph& graph, std::int64_t chips)
        : ops_(ops), graph_(graph), chips_(chips) {}

    void run() {
        find_positions();
        cut();
        for (OpChoices& op : ops_) {
            const Node& node = graph_.nodes[op.node];
            if (node.phase == Phase::Forward) place(op, chip_at(positions_.at(op.node)));
        }
        name_states();
        for (OpChoices& op : ops_) {
            const Node& node = graph_.nodes[op.node];
            if (node.phase == Phase::Backward) place(op, chip_at(positions_.at(op.node)));
            if (node.phase == Phase::Optimizer) place(op, chip_of_operands(node));
        }
        place_gradients();
        sort();
    }

private:
    /// Positions of ops in the forward program; a backward op has that of its forward op.
    void find_positions() {
        std::map<std::string, std::size_t> by_name;  // last op of each forward node
        std::size_t position = 0;
        for (const OpChoices& op : ops_) {
            const Node& node = graph_.nodes[op.node];
            if (node.phase == Phase::Forward) {
                by_name[netlist_name(origin_of(node))] = position;
                positions_[op.node] = position++;
            } else if (node.phase == Phase::Backward) {
                positions_[op.node] = backward_position(node, by_name, position);
            }
        }
        work_.resize(std::max<std::size_t>(position, 1));
        for (const OpChoices& op : ops_)
            if (const auto at = positions_.find(op.node); at != positions_.end()) work_[at->second] += work_of(op);
    }

    /// Nodes are named after their origins; the longest of the origins that the name begins with is its own.
    std::size_t backward_position(const Node& node, const std::map<std::string, std::size_t>& by_name,
                                  std::size_t count) const {
        const std::string name = netlist_name(forward_name(origin_of(node)));
        for (std::size_t length = name.size(); length > 0; length = name.rfind('_', length - 1)) {
            if (length == std::string::npos) break;
            if (const auto found = by_name.find(name.substr(0, length)); found != by_name.end()) return found->second;
        }
        std::size_t earliest = count == 0 ? 0 : count - 1;
        for (const Edge& edge : node.inputs)
            if (const auto at = positions_.find(edge.value); at != positions_.end())
                earliest = std::min(earliest, at->second);
        return earliest;
    }

    void cut() {
        double all = 0;
        for (const double work : work_) all += work;
        double before = 0;
        for (const double work : work_) {
            const double middle = all > 0 ? (before + work / 2) / all : 0;
            chips_at_.push_back(std::min(chips_ - 1, static_cast<std::int64_t>(middle * static_cast<double>(chips_))));
            before += work;
        }
    }
    std::int64_t chip_at(std::size_t position) const { return chips_at_[position]; }

    /// Readers of a parameter are on its chip.
    void place(OpChoices& op, std::int64_t chip) {
        const Node& node = graph_.nodes[op.node];
        std::optional<std::int64_t> own;
        for (const Edge& edge : node.inputs) {
            const auto known = stored_on_.find(edge.value);
            if (known == stored_on_.end()) continue;
            if (own && *own != known->second)
                fail_unsupported(node.loc,
                                 "'{}' reads parameters of two chips; train on one chip, or freeze one of them "
                                 "(--freeze)",
                                 origin_of(node));
            own = known->second;
        }
        op.training_chip = own.value_or(chip);
        chip_of_[op.node] = *op.training_chip;
        for (const Edge& edge : node.inputs)
            if (graph_.nodes[edge.value].is_parameter()) stored_on_.emplace(edge.value, *op.training_chip);
    }

    /// The optimizer's inputs of each parameter are on the parameter's chip.
    void name_states() {
        std::map<std::string, std::int64_t> chip_of_name;
        for (const auto& [id, chip] : stored_on_) {
            const std::string& parameter = graph_.nodes[id].origin;
            chip_of_name[parameter] = chip;
            for (const std::string& state : states_of(parameter)) chip_of_name[state] = chip;
        }
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!node.is_input()) continue;
            auto found = chip_of_name.find(node.get(attr::state));
            if (found == chip_of_name.end()) found = chip_of_name.find(node.origin);
            const bool stored = node.is_parameter() || node.has(attr::state);
            if (stored && found != chip_of_name.end()) stored_on_.emplace(id, found->second);
        }
        gradients_ = std::move(chip_of_name);
    }

    std::int64_t chip_of_operands(const Node& node) const {
        for (const Edge& edge : node.inputs)
            if (const auto known = chip_of_.find(edge.value); known != chip_of_.end()) return known->second;
        return 0;
    }

    /// An op that sums a gradient is where the optimizer reads it.
    void place_gradients() {
        std::map<ValueId, std::int64_t> wanted;
        for (const Output& output : graph_.outputs)
            if (const auto found = gradients_.find(output.name); found != gradients_.end())
                wanted[output.value] = found->second;
        for (OpChoices& op : ops_)
            if (const auto found = wanted.find(op.node); found != wanted.end())
                op.training_chip = chip_of_[op.node] = found->second;
    }

    /// Forward and optimizer programs go up the chips, the backward program down.
    void sort() {
        std::map<ValueId, std::pair<std::int64_t, std::int64_t>> keys;
        for (const OpChoices& op : ops_) {
            const bool down = graph_.nodes[op.node].phase == Phase::Backward;
            std::int64_t own = down ? -*op.training_chip : *op.training_chip;
            for (const Edge& edge : graph_.nodes[op.node].inputs)
                if (const auto from = keys.find(edge.value); from != keys.end() && from->second.first == op.part)
                    own = std::max(own, from->second.second);
            keys[op.node] = {op.part, own};
        }
        std::stable_sort(ops_.begin(), ops_.end(),
                         [&](const OpChoices& a, const OpChoices& b) { return keys.at(a.node) < keys.at(b.node); });
    }

    std::vector<OpChoices>& ops_;
    const Graph& graph_;
    std::int64_t chips_;
    std::map<ValueId, std::size_t> positions_;
    std::vector<double> work_;            // by position
    std::vector<std::int64_t> chips_at_;  // by position
    std::map<ValueId, std::int64_t> chip_of_, stored_on_;
    std::map<std::string, std::int64_t> gradients_;  // by output
};

}  // namespace

void assign_training_chips(std::vector<OpChoices>& ops, const Graph& graph, std::int64_t chips) {
    Assignment(ops, graph, chips).run();
}

}  // namespace ttsim::impl::ir
