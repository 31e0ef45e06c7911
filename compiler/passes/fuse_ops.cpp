// fuse-ops: fuses a chain of elementwise ops into one op, whose values stay in Dst or an intermediate buffer.
//
//   %a = buda.add %x, %y                          and nothing else reads %a, %b
//   %b = buda.sqrt %a                       ->    %c = buda.fused_op %x, %y
//   %c = buda.reciprocal %b                            {program = "add in0 in1; sqrt d; reciprocal d"}
//
// In a program inN is an operand and d the previous result. All results of a chain have the same format and format
// attributes. The work of a chain is limited, since separate ops run in parallel. An op with a placement override keeps
// its name and is the last of its chain. An op that starts an epoch or a chip, or that has an operand queued in DRAM,
// is not fused. The override `fuse: false`, and the attribute "apart" of inserted nops, exclude an op from chains. Ops
// with `fuse: true` are fused with each other regardless of the work, also without auto_fusing.
#include <algorithm>
#include <set>

#include "compiler/ir/pass.hpp"
#include "compiler/ops/device.hpp"

namespace ttsim::impl::ir {

namespace {

/// Cycles per tile in a chain; 0: the op is never fused.
double chain_cycles(const Node& node) {
    const OpDef* def = device_def(node.op);
    return def ? def->chain_cycles : 0;
}

/// Tiles per core on the largest grid of up to 8 x 8 that divides the dims.
double tiles_per_core(const Dims& dims) {
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
    bool is_requested = true;  ///< overrides request fusion of every op
};

Attrs formats_of(const Node& node) {
    Attrs attrs;
    for (const auto& attribute : {attr::acc_df, attr::intermed_df, attr::fidelity}) copy(attribute, node.attrs, attrs);
    return attrs;
}

class Fuser {
public:
    Fuser(Graph& graph, const PassOptions& options)
        : graph_(graph), options_(options), uses_(graph.use_counts()), chains_(graph.nodes.size()) {
        for (const auto& [_, op] : options.overrides) predecessors_.insert(op.after.begin(), op.after.end());
    }

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (chain_cycles(graph_.nodes[id]) > 0 && is_fusable(graph_.nodes[id]) &&
                fuse_override(graph_.nodes[id]).value_or(options_.auto_fusing))
                extend(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (chains_[id].ops < 2 || absorbed_.count(id)) continue;
            node.op = op::buda::fused_op;
            node.inputs = chains_[id].inputs;
            node.attrs = formats_of(node);
            node.set(attr::program, chains_[id].program);
        }
        graph_.erase_unused();
    }

private:
    const OpOverride* override_of(const Node& node) const {
        const auto found = options_.overrides.find(node.name);
        return found == options_.overrides.end() ? nullptr : &found->second;
    }
    std::optional<bool> fuse_override(const Node& node) const {
        const OpOverride* fuse_override = override_of(node);
        if (fuse_override && (fuse_override->begins_epoch() || !fuse_override->queued.empty())) return false;
        return fuse_override ? fuse_override->fuse : std::nullopt;
    }
    bool keeps_name(const Node& node) const {
        return (override_of(node) && override_of(node)->affects_placement()) || predecessors_.count(node.name) != 0;
    }
    bool is_requested(const Node& node) const { return fuse_override(node).value_or(false); }

    /// Whether only format attributes are set, and result and operands are floats of one exponent family.
    bool is_fusable(const Node& node) const {
        if (is_integer(*node.type.format)) return false;
        if (node.attrs.size() != formats_of(node).size()) return false;
        for (const Edge& edge : node.inputs)
            if (info(*graph_.type(edge.value).format).family != info(*node.type.format).family) return false;
        return true;
    }

    /// Whether the chain of operand k can be extended by this node.
    bool joins(const Node& node, std::size_t k) const {
        const Edge& edge = node.inputs[k];
        const Node& before = graph_.nodes[edge.value];
        const Chain& chain = chains_[edge.value];
        constexpr double most_work = 12;
        constexpr std::size_t most_inputs = 8;
        return chain.ops > 0 && !keeps_name(before) && uses_[edge.value] == 1 && edge.tms.empty() &&
               before.phase == node.phase && before.type.format == node.type.format &&
               formats_of(before) == formats_of(node) && !transposes_operand(node) &&
               chain.inputs.size() + node.inputs.size() - 1 <= most_inputs &&
               ((chain.is_requested && is_requested(node)) ||
                chain.work + chain_cycles(node) * tiles_per_core(node.type.dims) <= most_work);
    }
    static bool transposes_operand(const Node& node) {
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
        if (!from && transposes_operand(node)) return;
        Chain chain = from ? chains_[node.inputs[*from].value] : Chain{};
        chain.program += (from ? "; " : "") + std::string(node.op.base_name());
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            if (from == k) {
                chain.program += " d";
                continue;
            }
            chain.program += fmt::format(" in{}", chain.inputs.size());
            chain.inputs.push_back(node.inputs[k]);
        }
        chain.work += chain_cycles(node) * tiles_per_core(node.type.dims);
        ++chain.ops;
        chain.is_requested = chain.is_requested && is_requested(node);
        if (from) absorbed_.insert(node.inputs[*from].value);
        chains_[id] = std::move(chain);
    }

    Graph& graph_;
    const PassOptions& options_;
    std::vector<std::size_t> uses_;
    std::vector<Chain> chains_;  // by last node
    std::set<ValueId> absorbed_;
    std::set<std::string> predecessors_;  // ops in `after` of other ops
};

void run_fuse_ops(Graph& graph, const PassOptions& options) {
    const auto any_requested = [&] {
        return std::any_of(options.overrides.begin(), options.overrides.end(),
                           [](const auto& one) { return one.second.fuse.value_or(false); });
    };
    if (options.auto_fusing || any_requested()) Fuser(graph, options).run();
    for (Node& node : graph.nodes) node.erase(attr::apart);
}

}  // namespace

extern const Pass fuse_ops;
const Pass fuse_ops{
    .name = "fuse-ops", .summary = "fuse chains of elementwise ops into one op", .run = run_fuse_ops, .optional = true};

}  // namespace ttsim::impl::ir
