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
          behind_(ops.size()) {
        for (const RoutedOp& op : ops) {
            routes_.buffers.push_back(op.op->buf_size_mb);
            pace_ = std::max(pace_, op.candidate->cycles);
        }
    }

    /// `larger`: ops that may have larger blocks where handing over would keep the epoch waiting. A buffer changes when
    /// its op hands over its first block, and so what others must hold: until nothing changes.
    Routes run(const std::set<std::size_t>& larger) {
        for (std::vector<std::int64_t> before; before != routes_.buffers && routes_.no_room.empty();) {
            before = routes_.buffers;
            routes_.waiting.clear();
            routes_.output_streaming_cycles = 0;
            for (std::size_t i = first_; i < first_ + ops_.size(); ++i) connect(i);
            for (std::size_t i = first_; i < first_ + ops_.size(); ++i) output_streaming_faster(i, larger.contains(i));
        }
        return routes_;
    }

    /// Ops whose hand-overs would keep the epoch waiting, the slowest first.
    std::vector<std::size_t> slow_ops() {
        std::vector<std::pair<double, std::size_t>> slow;
        for (std::size_t i = first_; i < first_ + ops_.size(); ++i)
            if (const double cycles = handed_over(i, routes_.buffers[i - first_]).cycles; cycles > pace_)
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

    /// When elements are there, in inputs since the epoch began: at the earliest whatever buffers there are, because
    /// something needs several slices at once; and at full pace, each op taking its time.
    struct Pace {
        double earliest = 0, usual = 0;
    };

    /// A share of an input, or several inputs.
    struct Piece {
        std::int64_t inputs = 1, parts = 1;  ///< inputs / parts, in lowest terms
        static Piece of(std::int64_t inputs, std::int64_t parts) {
            const std::int64_t both = std::gcd(inputs, parts);
            return {inputs / both, parts / both};
        }
        /// The least that is a multiple of both.
        friend Piece lcm(Piece a, Piece b) { return of(std::lcm(a.inputs, b.inputs), std::gcd(a.parts, b.parts)); }
        /// The fewest slices that are whole pieces, where an input has so many.
        std::int64_t slices(std::int64_t of_input) const { return of(inputs * of_input, parts).inputs; }
    };

    /// How far an op is behind the forks that it comes from: the inputs that must have left each before the op's first
    /// slice is there. What waits beside it waits from the fork on, whenever the fork began. It takes whole pieces.
    struct Behind {
        std::size_t fork = 0;
        double inputs = 0;
        Piece piece;
    };
    using Behinds = std::vector<Behind>;  // by fork

    bool is_fork(std::size_t op) const {
        const auto& readers = choices_.from[op];
        return std::count_if(readers.begin(), readers.end(), [&](std::size_t e) {
                   return !cut_[e] && choices_.edges[e].consumer < first_ + ops_.size();
               }) > 1;
    }

    /// The later of two for each fork.
    static void add(Behinds& all, const Behind& more) {
        const auto found = std::lower_bound(all.begin(), all.end(), more.fork,
                                            [](const Behind& one, std::size_t wanted) { return one.fork < wanted; });
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

    /// When the op can begin, by the links that are direct or not.
    Pace begin(const std::vector<std::size_t>& links) const {
        Pace at;
        for (const std::size_t e : links) {
            const Pace& there = available_[producer(e) - first_];
            const double waits = waits_of(e);
            at = {std::max(at.earliest, there.earliest + waits), std::max(at.usual, there.usual + waits)};
        }
        return at;
    }

    /// The same behind each fork.
    Behinds begin_behind(const std::vector<std::size_t>& links) const {
        Behinds all;
        for (const std::size_t e : links) {
            const std::size_t from = producer(e);
            const double waits = waits_of(e);
            const Piece taken = cut_[e] ? Piece{} : Piece::of(choices_.details[e].window, at(from).op->cfg.out.t);
            for (const Behind& one : behind_[from - first_])
                add(all, {one.fork, one.inputs + waits, lcm(one.piece, taken)});
            if (is_fork(from)) add(all, {from, waits, taken});
        }
        return all;
    }

    /// The most that what comes through the edge must wait for another path out of the same fork.
    double held_back(std::size_t edge, const Behinds& at) const {
        const std::size_t from = producer(edge);
        const Behinds& there = behind_[from - first_];
        double most = 0;
        for (const Behind& one : at) {
            const auto found =
                std::find_if(there.begin(), there.end(), [&](const Behind& b) { return b.fork == one.fork; });
            if (one.fork == from)
                most = std::max(most, one.inputs);
            else if (found != there.end())
                most = std::max(most, one.inputs - found->inputs);
        }
        return most;
    }

    /// From taking the first elements of an input to giving the first slice of the result.
    Pace delay(std::size_t op) const {
        constexpr double ublocks = 0.25;  // what streams ublock by ublock
        const double slice = 1 / slices(op);
        const std::string& type = at(op).op->cfg.type;
        const bool streams = type != "matmul" && type != "depthwise" && type != "reduce";
        if (choices_.ops[op].pattern) return {1, 1};
        return {0, streams ? std::min(slice, ublocks) : slice};
    }

    /// The first slice of an output that goes in blocks is there when its block is.
    double with_block(std::size_t op, double earliest) {
        const double slice = 1 / slices(op), block = handed_over(op, routes_.buffers[op - first_]).block * slice;
        return block > 0 ? std::ceil((earliest + slice) / block - 1e-6) * block - slice : earliest;
    }

    /// What an op gives at once: a slice, or the block in which it hands over.
    Piece piece_of(std::size_t op) {
        const std::int64_t t = at(op).op->cfg.out.t;
        const double block = handed_over(op, routes_.buffers[op - first_]).block;
        return Piece::of(std::max<std::int64_t>(1, std::llround(block)), t);
    }

    /// Bytes beyond L1 with a buffer so long, at most 0 when it fits.
    std::int64_t over(std::size_t op, std::int64_t buffer) const {
        Op longer = *at(op).op;
        longer.buf_size_mb = buffer;
        return l1_bytes(longer, at(op).candidate->resident) - choices_.ops[op].choice.usable_bytes;
    }

    /// Slices that wait in the producer's buffer when the consumer begins so much later.
    std::int64_t waiting(std::size_t edge, double later) const {
        return static_cast<std::int64_t>(std::ceil(later * slices(producer(edge)) - 1e-6));
    }

    /// Of what comes through the edge's consumer from its producer by other paths, too.
    Piece piece_from(std::size_t op, const Behinds& at) const {
        const auto found = std::find_if(at.begin(), at.end(), [&](const Behind& one) { return one.fork == op; });
        return found == at.end() ? Piece::of(1, this->at(op).op->cfg.out.t) : found->piece;
    }

    /// Whether what one reader of the op leaves waiting must be in the block that all of them take.
    bool shares_blocks(std::size_t op) { return is_fork(op) && handed_over(op, at(op).op->buf_size_mb).in_blocks; }

    std::vector<EdgeCosts::Reader> direct_readers(std::size_t op) const {
        std::vector<EdgeCosts::Reader> readers;
        for (const std::size_t e : choices_.from[op])
            if (const std::size_t to = choices_.edges[e].consumer; !cut_[e] && to < first_ + ops_.size())
                readers.push_back({e, at(to).number});
        return readers;
    }

    /// buf_size_mb of the edge's producer for the consumer to begin so much later.
    std::int64_t buffer_for(std::size_t edge, double later) {
        const std::int64_t wait = waiting(edge, later), window = choices_.details[edge].window;
        const std::int64_t streamed = std::max(wait, window > 1 ? window - 1 : 0) + double_buffer;
        const bool block = wait > 0 && shares_blocks(producer(edge));
        return whole_buffer(producer(edge), block ? std::max(streamed, 2 * wait) : streamed);
    }

    /// So large or larger. Where readers of a fork take the same block, one that takes the next blocks of those before
    /// it must not need the fork's next block for the end of this one: blocks end where theirs do.
    std::int64_t whole_buffer(std::size_t op, std::int64_t least) const {
        const std::int64_t t = at(op).op->cfg.out.t;
        const auto known = pieces_.find(op);
        std::int64_t buffer = whole_blocks_buffer(least, t);
        if (known == pieces_.end()) return buffer;
        const std::int64_t slices = known->second.slices(t);
        while (buffer / 2 % slices != 0) buffer = whole_blocks_buffer(buffer + 1, t);
        return buffer;
    }

    /// So large or larger, that no reader waits for another which waits for it.
    std::int64_t without_circle(std::size_t op, std::int64_t least) {
        std::int64_t buffer = whole_buffer(op, least);
        while (is_fork(op) && handed_over(op, buffer).circle) buffer = whole_buffer(op, buffer + 1);
        return buffer;
    }

    void connect(std::size_t i) {
        const std::vector<std::size_t> links = links_of(i);
        for (bool stable = false; !stable;) {
            stable = true;
            const Pace at = begin(links);
            const Behinds behind = begin_behind(links);
            for (const std::size_t e : links) {
                if (cut_[e]) continue;
                note_pieces(e, at, behind);
                if (lengthen(e, at, held_back(e, behind))) continue;
                cut_[e] = true;
                handed_over_.clear();
                stable = false;
            }
        }
        const Pace at = begin(links), more = delay(i);
        for (const std::size_t e : links)
            if (!cut_[e])
                routes_.waiting[e] = (at.usual - available_[producer(e) - first_].usual) * slices(producer(e));
        available_[i - first_] = {with_block(i, at.earliest + more.earliest), at.usual + more.usual};
        behind_[i - first_] = begin_behind(links);
        const Piece given = piece_of(i);
        for (Behind& one : behind_[i - first_]) {
            one.inputs = with_block(i, one.inputs + more.earliest);
            one.piece = lcm(one.piece, given);
        }
    }

    void note_pieces(std::size_t edge, const Pace& at, const Behinds& behind) {
        const std::size_t op = producer(edge);
        const double later = std::max(at.earliest - available_[op - first_].earliest, held_back(edge, behind));
        if (waiting(edge, later) == 0 || !shares_blocks(op)) return;
        const Piece piece = piece_from(op, behind);
        const auto [known, first] = pieces_.try_emplace(op, piece);
        if (!first) known->second = lcm(known->second, piece);
    }

    /// Gives the producer what it must hold, and as much as there is room for of what keeps the pace; false when it
    /// has no room for what it must hold.
    bool lengthen(std::size_t edge, const Pace& at, double held) {
        const std::size_t op = producer(edge);
        const Pace& there = available_[op - first_];
        std::int64_t& buffer = routes_.buffers[op - first_];
        const std::int64_t least =
            without_circle(op, std::max(buffer, buffer_for(edge, std::max(at.earliest - there.earliest, held))));
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

    const HandedOver& handed_over(std::size_t op, std::int64_t buffer) {
        const auto [known, fresh] = handed_over_.try_emplace({op, buffer});
        if (!fresh) return known->second;
        const auto readers = direct_readers(op);
        if (!readers.empty()) known->second = costs_.handed_over(op, at(op).number, buffer, readers);
        return known->second;
    }

    /// What a block costs, its sender or who gathers it, is paid less often with larger ones: the smallest that hand
    /// over as fast as the epoch's slowest op takes, else the fastest there is room for.
    void output_streaming_faster(std::size_t op, bool may) {
        const std::int64_t slices = at(op).op->cfg.out.t;
        std::int64_t& buffer = routes_.buffers[op - first_];
        double best = handed_over(op, buffer).cycles;
        for (std::int64_t mblocks = buffer / 2 + 1; may && best > pace_ && mblocks <= slices; ++mblocks) {
            if (slices % mblocks != 0 || whole_buffer(op, 2 * mblocks) != 2 * mblocks) continue;
            if (over(op, 2 * mblocks) > 0) break;
            const double cycles = handed_over(op, 2 * mblocks).cycles;
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
    std::vector<Pace> available_;                                             // per op: when its first slice is there
    std::vector<Behinds> behind_;                                             // per op
    std::map<std::size_t, Piece> pieces_;                                     // of forks whose readers share blocks
    std::map<std::pair<std::size_t, std::int64_t>, HandedOver> handed_over_;  // per op and buffer, the same
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
        Router tried = usual;  // with what it knows of the ops
        Routes routes = tried.run(larger);
        if (routes.no_room.empty())
            best = std::move(routes);
        else
            larger.erase(op);
    }
    return best;
}

}  // namespace ttsim::impl::ir
