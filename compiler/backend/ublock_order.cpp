#include "compiler/backend/ublock_order.hpp"

#include <numeric>

#include "compiler/backend/dram.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/kernel_broadcasts.hpp"
#include "netlist/plan/stream_use.hpp"

namespace ttsim::impl::ir {

namespace {

/// Whether an op may give its micro-blocks in either order.
bool is_free(const PlacedOp& op) {
    const std::string& type = op.op.cfg.type;
    return type != "matmul" && type != "depthwise" && type != "reduce" && type != "splice";
}

/// Whether the orders differ at all for an op's share of a core.
bool has_both(const PlacedOp& op) { return op.op.cfg.out.mblock_m > 1 && op.op.cfg.out.mblock_n > 1; }

UblockOrder other(UblockOrder order) { return order == UblockOrder::Row ? UblockOrder::Column : UblockOrder::Row; }

/// The order in which an op with a fixed way of taking its operands takes this one; none: all at once.
std::optional<UblockOrder> taken(const PlacedOp& op, std::size_t operand) {
    const OpConfig& cfg = op.op.cfg;
    if (cfg.type == "reduce" && cfg.attr.reduce_dim == ReduceDim::Z) return UblockOrder::Row;
    if (cfg.attr.m_k < 2 || operand > 1 || cfg.attr.identity) return std::nullopt;
    if (cfg.type == "reduce") return cfg.attr.reduce_dim == ReduceDim::C ? UblockOrder::Column : UblockOrder::Row;
    return operand == 0 ? UblockOrder::Column : UblockOrder::Row;
}

/// Whether one step of the consumer takes less than all that a core of the producer makes along that way.
bool takes_part(const PlacedOp& producer, const PlacedOp& consumer, UblockOrder order) {
    const Blocking& out = producer.op.cfg.out;
    const std::int64_t step = consumer.op.cfg.type == "depthwise" ? 1 : consumer.op.cfg.attr.u_kt;
    return step < (order == UblockOrder::Column ? out.core_ct() : out.core_rt());
}

/// The order of the tensor before the TMs, for one that is wanted after them: whole slices follow each other, so a cut
/// into slices decides alone.
std::optional<UblockOrder> before(const std::vector<Tm>& tms, std::optional<UblockOrder> wanted) {
    for (auto tm = tms.rbegin(); tm != tms.rend(); ++tm) {
        if (tm->kind == Tm::Kind::HSlice) wanted = UblockOrder::Column;
        if (tm->kind == Tm::Kind::VSlice) wanted = UblockOrder::Row;
        if (tm->kind == Tm::Kind::Transpose && wanted) wanted = other(*wanted);
    }
    return wanted;
}

/// Sets of ops whose orders are equal or opposite, and what is wanted of each set.
class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n), turned_(n, false), wanted_(n) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    void keep_rows(std::size_t i) { wanted_[root(i)].clash = true; }
    void want(std::size_t i, UblockOrder order) { add(root(i), turned(i) ? other(order) : order); }
    void link(std::size_t a, std::size_t b, bool turned_over) {
        const std::size_t ra = root(a), rb = root(b);
        const bool between = turned(a) != (turned(b) != turned_over);
        if (ra == rb) {
            if (between) wanted_[ra].clash = true;
            return;
        }
        parent_[rb] = ra;
        turned_[rb] = between;
        wanted_[ra].clash = wanted_[ra].clash || wanted_[rb].clash;
        if (wanted_[rb].order) add(ra, between ? other(*wanted_[rb].order) : *wanted_[rb].order);
    }
    UblockOrder order(std::size_t i) const {
        const Wish& wish = wanted_[root(i)];
        if (wish.clash || !wish.order) return UblockOrder::Row;
        return turned(i) ? other(*wish.order) : *wish.order;
    }

private:
    struct Wish {
        std::optional<UblockOrder> order;
        bool clash = false;
    };
    void add(std::size_t root, UblockOrder order) {
        Wish& wish = wanted_[root];
        if (wish.order && *wish.order != order) wish.clash = true;
        wish.order = order;
    }
    std::size_t root(std::size_t i) const {
        while (parent_[i] != i) i = parent_[i];
        return i;
    }
    bool turned(std::size_t i) const {
        bool odd = false;
        for (; parent_[i] != i; i = parent_[i]) odd = odd != turned_[i];
        return odd;
    }
    std::vector<std::size_t> parent_;
    std::vector<bool> turned_;  // against the parent
    std::vector<Wish> wanted_;  // of roots
};

/// What links a consumer's operand to an op of the same epoch whose order is free: calls visit(producer, edge,
/// operand).
template <class Visit>
void each_link(const Graph& graph, const Schedule& schedule, std::size_t consumer, Visit visit) {
    const PlacedOp& op = schedule.ops[consumer];
    const Node& node = graph.nodes[op.node];
    const std::vector<OperandSource> operands = operands_of(node);
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].kind != OperandSource::Kind::Input || op.through_dram[k]) continue;
        const Edge& edge = node.inputs[operands[k].input];
        const auto producer = schedule.index.find(edge.value);
        if (producer == schedule.index.end()) continue;
        const PlacedOp& from = schedule.ops[producer->second];
        if (from.epoch == op.epoch && is_free(from)) visit(producer->second, edge, k);
    }
}

bool iterations(const std::vector<Tm>& tms) {
    bool odd = false;
    for (const Tm& tm : tms) odd = odd != (tm.kind == Tm::Kind::Transpose);
    return odd;
}

/// Whether the streams of an op and of those it reads stay within what a core has: the order in which an op takes its
/// operands decides how often their source changes.
class StreamCheck {
public:
    StreamCheck(const Graph& graph, const OpBudget& budget, const Schedule& schedule)
        : graph_(graph), budget_(budget), schedule_(schedule), limits_(read_edge_limits(budget.overlay_size)) {
        for (std::size_t i = 0; i < schedule.ops.size(); ++i)
            each_operand(i, [&](std::size_t k, const Edge& edge) {
                const auto producer = schedule.index.find(edge.value);
                if (producer != schedule.index.end() && is_direct(i, k, producer->second))
                    readers_[producer->second].emplace_back(i, k);
            });
    }

    bool fits(std::size_t i) const {
        std::int64_t taken = 0;
        bool given = true;
        each_operand(i, [&](std::size_t k, const Edge& edge) {
            if (schedule_.ops[i].resident[k]) return;
            taken += use(i, k).consumer_phases;
            const auto producer = schedule_.index.find(edge.value);
            if (producer == schedule_.index.end() || !is_direct(i, k, producer->second)) return;
            std::int64_t all = 0;
            for (const auto& [reader, operand] : readers_.at(producer->second))
                all += use(reader, operand).producer_phases;
            given = given && all <= most(Limit::ProducerPhases);
        });
        return given && taken <= most(Limit::ConsumerPhases);
    }

private:
    std::int64_t most(Limit limit) const { return limits_[static_cast<std::size_t>(limit)]; }
    bool is_direct(std::size_t consumer, std::size_t operand, std::size_t producer) const {
        return schedule_.ops[producer].epoch == schedule_.ops[consumer].epoch &&
               !schedule_.ops[consumer].through_dram[operand];
    }
    template <class Visit>
    void each_operand(std::size_t i, Visit visit) const {
        const Node& node = graph_.nodes[schedule_.ops[i].node];
        const std::vector<OperandSource> operands = operands_of(node);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (operands[k].kind == OperandSource::Kind::Input) visit(k, node.inputs[operands[k].input]);
    }
    StreamUse use(std::size_t i, std::size_t k) const {
        const PlacedOp& op = schedule_.ops[i];
        const Node& node = graph_.nodes[op.node];
        const ValueId value = node.inputs[operands_of(node)[k].input].value;
        const auto producer = schedule_.index.find(value);
        const Blocking from =
            producer != schedule_.index.end()
                ? schedule_.ops[producer->second].op.cfg.out
                : spread(graph_.type(value).dims, static_cast<std::int64_t>(budget_.chip->dram.size()));
        return stream_use(op.op.cfg, k, op.op.tms[k], from);
    }

    const Graph& graph_;
    const OpBudget& budget_;
    const Schedule& schedule_;
    Costs limits_;
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> readers_;  // direct ones: op, operand
};

void choose_op_orders(const Graph& graph, const OpBudget& budget, Schedule& schedule) {
    Sets sets(schedule.ops.size());
    for (std::size_t i = 0; i < schedule.ops.size(); ++i)
        each_link(graph, schedule, i, [&](std::size_t producer, const Edge& edge, std::size_t operand) {
            if (!has_both(schedule.ops[producer])) return;
            const PlacedOp& consumer = schedule.ops[i];
            const auto wanted = before(edge.tms, is_free(consumer) ? std::nullopt : taken(consumer, operand));
            if (wanted && (is_free(consumer) || takes_part(schedule.ops[producer], consumer, *wanted)))
                sets.want(producer, *wanted);
            else if (is_free(consumer) && has_both(consumer))
                sets.link(producer, i, iterations(edge.tms));
        });
    const StreamCheck streams(graph, budget, schedule);
    for (bool settled = false; !settled;) {
        settled = true;
        for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
            PlacedOp& op = schedule.ops[i];
            if (is_free(op) && has_both(op)) op.op.cfg.out.order = sets.order(i);
        }
        for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
            const Op& op = schedule.ops[i].op;
            if (op.cfg.out.order == UblockOrder::Row || (streams.fits(i) && broadcasts_hold(op))) continue;
            sets.keep_rows(i);
            settled = false;
        }
    }
}

/// Inputs and constants; those that some reader takes by rows are left out.
std::set<ValueId> taken_by_columns(const Graph& graph, const Schedule& schedule) {
    std::set<ValueId> columns, rows;
    for (const PlacedOp& op : schedule.ops) {
        const Node& node = graph.nodes[op.node];
        const std::vector<OperandSource> operands = operands_of(node);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind != OperandSource::Kind::Input) continue;
            const Edge& edge = node.inputs[operands[k].input];
            if (schedule.index.count(edge.value)) continue;
            const auto own = is_free(op) ? std::optional(op.op.cfg.out.order) : taken(op, k);
            const bool by_columns = before(edge.tms, own) == UblockOrder::Column;
            (by_columns ? columns : rows).insert(edge.value);
        }
    }
    for (const ValueId value : rows) columns.erase(value);
    return columns;
}

}  // namespace

void choose_ublock_orders(const Graph& graph, const OpBudget& budget, Schedule& schedule) {
    choose_op_orders(graph, budget, schedule);
    schedule.by_columns = taken_by_columns(graph, schedule);
}

}  // namespace ttsim::impl::ir
