#include "compiler/backend/ublock_order.hpp"

#include <numeric>

#include "compiler/backend/dram.hpp"
#include "compiler/backend/edge_limits.hpp"
#include "compiler/backend/kernel_broadcasts.hpp"
#include "netlist/plan/stream_use.hpp"

namespace ttsim::impl::ir {

namespace {

/// Whether an op can write its ublocks in either order.
bool has_free_order(const PlacedOp& op) {
    const std::string& type = op.op.cfg.type;
    return type != "matmul" && type != "depthwise" && type != "reduce" && type != "splice";
}

/// Whether the two orders differ for a core's share.
bool has_both(const PlacedOp& op) { return op.op.cfg.out.mblock_m > 1 && op.op.cfg.out.mblock_n > 1; }

UblockOrder other(UblockOrder order) { return order == UblockOrder::Row ? UblockOrder::Column : UblockOrder::Row; }

/// The order in which an op with a fixed order reads this operand; nullopt: it needs the operand complete.
std::optional<UblockOrder> read_order(const PlacedOp& op, std::size_t operand) {
    const OpConfig& cfg = op.op.cfg;
    if (cfg.type == "reduce" && cfg.attr.reduce_dim == ReduceDim::Z) return UblockOrder::Row;
    if (cfg.attr.m_k < 2 || operand > 1 || cfg.attr.identity) return std::nullopt;
    if (cfg.type == "reduce") return cfg.attr.reduce_dim == ReduceDim::C ? UblockOrder::Column : UblockOrder::Row;
    return operand == 0 ? UblockOrder::Column : UblockOrder::Row;
}

/// Whether a step of the consumer reads less than a producer core's extent along this order.
bool takes_part(const PlacedOp& producer, const PlacedOp& consumer, UblockOrder order) {
    const Blocking& out = producer.op.cfg.out;
    const std::int64_t step = consumer.op.cfg.type == "depthwise" ? 1 : consumer.op.cfg.attr.u_kt;
    return step < (order == UblockOrder::Column ? out.core_ct() : out.core_rt());
}

/// The order before the TMs that yields the wanted order after them. Slices are sequential, so a TM that cuts into
/// slices determines the order.
std::optional<UblockOrder> order_before_tms(const std::vector<Tm>& tms, std::optional<UblockOrder> wanted) {
    for (auto tm = tms.rbegin(); tm != tms.rend(); ++tm) {
        if (tm->kind == Tm::Kind::HSlice) wanted = UblockOrder::Column;
        if (tm->kind == Tm::Kind::VSlice) wanted = UblockOrder::Row;
        if (tm->kind == Tm::Kind::Transpose && wanted) wanted = other(*wanted);
    }
    return wanted;
}

/// Union-find of ops whose orders are equal or opposite, with the requested order of each set.
class OrderSets {
public:
    explicit OrderSets(std::size_t n) : parent_(n), reversed_(n, false), wanted_(n) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    void keep_rows(std::size_t i) { wanted_[root(i)].conflict = true; }
    void want(std::size_t i, UblockOrder order) { add(root(i), is_reversed(i) ? other(order) : order); }
    void link(std::size_t a, std::size_t b, bool opposite) {
        const std::size_t ra = root(a), rb = root(b);
        const bool between = is_reversed(a) != (is_reversed(b) != opposite);
        if (ra == rb) {
            if (between) wanted_[ra].conflict = true;
            return;
        }
        parent_[rb] = ra;
        reversed_[rb] = between;
        wanted_[ra].conflict = wanted_[ra].conflict || wanted_[rb].conflict;
        if (wanted_[rb].order) add(ra, between ? other(*wanted_[rb].order) : *wanted_[rb].order);
    }
    UblockOrder order(std::size_t i) const {
        const Request& request = wanted_[root(i)];
        if (request.conflict || !request.order) return UblockOrder::Row;
        return is_reversed(i) ? other(*request.order) : *request.order;
    }

private:
    struct Request {
        std::optional<UblockOrder> order;
        bool conflict = false;
    };
    void add(std::size_t root, UblockOrder order) {
        Request& request = wanted_[root];
        if (request.order && *request.order != order) request.conflict = true;
        request.order = order;
    }
    std::size_t root(std::size_t i) const {
        while (parent_[i] != i) i = parent_[i];
        return i;
    }
    bool is_reversed(std::size_t i) const {
        bool odd = false;
        for (; parent_[i] != i; i = parent_[i]) odd = odd != reversed_[i];
        return odd;
    }
    std::vector<std::size_t> parent_;
    std::vector<bool> reversed_;   // against the parent
    std::vector<Request> wanted_;  // of roots
};

/// Calls visit(producer, edge, operand) for direct operands from ops of the same epoch with a free order.
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
        if (from.epoch == op.epoch && has_free_order(from)) visit(producer->second, edge, k);
    }
}

bool swaps_order(const std::vector<Tm>& tms) {
    bool odd = false;
    for (const Tm& tm : tms) odd = odd != (tm.kind == Tm::Kind::Transpose);
    return odd;
}

/// Whether the streams of an op and of its producers stay within the limits of a core. The read order determines how
/// often the source of a stream changes.
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
    OrderSets sets(schedule.ops.size());
    for (std::size_t i = 0; i < schedule.ops.size(); ++i)
        each_link(graph, schedule, i, [&](std::size_t producer, const Edge& edge, std::size_t operand) {
            if (!has_both(schedule.ops[producer])) return;
            const PlacedOp& consumer = schedule.ops[i];
            const auto wanted =
                order_before_tms(edge.tms, has_free_order(consumer) ? std::nullopt : read_order(consumer, operand));
            if (wanted && (has_free_order(consumer) || takes_part(schedule.ops[producer], consumer, *wanted)))
                sets.want(producer, *wanted);
            else if (has_free_order(consumer) && has_both(consumer))
                sets.link(producer, i, swaps_order(edge.tms));
        });
    const StreamCheck streams(graph, budget, schedule);
    for (bool settled = false; !settled;) {
        settled = true;
        for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
            PlacedOp& op = schedule.ops[i];
            if (has_free_order(op) && has_both(op)) op.op.cfg.out.order = sets.order(i);
        }
        for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
            const Op& op = schedule.ops[i].op;
            if (op.cfg.out.order == UblockOrder::Row || (streams.fits(i) && broadcasts_match_order(op))) continue;
            sets.keep_rows(i);
            settled = false;
        }
    }
}

/// Inputs and constants that all readers read by columns.
std::set<ValueId> read_by_columns(const Graph& graph, const Schedule& schedule) {
    std::set<ValueId> columns, rows;
    for (const PlacedOp& op : schedule.ops) {
        const Node& node = graph.nodes[op.node];
        const std::vector<OperandSource> operands = operands_of(node);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind != OperandSource::Kind::Input) continue;
            const Edge& edge = node.inputs[operands[k].input];
            if (schedule.index.count(edge.value)) continue;
            const auto own = has_free_order(op) ? std::optional(op.op.cfg.out.order) : read_order(op, k);
            const bool by_columns = order_before_tms(edge.tms, own) == UblockOrder::Column;
            (by_columns ? columns : rows).insert(edge.value);
        }
    }
    for (const ValueId value : rows) columns.erase(value);
    return columns;
}

}  // namespace

void choose_ublock_orders(const Graph& graph, const OpBudget& budget, Schedule& schedule) {
    choose_op_orders(graph, budget, schedule);
    schedule.by_columns = read_by_columns(graph, schedule);
}

}  // namespace ttsim::impl::ir
