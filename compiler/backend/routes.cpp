#include "compiler/backend/routes.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/backend/slices.hpp"

namespace tt::ir {

namespace {

/// An operand that another op of the epoch makes.
struct Link {
    std::size_t producer = 0, operand = 0;
    std::int64_t window = 1;  ///< slices of the producer
};

class Router {
public:
    Router(const Graph& graph, Schedule& schedule, std::size_t first, std::size_t end, const OpBudget& budget)
        : graph_(graph), schedule_(schedule), first_(first), end_(end), budget_(budget) {}

    void run() {
        for (std::size_t i = first_; i < end_; ++i) {
            PlacedOp& op = schedule_.ops[i];
            op.through_dram.assign(op.op.cfg.in.size(), false);
            connect(i);
        }
    }

private:
    std::vector<Link> links_of(std::size_t consumer) const {
        const PlacedOp& op = schedule_.ops[consumer];
        const Node& node = graph_.nodes[op.node];
        const auto operands = operands_of(node);
        std::vector<Link> links;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].kind != OperandSource::Kind::Input) continue;
            const Edge& edge = node.inputs[operands[k].input];
            const auto producer = schedule_.index.find(edge.value);
            if (producer == schedule_.index.end() || producer->second < first_) continue;
            // strips of a sparse product are taken as they come
            const std::int64_t window =
                op.pattern ? 1 : slice_window(graph_.type(edge.value).dims[0], edge.tms, node.integer("z", 1));
            links.push_back({producer->second, k, window});
        }
        return links;
    }

    static double slices(const PlacedOp& op) { return static_cast<double>(op.op.cfg.out.t); }

    /// When datums are there, in inputs since the epoch began: at the earliest whatever buffers there are, because
    /// something needs several slices at once; and at full pace, each op taking its time.
    struct Pace {
        double earliest = 0, usual = 0;
    };

    /// When the op can begin, by the links that are direct or not as `through_dram` says.
    Pace begin(const PlacedOp& consumer, const std::vector<Link>& links) const {
        Pace at;
        for (const Link& link : links) {
            const Pace& there = available_.at(link.producer);
            const double waits = consumer.through_dram[link.operand]
                                     ? 1
                                     : static_cast<double>(link.window - 1) / slices(schedule_.ops[link.producer]);
            at = {std::max(at.earliest, there.earliest + waits), std::max(at.usual, there.usual + waits)};
        }
        return at;
    }

    /// From taking the first datums of an input to giving the first slice of the result.
    Pace delay(const PlacedOp& op) const {
        constexpr double ublocks = 0.25;  // what streams ublock by ublock
        const double slice = 1 / slices(op);
        const bool streams = op.op.cfg.type != "matmul" && op.op.cfg.type != "depthwise" && op.op.cfg.type != "reduce";
        if (op.pattern) return {1, 1};
        return {0, streams ? std::min(slice, ublocks) : slice};
    }

    bool has_room(const PlacedOp& op, std::int64_t buffer) const {
        Op longer = op.op;
        longer.buf_size_mb = buffer;
        return l1_bytes(longer, op.resident, budget_.microbatch) <= budget_.chip->l1_bytes - budget_.chip->l1_reserved;
    }

    /// Slices the producer must hold for the consumer to begin so much later.
    std::int64_t held(const Link& link, double later) const {
        const double waiting = later * slices(schedule_.ops[link.producer]);
        return std::max(static_cast<std::int64_t>(std::ceil(waiting - 1e-6)), link.window > 1 ? link.window - 1 : 0);
    }

    void connect(std::size_t i) {
        PlacedOp& op = schedule_.ops[i];
        const std::vector<Link> links = links_of(i);
        for (const Link& link : links)
            if (readers_[link.producer] >= most_readers) op.through_dram[link.operand] = true;
        for (bool stable = false; !stable;) {
            stable = true;
            const Pace at = begin(op, links);
            for (const Link& link : links) {
                if (op.through_dram[link.operand] || lengthen(link, at)) continue;
                op.through_dram[link.operand] = true;
                stable = false;
            }
        }
        for (const Link& link : links)
            if (!op.through_dram[link.operand]) ++readers_[link.producer];
        const Pace at = begin(op, links), more = delay(op);
        available_[i] = {at.earliest + more.earliest, at.usual + more.usual};
    }

    /// Gives the producer what it must hold, and as much as there is room for of what keeps the pace; false when it
    /// has no room for what it must hold.
    bool lengthen(const Link& link, const Pace& at) {
        PlacedOp& producer = schedule_.ops[link.producer];
        const Pace& there = available_.at(link.producer);
        std::int64_t& buffer = producer.op.buf_size_mb;
        const std::int64_t least = held(link, at.earliest - there.earliest) + double_buffer;
        if (least > buffer && !has_room(producer, least)) return false;
        buffer = std::max(buffer, least);
        const std::int64_t most = held(link, at.usual - there.usual) + double_buffer;
        while (buffer < most && has_room(producer, buffer + 1)) ++buffer;
        return true;
    }

    static constexpr std::int64_t double_buffer = 2;
    static constexpr int most_readers = 8;
    const Graph& graph_;
    Schedule& schedule_;
    std::size_t first_, end_;
    const OpBudget& budget_;
    std::map<std::size_t, Pace> available_;  // op -> when its first slice is there
    std::map<std::size_t, int> readers_;       // direct ones
};

}  // namespace

void route(const Graph& graph, Schedule& schedule, std::size_t first, std::size_t end, const OpBudget& budget) {
    Router(graph, schedule, first, end, budget).run();
}

}  // namespace tt::ir
