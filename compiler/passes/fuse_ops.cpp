// fuse-ops: a chain of elementwise ops becomes one op, whose values stay in Dst or an intermediate buffer
//
//   %a = buda.add %x, %y                          and nothing else reads %a, %b
//   %b = buda.sqrt %a                       ->    %c = buda.fused_op %x, %y {program = "add in0 in1; sqrt d; reciprocal
//   d"} %c = buda.reciprocal %b
//
// In a program inN is an operand and d the result before. Results of a chain have one format and one set of format
// attributes. A chain ends where the sum of its work would keep a core too long: ops work at the same time otherwise.
// An op that the user says something of keeps its name, as the last of its chain; where an epoch or a chip begins with
// it or an operand of it goes through DRAM it is none. An override `fuse: false` keeps an op out of chains, as "apart"
// does a nop that a user wants; `fuse: true` lets it join neighbours of the same kind whatever the work, also without
// auto fusing.
#include <algorithm>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/ops/device.hpp"

namespace ttsim::impl::ir {

namespace {

/// Clocks per tile in a chain; 0: it is never part of one.
double chain_work(const Node& node) {
    const OpDef* def = device_def(node.op);
    return def ? def->chain_work : 0;
}

/// Tiles of one core on the widest grid of up to 8 x 8.
double share(const Dims& dims) {
    const auto part = [](std::int64_t n) {
        constexpr std::int64_t most = 8;
        std::int64_t best = 1;
        for (std::int64_t d = 2; d <= most; ++d)
            if (n % d == 0) best = d;
        return n / best;
    };
    return static_cast<double>(dims[0] * part(dims[1]) * part(dims[2]));
}

struct Chain {
    std::string program;
    std::vector<Edge> inputs;
    double work = 0;
    std::size_t ops = 0;
    bool wanted = true;  ///< by overrides, every op of it
};

Attrs formats_of(const Node& node) {
    Attrs attrs;
    for (const char* key : {"acc_df", "intermed_df", "fidelity"})
        if (const auto it = node.attrs.find(key); it != node.attrs.end()) attrs.insert(*it);
    return attrs;
}

class Fuser {
public:
    Fuser(Graph& graph, const PassOptions& options)
        : graph_(graph), options_(options), uses_(graph.use_counts()), chains_(graph.nodes.size()) {
        for (const auto& [_, user] : options.overrides) first_.insert(user.after.begin(), user.after.end());
    }

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (chain_work(graph_.nodes[id]) > 0 && plain(graph_.nodes[id]) &&
                said(graph_.nodes[id]).value_or(options_.auto_fusing))
                extend(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (chains_[id].ops < 2 || absorbed_.count(id)) continue;
            node.op = "buda.fused_op";
            node.inputs = chains_[id].inputs;
            node.attrs = formats_of(node);
            node.attrs["program"] = chains_[id].program;
        }
        graph_.erase_unused();
    }

private:
    const OpOverride* user(const Node& node) const {
        const auto found = options_.overrides.find(node.name);
        return found == options_.overrides.end() ? nullptr : &found->second;
    }
    std::optional<bool> said(const Node& node) const {
        const OpOverride* said = user(node);
        if (said && (said->begins_epoch() || !said->queued.empty())) return false;
        return said ? said->fuse : std::nullopt;
    }
    bool keeps_name(const Node& node) const {
        return (user(node) && user(node)->places()) || first_.count(node.name) != 0;
    }
    bool wanted(const Node& node) const { return said(node).value_or(false); }

    /// Nothing but formats is set, and the operands are values of one exponent family; ops of integers stay apart.
    bool plain(const Node& node) const {
        if (is_integer(*node.type.format)) return false;
        if (node.attrs.size() != formats_of(node).size()) return false;
        for (const Edge& edge : node.inputs)
            if (info(*graph_.type(edge.value).format).family != info(*node.type.format).family) return false;
        return true;
    }

    /// Operand k may come from within: nothing else reads it.
    bool joins(const Node& node, std::size_t k) const {
        const Edge& edge = node.inputs[k];
        const Node& before = graph_.nodes[edge.value];
        const Chain& chain = chains_[edge.value];
        constexpr double most_work = 12;
        constexpr std::size_t most_inputs = 8;
        return chain.ops > 0 && !keeps_name(before) && uses_[edge.value] == 1 && edge.tms.empty() &&
               before.type.format == node.type.format && formats_of(before) == formats_of(node) && !iterations(node) &&
               chain.inputs.size() + node.inputs.size() - 1 <= most_inputs &&
               ((chain.wanted && wanted(node)) || chain.work + chain_work(node) * share(node.type.dims) <= most_work);
    }
    static bool iterations(const Node& node) {
        for (const Edge& edge : node.inputs)
            for (const Tm& tm : edge.tms)
                if (tm.kind == Tm::Kind::Transpose) return true;
        return false;
    }

    void extend(ValueId id) {
        const Node& node = graph_.nodes[id];
        std::optional<std::size_t> from;
        for (std::size_t k = 0; k < node.inputs.size() && !from; ++k)
            if (joins(node, k)) from = k;
        if (!from && iterations(node)) return;
        Chain chain = from ? chains_[node.inputs[*from].value] : Chain{};
        chain.program += (from ? "; " : "") + node.op.substr(std::string_view("buda.").size());
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            if (from == k) {
                chain.program += " d";
                continue;
            }
            chain.program += fmt::format(" in{}", chain.inputs.size());
            chain.inputs.push_back(node.inputs[k]);
        }
        chain.work += chain_work(node) * share(node.type.dims);
        ++chain.ops;
        chain.wanted = chain.wanted && wanted(node);
        if (from) absorbed_.insert(node.inputs[*from].value);
        chains_[id] = std::move(chain);
    }

    Graph& graph_;
    const PassOptions& options_;
    std::vector<std::size_t> uses_;
    std::vector<Chain> chains_;  // that end with a node
    std::set<ValueId> absorbed_;
    std::set<std::string> first_;  // that others come after
};

void run_fuse_ops(Graph& graph, const PassOptions& options) {
    const auto any_wanted = [&] {
        return std::any_of(options.overrides.begin(), options.overrides.end(),
                           [](const auto& one) { return one.second.fuse.value_or(false); });
    };
    if (options.auto_fusing || any_wanted()) Fuser(graph, options).run();
    for (Node& node : graph.nodes) node.attrs.erase("apart");
}

}  // namespace

extern const Pass fuse_ops;
const Pass fuse_ops{.name = "fuse-ops", .summary = "chains of elementwise ops as one op", .run = run_fuse_ops};

}  // namespace ttsim::impl::ir
