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

    /// When the op can begin, in inputs since the epoch began, if these links are direct.
    double begin(const PlacedOp& consumer, const std::vector<Link>& links) const {
        double at = 0;
        for (const Link& link : links) {
            const PlacedOp& producer = schedule_.ops[link.producer];
            const double there = available_.at(link.producer);
            at = std::max(at, consumer.through_dram[link.operand]
                                  ? there + 1
                                  : there + static_cast<double>(link.window - 1) / slices(producer));
        }
        return at;
    }

    /// From taking the first datums of an input to giving the first slice of the result.
    double delay(const PlacedOp& op) const {
        constexpr double ublocks = 0.25;  // what streams ublock by ublock
        const double slice = 1 / slices(op);
        const bool streams = op.op.cfg.type != "matmul" && op.op.cfg.type != "depthwise" && op.op.cfg.type != "reduce";
        return op.pattern ? 1 : streams ? std::min(slice, ublocks) : slice;
    }

    bool has_room(const PlacedOp& op, std::int64_t buffer) const {
        Op longer = op.op;
        longer.buf_size_mb = buffer;
        return l1_bytes(longer, op.resident, budget_.microbatch) <= budget_.chip->l1_bytes - budget_.chip->l1_reserved;
    }

    /// Slices the producer must hold for the consumer to begin at `at`.
    std::int64_t needed(const Link& link, double at) const {
        const PlacedOp& producer = schedule_.ops[link.producer];
        const double waiting = (at - available_.at(link.producer)) * slices(producer);
        const auto held = static_cast<std::int64_t>(std::ceil(waiting - 1e-6));
        return std::max(held + 2, link.window > 1 ? link.window + 1 : 0);
    }

    void connect(std::size_t i) {
        PlacedOp& op = schedule_.ops[i];
        const std::vector<Link> links = links_of(i);
        for (const Link& link : links)
            if (readers_[link.producer] >= most_readers) op.through_dram[link.operand] = true;
        for (bool stable = false; !stable;) {
            stable = true;
            const double at = begin(op, links);
            for (const Link& link : links) {
                PlacedOp& producer = schedule_.ops[link.producer];
                if (op.through_dram[link.operand]) continue;
                const std::int64_t buffer = std::max(needed(link, at), producer.op.buf_size_mb);
                if (buffer == producer.op.buf_size_mb || has_room(producer, buffer)) continue;
                op.through_dram[link.operand] = true;
                stable = false;
            }
        }
        const double at = begin(op, links);
        for (const Link& link : links) {
            if (op.through_dram[link.operand]) continue;
            ++readers_[link.producer];
            std::int64_t& buffer = schedule_.ops[link.producer].op.buf_size_mb;
            buffer = std::max(buffer, needed(link, at));
        }
        available_[i] = at + delay(op);
    }

    static constexpr int most_readers = 8;
    const Graph& graph_;
    Schedule& schedule_;
    std::size_t first_, end_;
    const OpBudget& budget_;
    std::map<std::size_t, double> available_;  // op -> when its first slice is there
    std::map<std::size_t, int> readers_;       // direct ones
};

}  // namespace

void route(const Graph& graph, Schedule& schedule, std::size_t first, std::size_t end, const OpBudget& budget) {
    Router(graph, schedule, first, end, budget).run();
}

}  // namespace tt::ir
