#include "compiler/backend/routes.hpp"

#include <algorithm>
#include <cmath>

namespace tt::ir {

namespace {

class Router {
public:
    Router(const Choices& choices, const std::vector<RoutedOp>& ops, std::size_t first, std::vector<bool> cut,
           const OpBudget& budget)
        : choices_(choices), ops_(ops), first_(first), cut_(std::move(cut)), budget_(budget), available_(ops.size()) {
        for (const RoutedOp& op : ops) routes_.buffers.push_back(op.op->buf_size_mb);
    }

    Routes run() {
        for (std::size_t i = first_; i < first_ + ops_.size(); ++i) connect(i);
        return std::move(routes_);
    }

private:
    const RoutedOp& at(std::size_t op) const { return ops_[op - first_]; }
    std::size_t producer(std::size_t edge) const { return choices_.edges[edge].producer; }
    double slices(std::size_t op) const { return static_cast<double>(at(op).op->cfg.out.t); }

    /// When datums are there, in inputs since the epoch began: at the earliest whatever buffers there are, because
    /// something needs several slices at once; and at full pace, each op taking its time.
    struct Pace {
        double earliest = 0, usual = 0;
    };

    std::vector<std::size_t> links_of(std::size_t consumer) const {
        std::vector<std::size_t> links;
        for (const std::size_t e : choices_.into[consumer])
            if (producer(e) >= first_) links.push_back(e);
        return links;
    }

    /// When the op can begin, by the links that are direct or not.
    Pace begin(const std::vector<std::size_t>& links) const {
        Pace at;
        for (const std::size_t e : links) {
            const Pace& there = available_[producer(e) - first_];
            const double waits =
                cut_[e] ? 1 : static_cast<double>(choices_.details[e].window - 1) / slices(producer(e));
            at = {std::max(at.earliest, there.earliest + waits), std::max(at.usual, there.usual + waits)};
        }
        return at;
    }

    /// From taking the first datums of an input to giving the first slice of the result.
    Pace delay(std::size_t op) const {
        constexpr double ublocks = 0.25;  // what streams ublock by ublock
        const double slice = 1 / slices(op);
        const std::string& type = at(op).op->cfg.type;
        const bool streams = type != "matmul" && type != "depthwise" && type != "reduce";
        if (choices_.ops[op].pattern) return {1, 1};
        return {0, streams ? std::min(slice, ublocks) : slice};
    }

    /// Bytes beyond L1 with a buffer so long, at most 0 when it fits.
    std::int64_t over(std::size_t op, std::int64_t buffer) const {
        Op longer = *at(op).op;
        longer.buf_size_mb = buffer;
        return l1_bytes(longer, at(op).candidate->resident) - choices_.ops[op].choice.usable_bytes;
    }

    /// Slices the producer must hold for the consumer to begin so much later.
    std::int64_t held(std::size_t edge, double later) const {
        const double waiting = later * slices(producer(edge));
        const std::int64_t window = choices_.details[edge].window;
        return std::max(static_cast<std::int64_t>(std::ceil(waiting - 1e-6)), window > 1 ? window - 1 : 0);
    }

    void connect(std::size_t i) {
        const std::vector<std::size_t> links = links_of(i);
        for (bool stable = false; !stable;) {
            stable = true;
            const Pace at = begin(links);
            for (const std::size_t e : links) {
                if (cut_[e] || lengthen(e, at)) continue;
                cut_[e] = true;
                stable = false;
            }
        }
        const Pace at = begin(links), more = delay(i);
        available_[i - first_] = {at.earliest + more.earliest, at.usual + more.usual};
    }

    /// Gives the producer what it must hold, and as much as there is room for of what keeps the pace; false when it
    /// has no room for what it must hold.
    bool lengthen(std::size_t edge, const Pace& at) {
        const std::size_t op = producer(edge);
        const Pace& there = available_[op - first_];
        std::int64_t& buffer = routes_.buffers[op - first_];
        const std::int64_t least = held(edge, at.earliest - there.earliest) + double_buffer;
        if (least > buffer)
            if (const std::int64_t bytes = over(op, least); bytes > 0) {
                routes_.no_room.push_back({edge, bytes});
                return false;
            }
        buffer = std::max(buffer, least);
        const std::int64_t most = held(edge, at.usual - there.usual) + double_buffer;
        while (buffer < most && over(op, buffer + 1) <= 0) ++buffer;
        return true;
    }

    static constexpr std::int64_t double_buffer = 2;
    const Choices& choices_;
    const std::vector<RoutedOp>& ops_;
    std::size_t first_;
    std::vector<bool> cut_;
    const OpBudget& budget_;
    std::vector<Pace> available_;  // per op: when its first slice is there
    Routes routes_;
};

}  // namespace

Routes route(const Choices& choices, const std::vector<RoutedOp>& ops, std::size_t first, const std::vector<bool>& cut,
             const OpBudget& budget) {
    return Router(choices, ops, first, cut, budget).run();
}

}  // namespace tt::ir
