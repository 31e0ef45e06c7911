#include "sim/hang/remedy.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "netlist/checks/instances.hpp"
#include "sim/setup/setup.hpp"
#include "sim/timed/machine.hpp"

namespace ttsim::impl::sim {

namespace {

using WallClock = std::chrono::steady_clock;

/// Limits of the search: doublings of one size, and number of buffers enlarged together.
constexpr int max_doublings = 12;
constexpr std::size_t max_rooms = 8;

/// A buffer or queue and its new size.
struct Change {
    Room room;
    std::int64_t size = 0;
    std::vector<BufferAddress> moved;  ///< new addresses of a queue that was moved; empty: not moved
};

std::uint64_t end_of(const Queue& queue, const BufferAddress& at) {
    return at.address + static_cast<std::uint64_t>(queue_buffer_bytes(queue));
}

bool overlap(const Queue& a, const Queue& b) {
    if (a.where != QueueLoc::Dram || b.where != QueueLoc::Dram || a.device() != b.device()) return false;
    for (const BufferAddress& mine : a.buffers)
        for (const BufferAddress& theirs : b.buffers)
            if (mine.channel == theirs.channel && mine.address < end_of(b, theirs) && theirs.address < end_of(a, mine))
                return true;
    return false;
}

/// Enlarges a queue. When it would overlap another, it is moved after the last queue of its chip.
void enlarge(Netlist& netlist, Queue& queue, Change& change) {
    std::vector<const Queue*> shared;  // queues that it overlapped before
    for (const Queue& other : netlist.queues)
        if (overlap(queue, other)) shared.push_back(&other);
    queue.entries = change.size;
    const bool collides = std::any_of(netlist.queues.begin(), netlist.queues.end(), [&](const Queue& other) {
        return overlap(queue, other) && std::find(shared.begin(), shared.end(), &other) == shared.end();
    });
    if (!collides) return;
    std::uint64_t top = 0;
    for (const Queue& other : netlist.queues)
        if (&other != &queue && other.where == QueueLoc::Dram && other.device() == queue.device())
            for (const BufferAddress& at : other.buffers) top = std::max(top, end_of(other, at));
    constexpr std::uint64_t page = 0x1000;
    top = (top + page - 1) / page * page;
    std::map<std::int64_t, std::uint64_t> used;  // bytes used after the last queue, by channel
    for (BufferAddress& at : queue.buffers) {
        std::uint64_t& offset = used[at.channel];
        at.address = top + offset;
        offset += static_cast<std::uint64_t>(queue_buffer_bytes(queue));
    }
    change.moved = queue.buffers;
}

void apply(Netlist& netlist, Change& change) {
    if (change.room.kind == Room::Kind::Entries) {
        for (Queue& queue : netlist.queues)
            if (queue.name == change.room.name) enlarge(netlist, queue, change);
        return;
    }
    for (Graph& graph : netlist.graphs)
        for (Op& op : graph.ops) {
            if (op.name() != change.room.name) continue;
            if (change.room.kind == Room::Kind::Output) {
                op.buf_size_mb = change.size;
                continue;
            }
            op.input_buf_min_size_tiles.resize(std::max(op.input_buf_min_size_tiles.size(), op.inputs.size()), 0);
            op.input_buf_min_size_tiles[change.room.operand] = change.size;
        }
}

std::string text_of(const Change& change) {
    const Room& room = change.room;
    switch (room.kind) {
        case Room::Kind::Output:
            return fmt::format("'buf_size_mb' of op '{}' from {} to {}", room.name, room.size, change.size);
        case Room::Kind::Operand:
            return fmt::format("'input_buf_min_size_tiles' of op '{}' for input {} to {} (it has {} tiles)", room.name,
                               room.operand, change.size, room.size);
        case Room::Kind::Entries:
            break;
    }
    std::string text = fmt::format("'entries' of queue '{}' from {} to {}", room.name, room.size, change.size);
    if (change.moved.empty()) return text;
    std::string places;
    for (const BufferAddress& at : change.moved)
        places += fmt::format("{}[{}, {:#x}]", places.empty() ? "" : ", ", at.channel, at.address);
    return text + fmt::format(" (with 'dram: [{}]', clear of other queues)", places);
}

class Search {
public:
    Search(const RunOptions& options, std::chrono::milliseconds most)
        : options_(options), end_(WallClock::now() + most) {
        options_.mode = Mode::Timing;
        options_.check = false;
        options_.dump_dir.clear();
        options_.trace = {};
        options_.sink = {};
        options_.progress = [this](const RunProgress&) {
            if (over()) throw Error(Fault::Interrupted, {}, "no time left");
        };
    }
    bool over() const { return WallClock::now() >= end_; }

    /// Outcome of a run. Refused: the netlist is not valid with the changes.
    enum class End : std::uint8_t { Runs, Hangs, Refused };
    End simulate(std::vector<Change>& changes) const {
        std::unique_ptr<Setup> setup;
        try {
            setup = set_up(options_, [&](Netlist& netlist) {
                for (Change& change : changes) apply(netlist, change);
            });
            run_machine(*setup->state);
            return End::Runs;
        } catch (const Error& error) {  // too large, or still a hang
            if (error.fault() == Fault::Internal) throw;
            return error.fault() == Fault::Hang ? End::Hangs : End::Refused;
        }
    }

private:
    RunOptions options_;
    WallClock::time_point end_;
};

/// Doubles one buffer until the run completes.
std::optional<Change> enlarge_one(const Search& search, const Room& room) {
    Change change{room, room.size, {}};
    for (int n = 0; n < max_doublings && !search.over(); ++n) {
        change.size *= 2;
        std::vector<Change> trial{change};
        const Search::End end = search.simulate(trial);
        if (end == Search::End::Runs) return trial.front();
        if (end == Search::End::Refused) break;
    }
    return std::nullopt;
}

/// Doubles all buffers in turn until the run completes; a buffer whose growth is refused keeps its size.
std::vector<Change> enlarge_several(const Search& search, const std::vector<Room>& rooms) {
    std::vector<Change> changes;
    for (const Room& room : rooms) changes.push_back({room, room.size, {}});
    bool grew = rooms.size() > 1;
    for (int n = 0; n < max_doublings && grew && !search.over(); ++n) {
        grew = false;
        for (std::size_t i = 0; i < rooms.size() && !search.over(); ++i) {
            std::vector<Change> trial = changes;
            Change& larger = trial[i];
            larger.size *= 2;
            larger.moved.clear();
            const Search::End end = search.simulate(trial);
            if (end == Search::End::Refused) continue;
            changes = trial;
            grew = true;
            if (end == Search::End::Hangs) continue;
            std::erase_if(changes, [](const Change& c) { return c.size == c.room.size; });
            return changes;
        }
    }
    return {};
}

}  // namespace

std::string remedy(const RunOptions& options, const std::vector<Room>& exhausted_buffers,
                   std::chrono::milliseconds most) {
    std::vector<Room> rooms = exhausted_buffers;
    if (rooms.size() > max_rooms) rooms.resize(max_rooms);
    const Search search(options, most);
    for (const Room& room : rooms)
        if (const auto change = enlarge_one(search, room)) return text_of(*change);
    std::string text;
    for (const Change& change : enlarge_several(search, rooms))
        text += (text.empty() ? "" : "; and ") + text_of(change);
    return text;
}

}  // namespace ttsim::impl::sim
