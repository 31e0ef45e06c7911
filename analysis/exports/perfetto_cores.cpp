// Cores as tracks: a slice for each input, which contains waits by cause, and in a trace of level 2 the steps.
#include <algorithm>
#include <array>
#include <map>

#include "analysis/exports/perfetto_events.hpp"

namespace ttsim::impl::trace {

namespace {

/// Causes in the order in which they are drawn when their times are unknown: the usual order within an input.
constexpr std::array<const char*, 8> causes{"wait_source", "wait_noc", "wait_dram", "wait_room",
                                            "wait_output", "wait_dst", "wait_pack", "drain"};
constexpr std::array<const char*, 8> cause_names{"wait for source", "wait for NoC", "wait for DRAM", "wait for room",
                                                 "wait for output", "wait for Dst", "wait for pack", "drain"};
constexpr std::size_t dst = 5, drain = 7;
using Spent = std::array<std::int64_t, causes.size()>;

struct Span {
    std::int64_t start, end;
};

/// One input of a core, or several equal ones.
struct Row {
    std::int64_t epoch = 0, input = 0, times = 0, every = 0, shift = 0, start = 0, length = 0, to_first_unpack = 0;
    std::int64_t process = 0, track = 0, busy = 0, tiles = 0, math = 0;
    std::string op, type;
    Spent spent{};
    std::vector<std::vector<std::int64_t>> steps;  ///< start, busy, wait for Dst, packed
};

class CoreSlices {
public:
    explicit CoreSlices(PerfettoWriter& out) : out_(out) {}

    void add(const Row& row) {
        const std::string head = fmt::format(R"("type":{},"epoch":{},"busy":{},"math":{},"tiles":{})", quoted(row.type),
                                             row.epoch, row.busy, row.math, row.tiles);
        std::string args = head;
        for (std::size_t i = 0; i < causes.size(); ++i) args += fmt::format(R"(,"{}":{})", causes[i], row.spent[i]);
        for (std::int64_t n = 0; n < row.times; ++n) {
            const std::int64_t start = row.start + n * row.shift;
            if (!out_.shows(start)) continue;
            out_.slice(fmt::format("{} [{}]", row.op, row.input + n * row.every), "input", row.process, row.track,
                       start, start + row.length, args);
            add_steps(row, start);
            add_waits(row, start);
        }
    }

private:
    void add_steps(const Row& row, std::int64_t start) {
        for (std::size_t n = 0; n < row.steps.size(); ++n) {
            const auto& step = row.steps[n];
            if (step.size() < 4) continue;
            const std::int64_t from = start + step[0], worked = from + step[1];
            out_.slice(fmt::format("step {}", n), "step", row.process, row.track, from, worked + step[2],
                       fmt::format(R"("busy":{},"wait_dst":{})", step[1], step[2]));
            if (step[2] > 0) out_.slice(cause_names[dst], "wait", row.process, row.track, worked, worked + step[2], "");
        }
    }

    /// Times of the input without a step; without recorded steps, the times before the first unpack and at the end.
    static std::vector<Span> gaps(const Row& row, std::int64_t start) {
        std::vector<Span> gaps;
        std::int64_t at = start;
        const std::int64_t end = start + row.length;
        for (const auto& step : row.steps) {
            if (step.size() < 4) continue;
            if (start + step[0] > at) gaps.push_back({at, start + step[0]});
            at = std::max(at, start + step[0] + step[1] + step[2]);
        }
        if (!row.steps.empty()) {
            if (end > at) gaps.push_back({at, end});
            return gaps;
        }
        std::int64_t waited = 0;
        for (const std::int64_t cycles : row.spent) waited += cycles;
        const std::int64_t before = std::min(waited, row.to_first_unpack);
        if (before > 0) gaps.push_back({start, start + before});
        if (waited > before) gaps.push_back({end - (waited - before), end});
        return gaps;
    }

    /// A trace has the wait per cause of an input, but not their order. Causes fill the gaps in a fixed order, the
    /// drain of the epoch last.
    void add_waits(const Row& row, std::int64_t start) {
        Spent left = row.spent;
        if (!row.steps.empty()) left[dst] = 0;  // contained in the steps
        const auto kinds = std::count_if(left.begin(), left.end() - 1, [](std::int64_t cycles) { return cycles > 0; });
        const char* args = kinds > 1 ? R"("order":"not known")" : "";
        for (const Span& gap : gaps(row, start)) {
            std::int64_t at = gap.start;
            for (std::size_t i = 0; i < left.size() && at < gap.end; ++i) {
                const std::int64_t part = std::min(left[i], gap.end - at);
                if (part <= 0) continue;
                out_.slice(cause_names[i], "wait", row.process, row.track, at, at + part, i == drain ? "" : args);
                left[i] -= part;
                at += part;
            }
        }
    }

    PerfettoWriter& out_;
};

/// "1-2 gelu, add": the ops of all epochs.
void name_tracks(Reader& trace, PerfettoWriter& out) {
    Statement places(trace.database(),
                     "SELECT DISTINCT o.chip, c.x, c.y, o.name FROM core c JOIN op o ON o.id = c.op ORDER BY 1, 3, 2, "
                     "o.id");
    constexpr std::size_t most = 3;
    std::map<std::array<std::int64_t, 3>, std::vector<std::string>> ops;
    while (places.step())
        ops[{places.integer(0, 1 << 16), places.integer(2, 1 << 16), places.integer(1, 1 << 16)}].push_back(
            places.text(3));
    for (const auto& [at, names] : ops) {
        std::string text = fmt::format("{}-{}", at[2], at[1]);
        for (std::size_t n = 0; n < names.size() && n < most; ++n) text += (n == 0 ? " " : ", ") + names[n];
        if (names.size() > most) text += ", ...";
        out.name_track(process_of(at[0], PerfettoPart::Cores), track_of(at[2], at[1]), text);
    }
}

}  // namespace

void add_cores(Reader& trace, PerfettoWriter& out) {
    name_tracks(trace, out);
    Statement query(trace.database(),
                    "SELECT r.epoch, r.input, r.times, r.every, r.shift, r.start, r.length, r.to_first_unpack, o.chip, "
                    "c.x, c.y, o.name, o.type, r.math_bound + r.unpack_bound, r.tiles, r.math, p.events, "
                    "r.wait_source, r.wait_noc, r.wait_dram, r.wait_room, r.wait_output, r.wait_dst, r.wait_pack, "
                    "r.drain FROM core_run r JOIN core c ON c.id = r.core JOIN op o ON o.id = c.op LEFT JOIN pattern p "
                    "ON p.id = r.pattern");
    CoreSlices slices(out);
    const std::int64_t most = trace.most_repeats();
    while (query.step()) {
        Row row;
        int column = 0;
        for (std::int64_t* number : {&row.epoch, &row.input, &row.times, &row.every, &row.shift, &row.start,
                                     &row.length, &row.to_first_unpack})
            *number = query.integer(column++);
        row.times = query.integer(2, most);
        row.shift = query.integer(4, Statement::largest >> 8);  // limited, so that products do not overflow
        row.process = process_of(query.integer(8, 1 << 16), PerfettoPart::Cores);
        row.track = track_of(query.integer(9, 1 << 16), query.integer(10, 1 << 16));
        row.op = query.text(11);
        row.type = query.text(12);
        row.busy = query.integer(13);
        row.tiles = query.integer(14);
        row.math = query.integer(15);
        if (!query.null(16)) row.steps = number_rows(trace.database(), query.text(16));
        for (std::size_t i = 0; i < causes.size(); ++i) row.spent[i] = query.integer(17 + static_cast<int>(i));
        slices.add(row);
    }
}

}  // namespace ttsim::impl::trace
