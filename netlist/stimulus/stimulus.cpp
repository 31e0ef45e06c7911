#include "netlist/stimulus/stimulus.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>

#include "netlist/stimulus/generator.hpp"
#include "netlist/stimulus/sparse_stimulus.hpp"
#include "netlist/stimulus/stimulus_choice.hpp"

namespace ttsim::impl {

namespace {

/// The filled part of every tile, 0-based and half open.
struct TilePart {
    std::int64_t row = 0, row_end = 0, col = 0, col_end = 0;
};

TilePart filled_part(const Stimulus& s, TileDim tile) {
    TilePart part{0, tile.h, 0, tile.w};
    if (s.rows_first > 0) part.row = std::min<std::int64_t>(s.rows_first - 1, tile.h);
    if (s.rows_last > 0) part.row_end = std::min<std::int64_t>(s.rows_last, tile.h);
    if (s.cols_first > 0) part.col = std::min<std::int64_t>(s.cols_first - 1, tile.w);
    if (s.cols_last > 0) part.col_end = std::min<std::int64_t>(s.cols_last, tile.w);
    part.row_end = std::max(part.row, part.row_end);
    part.col_end = std::max(part.col, part.col_end);
    return part;
}

/// Calls run(pointer, length, row, column) for every row of every tile's part, in generation order: z, tile row, tile
/// column, then the tile row by row.
template <class Run>
void for_each_run(Tensor& entry, TileDim tile, const TilePart& part, Run&& run) {
    const std::int64_t length = part.col_end - part.col;
    if (length == 0) return;
    for (std::int64_t z = 0; z < entry.z; ++z) {
        const MatrixView slice = entry.slice(z);
        for (std::int64_t r = 0; r < entry.rows; r += tile.h)
            for (std::int64_t c = part.col; c < entry.cols; c += tile.w)
                for (std::int64_t row = r + part.row; row < r + part.row_end; ++row)
                    run(slice.row(row) + c, length, row, c);
    }
}

/// Generates float values in blocks, so that generators work on long runs instead of the short rows of a tile.
template <class Fill>
void fill_floats(Tensor& entry, TileDim tile, const TilePart& part, Fill&& fill) {
    std::int64_t left = entry.size() / tile.elements() * (part.row_end - part.row) * (part.col_end - part.col);
    std::vector<float> block(static_cast<std::size_t>(std::min<std::int64_t>(left, 8192)));
    std::size_t next = block.size();
    for_each_run(entry, tile, part, [&](float* to, std::int64_t length, std::int64_t, std::int64_t) {
        for (auto wanted = static_cast<std::size_t>(length); wanted > 0;) {
            if (next == block.size()) {
                block.resize(static_cast<std::size_t>(std::min<std::int64_t>(left, 8192)));
                fill(std::span(block));
                left -= static_cast<std::int64_t>(block.size());
                next = 0;
            }
            const std::size_t count = std::min(wanted, block.size() - next);
            std::memcpy(to, block.data() + next, count * sizeof(float));
            to += count;
            next += count;
            wanted -= count;
        }
    });
}

/// An integer as tensor element; raw formats hold bit patterns.
float element(double value, bool raw) {
    if (!raw) return static_cast<float>(value);
    const double clamped = std::clamp(std::trunc(value), -2147483648.0, 4294967295.0);
    return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped)));
}

std::int64_t truncated(double bound) {
    return static_cast<std::int64_t>(std::clamp(bound, -9007199254740992.0, 9007199254740992.0));
}

/// The generator of one queue.
class QueueSource {
public:
    QueueSource(const Queue& queue, ChosenStimulus chosen)
        : queue_(&queue), chosen_(std::move(chosen)), normal_(chosen_.stimulus.mean, chosen_.stimulus.stddev) {}

    const std::string& why() const { return chosen_.why; }

    Tensor next(Mt19937& engine) {
        Tensor entry(queue_->shape(), queue_->tile);
        const Stimulus& s = chosen_.stimulus;
        switch (s.type) {
            case Stimulus::Type::Uniform:
            case Stimulus::Type::Normal:
                random(entry, engine);
                break;
            case Stimulus::Type::Constant:
                by_place(entry, [&](std::int64_t, std::int64_t, std::int64_t) { return s.value; });
                break;
            case Stimulus::Type::DebugTileId:
                tile_ids(entry);
                break;
            case Stimulus::Type::Step:
                by_place(entry, [&](std::int64_t n, std::int64_t, std::int64_t) { return step(n); });
                break;
            case Stimulus::Type::StepRowwise:
                by_place(entry, [&](std::int64_t, std::int64_t, std::int64_t column) { return step(column); });
                break;
            case Stimulus::Type::StepColumnwise:
                by_place(entry, [&](std::int64_t, std::int64_t row, std::int64_t) { return step(row); });
                break;
            case Stimulus::Type::Sparse:
                fill_sparse_tiles(entry, queue_->tile, engine);
                break;
            case Stimulus::Type::SparseEncoding:
            case Stimulus::Type::SparseEncodingNzCounts:
            case Stimulus::Type::SparseConvolution:
                fill_sparse_encoding(entry, *queue_, *chosen_.sparse_op, s, engine);
                break;
        }
        return entry;
    }

private:
    bool raw() const { return is_raw(queue_->df); }
    double step(std::int64_t n) const { return chosen_.stimulus.base + chosen_.stimulus.step * static_cast<double>(n); }

    template <class Value>
    void by_place(Tensor& entry, Value&& value) {
        std::int64_t count = 0;
        const TilePart part = filled_part(chosen_.stimulus, queue_->tile);
        for_each_run(entry, queue_->tile, part,
                     [&](float* to, std::int64_t length, std::int64_t row, std::int64_t col) {
                         for (std::int64_t i = 0; i < length; ++i) to[i] = element(value(count++, row, col + i), raw());
                     });
    }

    void tile_ids(Tensor& entry) {
        const TileDim tile = queue_->tile;
        const TilePart part = filled_part(chosen_.stimulus, tile);
        const std::int64_t per_tile = std::max<std::int64_t>(1, (part.row_end - part.row) * (part.col_end - part.col));
        by_place(entry, [&](std::int64_t n, std::int64_t, std::int64_t) { return step(n / per_tile); });
    }

    void random(Tensor& entry, Mt19937& engine) {
        const Stimulus& s = chosen_.stimulus;
        const TilePart part = filled_part(s, queue_->tile);
        const bool is_integral = raw() || is_integer(queue_->df), uniform = s.type == Stimulus::Type::Uniform;
        if (is_integral && uniform) {
            const std::int64_t low = truncated(s.low), high = std::max(low, truncated(s.high));
            std::uniform_int_distribution<std::int64_t> numbers(low, high);
            by_place(entry,
                     [&](std::int64_t, std::int64_t, std::int64_t) { return static_cast<double>(numbers(engine)); });
        } else if (is_integral) {
            by_place(entry, [&](std::int64_t, std::int64_t, std::int64_t) {
                return std::round(integer_normal_(engine) * s.stddev + s.mean);
            });
        } else if (uniform) {
            const auto low = static_cast<float>(s.low), high = static_cast<float>(s.high);
            fill_floats(entry, queue_->tile, part, [&](std::span<float> out) { fill_uniform(engine, low, high, out); });
        } else {
            fill_floats(entry, queue_->tile, part, [&](std::span<float> out) { normal_.fill(engine, out); });
        }
    }

    const Queue* queue_;
    ChosenStimulus chosen_;
    NormalFill normal_;
    std::normal_distribution<double> integer_normal_;
};

std::map<std::string, QueueSource, std::less<>> all_sources(const Netlist& netlist) {
    const StimulusChooser chooser(netlist);
    std::map<std::string, QueueSource, std::less<>> sources;
    Diagnostics problems;
    for (const Queue& queue : netlist.queues) {
        if (!queue.from_host()) continue;
        try {
            sources.emplace(queue.name, QueueSource(queue, chooser.choose(queue)));
        } catch (const Error& error) {
            problems.add(error);
        }
    }
    problems.throw_if_any();
    return sources;
}

class PerQueueSource final : public StimulusSource {
public:
    PerQueueSource(const Netlist& netlist, std::uint32_t seed) {
        for (auto& [name, source] : all_sources(netlist))
            queues_.emplace(name, Stream{Mt19937(++seed), std::move(source)});
    }
    Tensor next(const std::string& queue) override {
        Stream& stream = queues_.at(queue);
        return stream.source.next(stream.engine);
    }
    std::string describe(const std::string& queue) const override { return queues_.at(queue).source.why(); }

private:
    struct Stream {
        Mt19937 engine;
        QueueSource source;
    };
    std::map<std::string, Stream, std::less<>> queues_;
};

/// All entries come from one generator in a fixed order, so entries of earlier queues are generated first and buffered.
class TestOpSource final : public StimulusSource {
public:
    TestOpSource(const Netlist& netlist, std::map<std::string, std::int64_t> entries, std::uint32_t seed)
        : engine_(seed), sources_(all_sources(netlist)), entries_(std::move(entries)), at_(sources_.begin()) {}

    Tensor next(const std::string& queue) override {
        const std::lock_guard lock(mutex_);
        std::vector<Tensor>& buffered = buffered_[queue];
        std::size_t& consumed = consumed_[queue];
        while (buffered.size() <= consumed && at_ != sources_.end()) generate_next();
        if (buffered.size() <= consumed) buffered.push_back(sources_.at(queue).next(engine_));
        return std::move(buffered[consumed++]);
    }
    std::string describe(const std::string& queue) const override { return sources_.at(queue).why(); }

private:
    void generate_next() {
        const auto wanted = entries_.find(at_->first);
        if (wanted == entries_.end() || generated_ >= wanted->second) {
            ++at_;
            generated_ = 0;
            return;
        }
        buffered_[at_->first].push_back(at_->second.next(engine_));
        ++generated_;
    }

    std::mutex mutex_;
    Mt19937 engine_;
    std::map<std::string, QueueSource, std::less<>> sources_;
    std::map<std::string, std::int64_t> entries_;
    std::map<std::string, QueueSource, std::less<>>::iterator at_;
    std::int64_t generated_ = 0;
    std::map<std::string, std::vector<Tensor>> buffered_;
    std::map<std::string, std::size_t> consumed_;
};

}  // namespace

std::unique_ptr<StimulusSource> make_stimulus(const Netlist& resolved,
                                              const std::map<std::string, std::int64_t>& entries, std::uint32_t seed,
                                              StimulusOrder order) {
    if (order == StimulusOrder::TestOp) return std::make_unique<TestOpSource>(resolved, entries, seed);
    return std::make_unique<PerQueueSource>(resolved, seed);
}

}  // namespace ttsim::impl
