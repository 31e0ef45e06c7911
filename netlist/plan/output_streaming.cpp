#include "netlist/plan/output_streaming.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ttsim::impl {

std::string to_string(ScatterRule rule) {
    switch (rule) {
        case ScatterRule::None:
            return "in order";
        case ScatterRule::Destinations:
            return "feeds several cores alternately (rule 1)";
        case ScatterRule::TwoPipes:
            return "reads one core's tiles through two pipes (rule 2)";
        case ScatterRule::Order:
            return "reads tiles in another order (rule 3)";
        case ScatterRule::Padding:
            return "reads padding too (rule 4)";
        case ScatterRule::Part:
            return "reads a fraction of an mblock (rule 5)";
        case ScatterRule::Pieces:
            return "reads incomplete blocks (rule 6)";
    }
    return "";
}

namespace {

constexpr std::int64_t units_before_repeat = 64;  ///< forks with more units are checked for a period
constexpr std::int64_t min_period = 32;           ///< minimum units of a period

/// Values of the cores of a producer, first T{}. Orders have many spans of few cores.
template <class T>
class BySource {
public:
    T& operator[](std::int64_t source) {
        const auto number = static_cast<std::size_t>(source);
        if (number >= values_.size()) values_.resize(number + 1);
        return values_[number];
    }
    std::int64_t size() const { return std::ssize(values_); }

private:
    std::vector<T> values_;
};

/// The blocks of one producer, and how readers divide them.
class Blocks {
public:
    Blocks(const Op& producer, std::int64_t input_count)
        : mblock_(producer.cfg.out.mblock_tiles()), slices_(producer.cfg.out.t), total_mblocks_(input_count * slices_) {
        set(producer.buf_size_mb == 1 ? 1 : std::max<std::int64_t>(1, producer.buf_size_mb / 2));
    }
    /// Increases the block to the next size that divides an input.
    void enlarge() {
        std::int64_t more = mblocks + 1;
        while (slices_ % more != 0) ++more;
        set(more);
    }
    void set(std::int64_t count) {
        mblocks = count;
        const std::int64_t total = total_mblocks_;
        filled = std::min(total, mblocks);
        size = filled * mblock_;
        truncated = total <= mblocks;
    }
    std::int64_t mblocks = 1, filled = 1, size = 1;  ///< S, E, tiles of E
    bool truncated = false;

    /// The order within the blocks of one input; for blocks of several inputs, within that one.
    std::map<std::int64_t, TileOrder> split(const TileOrder& order) const {
        std::map<std::int64_t, TileOrder> blocks;
        if (filled >= slices_) {
            const std::int64_t inputs = filled / slices_, per_input = slices_ * mblock_;
            if (order.empty()) return blocks;
            TileOrder& all = blocks[0];
            all.reserve(static_cast<std::size_t>(inputs) * order.size());
            for (std::int64_t n = 0; n < inputs; ++n)
                for (const TileSpan& span : order)
                    append(all, {span.source, span.first + (span.source < 0 ? 0 : n * per_input), span.tiles});
            return blocks;
        }
        std::int64_t at = 0;
        std::int64_t known = -1;
        TileOrder* block = nullptr;  // blocks[known]
        for (TileSpan span : order) {
            while (span.tiles > 0) {
                if (span.source >= 0) at = span.first / size;
                const std::int64_t here =
                    span.source < 0 ? span.tiles : std::min(span.tiles, (at + 1) * size - span.first);
                if (std::exchange(known, at) != at) block = &blocks[at];
                append(*block, {span.source, span.source < 0 ? 0 : span.first - at * size, here});
                span.first += here;
                span.tiles -= here;
            }
        }
        return blocks;
    }

    /// Whether the pipe returns to an earlier block of a core after a later one.
    bool goes_back(const TileOrder& order) const {
        if (filled >= slices_) return false;
        BySource<std::int64_t> latest;  // block
        for (const TileSpan& span : order) {
            if (span.source < 0) continue;
            std::int64_t& block = latest[span.source];
            if (span.first / size < block) return true;
            block = (span.first + span.tiles - 1) / size;
        }
        return false;
    }

private:
    static void append(TileOrder& order, const TileSpan& span) {
        if (!order.empty() && order.back().source == span.source &&
            (span.source < 0 || order.back().first + order.back().tiles == span.first))
            order.back().tiles += span.tiles;
        else
            order.push_back(span);
    }
    std::int64_t mblock_, slices_, total_mblocks_;
};

/// The rules that depend on one pipe only, and its contribution to the unit.
struct PipeView {
    ScatterRule rule = ScatterRule::None;
    std::int64_t unit = 0;  ///< gcd of lengths and starts of its runs
};

PipeView view(const TileOrder& block, std::int64_t mblock) {
    PipeView view;
    struct Seen {
        std::int64_t next = 0, tiles = 0;
    };
    BySource<Seen> seen;
    bool padded = false, in_order = true;
    for (const TileSpan& span : block) {
        if (span.source < 0) {
            padded = true;
            continue;
        }
        // most runs are whole units already
        if (view.unit == 0 || span.tiles % view.unit != 0 || span.first % view.unit != 0)
            view.unit = std::gcd(view.unit, std::gcd(span.tiles, span.first));
        Seen& source = seen[span.source];
        if (source.next != span.first) in_order = false;
        source.next = span.first + span.tiles;
        source.tiles += span.tiles;
    }
    bool part = false;
    for (std::int64_t source = 0; source < seen.size(); ++source) part = part || seen[source].tiles % mblock != 0;
    view.rule = !in_order ? ScatterRule::Order
                : padded  ? ScatterRule::Padding
                : part    ? ScatterRule::Part
                          : ScatterRule::None;
    return view;
}

/// source -> block -> pipes that read it.
using SourcePipes = std::map<std::int64_t, std::map<std::int64_t, std::set<std::size_t>>>;
SourcePipes source_pipes_of(const std::vector<std::map<std::int64_t, TileOrder>>& pipes) {
    SourcePipes source_pipes;
    for (std::size_t p = 0; p < pipes.size(); ++p)
        for (const auto& [block, order] : pipes[p]) {
            BySource<std::uint8_t> known;
            for (const TileSpan& span : order)
                if (span.source >= 0 && known[span.source] == 0) {
                    known[span.source] = 1;
                    source_pipes[span.source][block].insert(p);
                }
        }
    return source_pipes;
}

/// Whether the pipes that read a core differ between blocks.
bool destinations_change(const SourcePipes& source_pipes) {
    for (const auto& [_, blocks] : source_pipes)
        for (const auto& [__, of_block] : blocks)
            if (of_block != blocks.begin()->second) return true;
    return false;
}

bool feeds_two_pipes(const std::vector<std::map<std::int64_t, TileOrder>>& pipes) {
    BySource<std::size_t> pipe_of;  // its number from 1
    for (std::size_t p = 0; p < pipes.size(); ++p)
        for (const auto& [_, order] : pipes[p])
            for (const TileSpan& span : order) {
                if (span.source < 0) continue;
                std::size_t& pipe = pipe_of[span.source];
                if (pipe != 0 && pipe != p + 1) return true;
                pipe = p + 1;
            }
    return false;
}

/// Lengths of all periods of the spans, in spans.
std::vector<std::size_t> periods(const std::vector<TileSpan>& spans) {
    std::vector<std::size_t> border(spans.size(), 0);
    for (std::size_t i = 1; i < spans.size(); ++i) {
        std::size_t b = border[i - 1];
        while (b > 0 && !(spans[i] == spans[b])) b = border[b - 1];
        border[i] = spans[i] == spans[b] ? b + 1 : 0;
    }
    const std::size_t n = spans.size(), least = n == 0 ? 1 : n - border[n - 1];
    std::vector<std::size_t> all;
    if (n > 0 && n % least == 0)
        for (std::size_t p = least; p < n; p += least)
            if (n % p == 0) all.push_back(p);
    return all;
}

/// How often a source, which sends some tiles of a block, sends the same phases.
std::int64_t repeats(const TileOrder& block, std::int64_t source, std::int64_t sent, std::int64_t unit,
                     const OutputReader& reader) {
    if (reader.queue || sent / unit <= units_before_repeat) return 1;
    TileOrder spans;
    std::copy_if(block.begin(), block.end(), std::back_inserter(spans),
                 [&](const TileSpan& span) { return span.source == source; });
    const auto units = [&](std::size_t first_spans) {
        std::int64_t tiles = 0;
        for (std::size_t n = 0; n < first_spans; ++n) tiles += spans[n].tiles;
        return tiles / unit;
    };
    std::size_t chosen = 0, below = 0;
    for (const std::size_t period : periods(spans)) {
        if (units(period) * unit % std::max<std::int64_t>(1, reader.clear_tiles) != 0) continue;
        if (units(period) < min_period)
            below = period;
        else if (chosen == 0)
            chosen = period;
    }
    if (chosen == 0 || (units(chosen) > units_before_repeat && below > 0)) chosen = below > 0 ? below : chosen;
    return chosen == 0 ? 1 : static_cast<std::int64_t>(spans.size() / chosen);
}

/// Tiles of the smallest block to which no pipe returns.
std::int64_t held_together(Blocks blocks, const std::vector<OutputReader>& readers) {
    const auto goes_back = [&] {
        for (const OutputReader& reader : readers)
            for (const TileOrder& order : reader.orders)
                if (blocks.goes_back(order)) return true;
        return false;
    };
    while (goes_back()) blocks.enlarge();
    return blocks.size;
}

/// Average number of distinct sources in as many consecutive runs as a pipe has relays.
double sources_abreast(const TileOrder& order) {
    std::vector<std::int64_t> sources;
    for (const TileSpan& span : order)
        if (span.source >= 0) sources.push_back(span.source);
    const std::size_t window = std::min(relays, sources.size());
    if (window == 0) return 1;
    const auto number = [](std::int64_t source) { return static_cast<std::size_t>(source); };
    std::vector<std::size_t> runs(number(*std::max_element(sources.begin(), sources.end())) + 1, 0);  // in the window
    std::size_t distinct = 0, sum = 0;
    for (std::size_t end = 0; end < sources.size(); ++end) {
        if (runs[number(sources[end])]++ == 0) ++distinct;
        if (end >= window && --runs[number(sources[end - window])] == 0) --distinct;
        if (end + 1 >= window) sum += distinct;
    }
    return static_cast<double>(sum) / static_cast<double>(sources.size() - window + 1);
}

void add_forks(OutputStreaming& made, std::size_t r, std::size_t p, const OutputReader& reader,
               const std::map<std::int64_t, TileOrder>& blocks) {
    std::map<std::int64_t, Fork> forks;  // by source
    for (const auto& [_, order] : blocks) {
        struct Sent {
            std::int64_t phases = 0, tiles = 0;
        };
        BySource<Sent> of;
        for (const TileSpan& span : order) {
            if (span.source < 0) continue;
            Sent& sent = of[span.source];
            ++sent.phases;
            sent.tiles += span.tiles;
        }
        for (std::int64_t source = 0; source < of.size(); ++source) {
            const Sent& sent = of[source];
            if (sent.phases == 0) continue;
            Fork& fork = forks.try_emplace(source, Fork{r, p, source, 0, 0, 1, 1}).first->second;
            if (sent.phases <= fork.phases) continue;
            fork.phases = sent.phases;
            fork.tiles = sent.tiles;
            if (made.scatter())
                fork.repeats = repeats(order, source, sent.tiles, std::max<std::int64_t>(1, made.unit), reader);
        }
    }
    const double abreast = forks.size() > 1 ? sources_abreast(reader.orders[p]) : 1;
    for (auto& [_, fork] : forks) {
        fork.abreast = abreast;
        made.forks.push_back(fork);
    }
}

using PipeBlocks = std::vector<std::map<std::int64_t, TileOrder>>;  // by pipe: block -> tile order

/// Streams of one core that send a block. Pipes that read the core alternately, block by block, share one.
std::int64_t streams_of_block(const std::vector<SourcePipes>& readers) {
    std::map<std::int64_t, std::int64_t> streams;  // by source
    for (const SourcePipes& source_pipes : readers) {
        for (const auto& [source, blocks] : source_pipes) {
            std::size_t most = 0;
            for (const auto& [_, of_block] : blocks) most = std::max(most, of_block.size());
            streams[source] += static_cast<std::int64_t>(most);
        }
    }
    std::int64_t most = 0;
    for (const auto& [_, count] : streams) most = std::max(most, count);
    return most;
}

/// Maximum restarts of phases of the forks of a core.
std::int64_t max_restarts(const std::vector<Fork>& forks) {
    std::map<std::int64_t, std::int64_t> of;  // by source
    std::int64_t most = 0;
    for (const Fork& fork : forks) most = std::max(most, of[fork.source] += fork.repeats - 1);
    return most;
}

}  // namespace

std::int64_t OutputStreaming::most_phases() const {
    std::map<std::int64_t, std::int64_t> of;
    std::int64_t most = 0;
    for (const Fork& fork : forks) most = std::max(most, of[fork.source] += fork.phases);
    return most;
}

OutputStreaming output_streaming(const Op& producer, std::int64_t input_count,
                                 const std::vector<OutputReader>& readers) {
    const Blocks blocks(producer, input_count);
    const std::int64_t mblock = producer.cfg.out.mblock_tiles();
    OutputStreaming made;
    made.block_mblocks = blocks.mblocks;
    std::vector<PipeBlocks> pipe_blocks;    // by reader
    std::vector<SourcePipes> source_pipes;  // by reader
    std::int64_t unit = blocks.size;
    const auto decide = [&](ScatterRule rule, const OutputReader& reader) {
        if (made.scatter() || rule == ScatterRule::None) return;
        made.rule = rule;
        made.because = reader.name;
    };
    for (const OutputReader& reader : readers) {
        auto& pipes = pipe_blocks.emplace_back();
        bool goes_back = false;
        for (const TileOrder& order : reader.orders) {
            pipes.push_back(blocks.split(order));
            goes_back = goes_back || blocks.goes_back(order);
        }
        if (goes_back) decide(ScatterRule::Order, reader);
        made.alternating.push_back(destinations_change(source_pipes.emplace_back(source_pipes_of(pipes))));
        if (made.alternating.back()) decide(ScatterRule::Destinations, reader);
        if (feeds_two_pipes(pipes)) decide(ScatterRule::TwoPipes, reader);
        ScatterRule first = ScatterRule::None;
        for (const auto& pipe : pipes) {
            if (pipe.empty()) continue;
            const PipeView seen = view(pipe.begin()->second, mblock);
            unit = std::gcd(unit, seen.unit);
            if (seen.rule != ScatterRule::None && (first == ScatterRule::None || seen.rule < first)) first = seen.rule;
        }
        decide(first, reader);
        if (unit != blocks.mblocks * mblock) decide(ScatterRule::Pieces, reader);
    }
    made.unit = made.scatter() ? unit : blocks.mblocks * mblock;
    const bool one = blocks.truncated || producer.buf_size_mb == 1;
    made.block_tiles = made.scatter() ? blocks.size : mblock;
    made.buffer_tiles = made.scatter() ? blocks.size * (one ? 1 : 2) : producer.buf_size_mb * mblock;
    for (std::size_t r = 0; r < readers.size(); ++r)
        for (std::size_t p = 0; p < pipe_blocks[r].size(); ++p) add_forks(made, r, p, readers[r], pipe_blocks[r][p]);
    made.streams = streams_of_block(source_pipes);
    made.starts = made.streams + max_restarts(made.forks);
    made.held_together = made.scatter() ? held_together(blocks, readers) : made.block_tiles;
    return made;
}

}  // namespace ttsim::impl
