#include "compiler/backend/routes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "netlist/output_buffer.hpp"

namespace ttsim::impl::ir {

namespace {

class Router {
public:
    Router(const Choices& choices, const EdgeCosts& costs, const std::vector<RoutedOp>& ops, std::size_t first,
           std::vector<bool> cut)
        : choices_(choices),
          costs_(costs),
          ops_(ops),
          first_(first),
          cut_(std::move(cut)),
          available_(ops.size()),
          lags_(ops.size()) {
        for (const RoutedOp& op : ops) {
            routes_.buffers.push_back(op.op->buf_size_mb);
            pace_ = std::max(pace_, op.candidate->cycles);
        }
    }

    /// `larger`: ops that may have larger blocks if their output streaming slows down the epoch. Buffer sizes change
    /// the times of first blocks, and so other buffers, so this iterates to a fixed point.
    Routes run(const std::set<std::size_t>& larger) {
        for (std::vector<std::int64_t> before; before != routes_.buffers && routes_.no_room.empty();) {
            before = routes_.buffers;
            routes_.waiting.clear();
            routes_.output_streaming_cycles = 0;
            for (std::size_t i = first_; i < first_ + ops_.size(); ++i) connect(i);
            for (std::size_t i = first_; i < first_ + ops_.size(); ++i) enlarge_blocks(i, larger.contains(i));
        }
        return routes_;
    }

    /// Ops whose output streaming slows down the epoch, the slowest first.
    std::vector<std::size_t> slow_ops() {
        std::vector<std::pair<double, std::size_t>> slow;
        for (std::size_t i = first_; i < first_ + ops_.size(); ++i)
            if (const double cycles = output_streaming_cost(i, routes_.buffers[i - first_]).cycles; cycles > pace_)
                slow.emplace_back(-cycles, i);
        std::sort(slow.begin(), slow.end());
        std::vector<std::size_t> ops;
        for (const auto& [_, op] : slow) ops.push_back(op);
        return ops;
    }

private:
    const RoutedOp& at(std::size_t op) const { return ops_[op - first_]; }
    std::size_t producer(std::size_t edge) const { return choices_.edges[edge].producer; }
    double slices(std::size_t op) const { return static_cast<double>(at(op).op->cfg.out.t); }

    /// When elements are available, in inputs since the start of the epoch. `earliest`: a lower bound for any buffers,
    /// because some ops need several slices. `usual`: at full pace.
    struct Pace {
        double earliest = 0, usual = 0;
    };

    /// A fraction of an input, or several inputs.
    struct Piece {
        std::int64_t inputs = 1, parts = 1;  ///< inputs / parts, in lowest terms
        static Piece of(std::int64_t inputs, std::int64_t parts) {
            const std::int64_t both = std::gcd(inputs, parts);
            return {inputs / both, parts / both};
        }
        /// The least common multiple of both.
        friend Piece lcm(Piece a, Piece b) { return of(std::lcm(a.inputs, b.inputs), std::gcd(a.parts, b.parts)); }
        /// The least number of slices that is a multiple of the piece, if an input has `of_input` slices.
        std::int64_t slices(std::int64_t of_input) const { return of(inputs * of_input, parts).inputs; }
    };

    /// The lag of an op behind a fork on its path: the inputs that must have left the fork before the op's first slice
    /// is available. Data is consumed in multiples of `piece`.
    struct ForkLag {
        std::size_t fork = 0;
        double inputs = 0;
        Piece piece;
    };
    using ForkLags = std::vector<ForkLag>;  // by fork

    bool is_fork(std::size_t op) const {
        const auto& readers = choices_.from[op];
        return std::count_if(readers.begin(), readers.end(), [&](std::size_t e) {
                   return !cut_[e] && choices_.edges[e].consumer < first_ + ops_.size();
               }) > 1;
    }

    /// Merges a lag: keeps the larger one per fork.
    static void add(ForkLags& all, const ForkLag& more) {
        const auto found = std::lower_bound(all.begin(), all.end(), more.fork,
                                            [](const ForkLag& one, std::size_t wanted) { return one.fork < wanted; });
        if (found != all.end() && found->fork == more.fork) {
            found->inputs = std::max(found->inputs, more.inputs);
            found->piece = lcm(found->piece, more.piece);
        } else {
            all.insert(found, more);
        }
    }

    std::vector<std::size_t> links_of(std::size_t consumer) const {
        std::vector<std::size_t> links;
        for (const std::size_t e : choices_.into[consumer])
            if (producer(e) >= first_) links.push_back(e);
        return links;
    }

    double waits_of(std::size_t e) const {
        return cut_[e] ? 1 : static_cast<double>(choices_.details[e].window - 1) / slices(producer(e));
    }

    /// When the op can begin.
    Pace begin(const std::vector<std::size_t>& links) const {
        Pace at;
        for (const std::size_t e : links) {
            const Pace& there = available_[producer(e) - first_];
            const double waits = waits_of(e);
            at = {std::max(at.earliest, there.earliest + waits), std::max(at.usual, there.usual + waits)};
        }
        return at;
    }

    /// The lag behind each fork when the op begins.
    ForkLags start_lags(const std::vector<std::size_t>& links) const {
        ForkLags all;
        for (const std::size_t e : links) {
            const std::size_t from = producer(e);
            const double waits = waits_of(e);
            const Piece taken = cut_[e] ? Piece{} : Piece::of(choices_.details[e].window, at(from).op->cfg.out.t);
            for (const ForkLag& one : lags_[from - first_])
                add(all, {one.fork, one.inputs + waits, lcm(one.piece, taken)});
            if (is_fork(from)) add(all, {from, waits, taken});
        }
        return all;
    }

    /// The longest wait of the edge's data for another path from the same fork.
    double fork_wait(std::size_t edge, const ForkLags& at) const {
        const std::size_t from = producer(edge);
        const ForkLags& there = lags_[from - first_];
        double most = 0;
        for (const ForkLag& one : at) {
            const auto found =
                std::find_if(there.begin(), there.end(), [&](const ForkLag& b) { return b.fork == one.fork; });
            if (one.fork == from)
                most = std::max(most, one.inputs);
            else if (found != there.end())
                most = std::max(most, one.inputs - found->inputs);
        }
        return most;
    }

    /// Delay from the first elements of an input to the first slice of the result.
    Pace delay(std::size_t op) const {
        constexpr double ublocks = 0.25;  // of ops that stream ublocks
        const double slice = 1 / slices(op);
        const std::string& type = at(op).op->cfg.type;
        const bool streams = type != "matmul" && type != "depthwise" && type != "reduce";
        if (choices_.ops[op].pattern) return {1, 1};
        return {0, streams ? std::min(slice, ublocks) : slice};
    }

    /// Rounds up to complete blocks: slices of an output streamed in blocks are available with their block.
    double with_block(std::size_t op, double earliest) {
        const double slice = 1 / slices(op),
                     block = output_streaming_cost(op, routes_.buffers[op - first_]).block * slice;
        return block > 0 ? std::ceil((earliest + slice) / block - 1e-6) * block - slice : earliest;
    }

    /// The unit of an op's output: a slice, or a block.
    Piece piece_of(std::size_t op) {
        const std::int64_t t = at(op).op->cfg.out.t;
        const double block = output_streaming_cost(op, routes_.buffers[op - first_]).block;
        return Piece::of(std::max<std::int64_t>(1, std::llround(block)), t);
    }

    /// Excess bytes of L1 with this buffer; at most 0 if it fits.
    std::int64_t over(std::size_t op, std::int64_t buffer) const {
        Op longer = *at(op).op;
        longer.buf_size_mb = buffer;
        return l1_bytes(longer, at(op).candidate->resident) - choices_.ops[op].choice.usable_bytes;
    }

    /// Slices that wait in the producer's buffer if the consumer begins this much later.
    std::int64_t waiting(std::size_t edge, double later) const {
        return static_cast<std::int64_t>(std::ceil(later * slices(producer(edge)) - 1e-6));
    }

    /// The unit in which the op's data is consumed, with all other paths to the consumer.
    Piece piece_from(std::size_t op, const ForkLags& at) const {
        const auto found = std::find_if(at.begin(), at.end(), [&](const ForkLag& one) { return one.fork == op; });
        return found == at.end() ? Piece::of(1, this->at(op).op->cfg.out.t) : found->piece;
    }

    /// Whether all readers of the op read the same blocks, so that waiting slices must fit in a block.
    bool shares_blocks(std::size_t op) {
        return is_fork(op) && output_streaming_cost(op, at(op).op->buf_size_mb).in_blocks;
    }

    std::vector<EdgeCosts::Reader> direct_readers(std::size_t op) const {
        std::vector<EdgeCosts::Reader> readers;
        for (const std::size_t e : choices_.from[op])
            if (const std::size_t to = choices_.edges[e].consumer; !cut_[e] && to < first_ + ops_.size())
                readers.push_back({e, at(to).number});
        return readers;
    }

    /// buf_size_mb of the edge's producer if the consumer begins this much later.
    std::int64_t buffer_for(std::size_t edge, double later) {
        const std::int64_t wait = waiting(edge, later), window = choices_.details[edge].window;
        const std::int64_t streamed = std::max(wait, window > 1 ? window - 1 : 0) + double_buffer;
        const bool block = wait > 0 && shares_blocks(producer(edge));
        return whole_buffer(producer(edge), block ? std::max(streamed, 2 * wait) : streamed);
    }

    /// The next valid buffer size from `least` on. If readers of a fork share its blocks, blocks must end at multiples
    /// of the readers' units. Otherwise a reader would need the fork's next block to finish the current one.
    std::int64_t whole_buffer(std::size_t op, std::int64_t least) const {
        const std::int64_t t = at(op).op->cfg.out.t;
        const auto known = pieces_.find(op);
        std::int64_t buffer = whole_blocks_buffer(least, t);
        if (known == pieces_.end()) return buffer;
        const std::int64_t slices = known->second.slices(t);
        while (buffer / 2 % slices != 0) buffer = whole_blocks_buffer(buffer + 1, t);
        return buffer;
    }

    /// The next valid buffer size from `least` on without a circular wait of readers.
    std::int64_t without_circular_wait(std::size_t op, std::int64_t least) {
        std::int64_t buffer = whole_buffer(op, least);
        while (is_fork(op) && output_streaming_cost(op, buffer).circular_wait) buffer = whole_buffer(op, buffer + 1);
        return buffer;
    }

    void connect(std::size_t i) {
        const std::vector<std::size_t> links = links_of(i);
        for (bool stable = false; !stable;) {
            stable = true;
            const Pace at = begin(links);
            const ForkLags behind = start_lags(links);
            for (const std::size_t e : links) {
                if (cut_[e]) continue;
                note_pieces(e, at, behind);
                if (lengthen(e, at, fork_wait(e, behind))) continue;
                cut_[e] = true;
                output_streaming_costs_.clear();
                stable = false;
            }
        }
        const Pace at = begin(links), more = delay(i);
        for (const std::size_t e : links)
            if (!cut_[e])
                routes_.waiting[e] = (at.usual - available_[producer(e) - first_].usual) * slices(producer(e));
        available_[i - first_] = {with_block(i, at.earliest + more.earliest), at.usual + more.usual};
        lags_[i - first_] = start_lags(links);
        const Piece given = piece_of(i);
        for (ForkLag& one : lags_[i - first_]) {
            one.inputs = with_block(i, one.inputs + more.earliest);
            one.piece = lcm(one.piece, given);
        }
    }

    void note_pieces(std::size_t edge, const Pace& at, const ForkLags& behind) {
        const std::size_t op = producer(edge);
        const double later = std::max(at.earliest - available_[op - first_].earliest, fork_wait(edge, behind));
        if (waiting(edge, later) == 0 || !shares_blocks(op)) return;
        const Piece piece = piece_from(op, behind);
        const auto [known, first] = pieces_.try_emplace(op, piece);
        if (!first) known->second = lcm(known->second, piece);
    }

    /// Enlarges the producer's buffer to the required size, then towards the size for full pace as L1 allows. False if
    /// the required size does not fit.
    bool lengthen(std::size_t edge, const Pace& at, double held) {
        const std::size_t op = producer(edge);
        const Pace& there = available_[op - first_];
        std::int64_t& buffer = routes_.buffers[op - first_];
        const std::int64_t least =
            without_circular_wait(op, std::max(buffer, buffer_for(edge, std::max(at.earliest - there.earliest, held))));
        if (least > buffer)
            if (const std::int64_t bytes = over(op, least); bytes > 0) {
                routes_.no_room.push_back({edge, bytes});
                return false;
            }
        buffer = std::max(buffer, least);
        const std::int64_t most = buffer_for(edge, at.usual - there.usual);
        while (buffer < most) {
            const std::int64_t longer = whole_buffer(op, buffer + 1);
            if (over(op, longer) > 0) break;
            buffer = longer;
        }
        return true;
    }

    const OutputStreamingCost& output_streaming_cost(std::size_t op, std::int64_t buffer) {
        const auto [known, fresh] = output_streaming_costs_.try_emplace({op, buffer});
        if (!fresh) return known->second;
        const auto readers = direct_readers(op);
        if (!readers.empty()) known->second = costs_.output_streaming_cost(op, at(op).number, buffer, readers);
        return known->second;
    }

    /// Larger blocks reduce the per-block costs of sender and receivers. Chooses the smallest block at the pace of the
    /// epoch's slowest op, else the fastest that fits.
    void enlarge_blocks(std::size_t op, bool may) {
        const std::int64_t slices = at(op).op->cfg.out.t;
        std::int64_t& buffer = routes_.buffers[op - first_];
        double best = output_streaming_cost(op, buffer).cycles;
        for (std::int64_t mblocks = buffer / 2 + 1; may && best > pace_ && mblocks <= slices; ++mblocks) {
            if (slices % mblocks != 0 || whole_buffer(op, 2 * mblocks) != 2 * mblocks) continue;
            if (over(op, 2 * mblocks) > 0) break;
            const double cycles = output_streaming_cost(op, 2 * mblocks).cycles;
            if (cycles >= best) continue;
            best = cycles;
            buffer = 2 * mblocks;
        }
        routes_.output_streaming_cycles = std::max(routes_.output_streaming_cycles, best);
    }

    static constexpr std::int64_t double_buffer = 2;
    const Choices& choices_;
    const EdgeCosts& costs_;
    const std::vector<RoutedOp>& ops_;
    std::size_t first_;
    double pace_ = 0;  ///< cycles of the slowest op
    std::vector<bool> cut_;
    std::vector<Pace> available_;          // per op: when its first slice is available
    std::vector<ForkLags> lags_;           // per op
    std::map<std::size_t, Piece> pieces_;  // of forks whose readers share blocks
    std::map<std::pair<std::size_t, std::int64_t>, OutputStreamingCost> output_streaming_costs_;  // per op and buffer
    Routes routes_;
};

}  // namespace

Routes route(const Choices& choices, const EdgeCosts& costs, const std::vector<RoutedOp>& ops, std::size_t first,
             const std::vector<bool>& cut) {
    Router usual(choices, costs, ops, first, cut);
    Routes best = usual.run({});
    std::set<std::size_t> larger;
    if (!best.no_room.empty()) return best;
    for (const std::size_t op : usual.slow_ops()) {
        larger.insert(op);
        Router tried = usual;  // reuses the known buffers and costs
        Routes routes = tried.run(larger);
        if (routes.no_room.empty())
            best = std::move(routes);
        else
            larger.erase(op);
    }
    return best;
}

}  // namespace ttsim::impl::ir
