#include "netlist/plan/stream_use.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "netlist/plan/chunk_walk.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

namespace {

using Rects = std::vector<TileRect>;

struct FedPipe {
    OperandUse use;
    std::int64_t last_core = 0;
};

/// The pipes of an operand: one per set of cores that need the same tiles.
std::vector<FedPipe> pipes_of(const OpConfig& op, std::size_t k) {
    std::vector<FedPipe> pipes;
    const OpDef& def = *find_op(op.type);
    const auto before = [](const TileRect& a, const TileRect& b) {
        return std::tie(a.r0, a.c0, a.nr, a.nc) < std::tie(b.r0, b.c0, b.nr, b.nc);
    };
    const auto less = [&](const Rects& a, const Rects& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
    };
    std::map<Rects, std::size_t, decltype(less)> known(less);
    for (std::int64_t i = 0; i < op.out.grid_r; ++i)
        for (std::int64_t j = 0; j < op.out.grid_c; ++j) {
            OperandUse use = def.use(op, static_cast<int>(k), i, j);
            const auto [it, fresh] = known.emplace(use.rects, pipes.size());
            if (fresh) pipes.push_back({std::move(use), 0});
            pipes[it->second].last_core = i * op.out.grid_c + j;
        }
    return pipes;
}

/// Counts the runs of one pipe per source.
class Pipeline {
public:
    Pipeline(const TmMap& map, const Blocking& producer)
        : map_(map), producer_(producer), phases_(static_cast<std::size_t>(producer.cores()), 0), tiles_(phases_) {}

    /// Stops when the state repeats after some periods of slices, and extrapolates the rest (Brent's cycle detection).
    void follow(const OperandUse& use, const Blocking& out) {
        const std::int64_t period = map_.period(), slices = map_.shape().z;
        State before = state_;
        counted_ = {phases_, tiles_};
        std::int64_t from = 0, power = 1;  // in periods: position of `before`, and distance of the search
        for (std::int64_t z = 0; z < slices; ++z) {
            slice(z, use, out);
            const std::int64_t periods = (z + 1) / period;
            if ((z + 1) % period != 0 || slices < 2 * period) continue;
            if (state_ == before) {
                const std::int64_t repetitions = (slices - z - 1) / ((periods - from) * period);
                repeat(repetitions);
                z += repetitions * (periods - from) * period;
                power = std::numeric_limits<std::int64_t>::max();
            } else if (periods - from == power) {
                before = state_;
                counted_ = {phases_, tiles_};
                from = periods;
                power *= 2;
            }
        }
    }
    /// Per source: number of runs of the pipe.
    const std::vector<std::int64_t>& phases() const { return phases_; }
    const std::vector<std::int64_t>& tiles() const { return tiles_; }

private:
    struct State {
        std::int64_t source = -1, in_run = 0;
        friend bool operator==(const State&, const State&) = default;
    };

    void slice(std::int64_t z, const OperandUse& use, const Blocking& out) {
        for (std::int64_t chunk = 0; chunk < chunks_of(use); ++chunk)
            walk_chunk(use, out, 1, 1, chunk, [&](const TileRect& rect) { by_ublock(z, rect, use, out); });
    }

    /// Adds the counts since the repeated state `times` more times.
    void repeat(std::int64_t times) {
        for (std::size_t s = 0; s < phases_.size(); ++s) {
            phases_[s] += times * (phases_[s] - counted_.phases[s]);
            tiles_[s] += times * (tiles_[s] - counted_.tiles[s]);
        }
    }

    /// Rows of a k-block are ordered by ublocks of the result's columns.
    void by_ublock(std::int64_t z, const TileRect& rect, const OperandUse& use, const Blocking& out) {
        const bool across = use.chunks == OperandUse::Chunks::KRows && rect.nc % out.ublock_ct == 0;
        const std::int64_t width = across ? out.ublock_ct : rect.nc;
        const std::int64_t end = rect.r0 + rect.nr;
        for (std::int64_t first = rect.c0; first < rect.c0 + rect.nc; first += width)
            for (std::int64_t r = rect.r0; r < end;) {
                const TileArea area = map_.area(z, r, first, end - r, width);
                if (area.columns == width) {
                    if (!area.first.pad) add_area(area);
                    r += area.rows;
                } else {
                    row(z, r++, first, width);
                }
            }
    }

    void row(std::int64_t z, std::int64_t r, std::int64_t c, std::int64_t left) {
        while (left > 0) {
            const TileArea area = map_.area(z, r, c, 1, left);
            if (!area.first.pad) add_area(area);
            c += area.columns;
            left -= area.columns;
        }
    }

    /// Adds an area row by row. Its rows are along the producer's columns if it is turned.
    void add_area(const TileArea& area) {
        const std::int64_t height = area.turned ? producer_.core_ct() : producer_.core_rt();
        const std::int64_t width = area.turned ? producer_.core_rt() : producer_.core_ct();
        const std::int64_t down = area.turned ? 1 : producer_.grid_c, across = area.turned ? producer_.grid_c : 1;
        const std::int64_t top = area.turned ? area.first.c : area.first.r;
        const std::int64_t left = area.turned ? area.first.r : area.first.c;
        const std::int64_t block = left / width * across;
        std::int64_t row = top / height, room = height - top % height;
        for (std::int64_t rows = area.rows; rows > 0; rows -= room, room = height, ++row)
            add_rows(row * down + block, across, left % width, width, std::min(rows, room), area.columns);
    }

    /// Adds equal rows, which begin at column `at` of a block and continue in blocks `step` further.
    void add_rows(std::int64_t block, std::int64_t step, std::int64_t at, std::int64_t width, std::int64_t rows,
                  std::int64_t columns) {
        if (at + columns <= width) return add_tiles(block, rows * columns);
        for (std::int64_t left = columns, room = width - at; left > 0; left -= room, room = width, block += step) {
            const std::int64_t tiles = std::min(left, room);
            add_tiles(block, tiles);
            // further rows: every block is another source than the one before
            phases_[static_cast<std::size_t>(block)] += (rows - 1) * ((tiles + phase_tiles - 1) / phase_tiles);
            tiles_[static_cast<std::size_t>(block)] += (rows - 1) * tiles;
        }
    }

    void add_tiles(std::int64_t source, std::int64_t tiles) {
        std::int64_t& phases = phases_[static_cast<std::size_t>(source)];
        if (source != state_.source) {
            state_ = {source, 0};
            ++phases;
        }
        state_.in_run += tiles;
        tiles_[static_cast<std::size_t>(source)] += tiles;
        for (; state_.in_run > phase_tiles; state_.in_run -= phase_tiles) ++phases;
    }

    const TmMap& map_;
    const Blocking& producer_;
    std::vector<std::int64_t> phases_, tiles_;  // per source
    State state_;
    struct Counts {
        std::vector<std::int64_t> phases, tiles;
    };
    Counts counted_;  // counts at the state `before`
};

}  // namespace

StreamUse stream_use(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer) {
    const TmMap map(producer.shape(), tms);
    StreamUse most;
    std::vector<std::int64_t> forks(static_cast<std::size_t>(producer.cores()), 0), phases = forks;
    for (const FedPipe& pipe : pipes_of(op, k)) {
        Pipeline line(map, producer);
        line.follow(pipe.use, op.out);
        std::int64_t own = 0, sources = 0;
        for (std::size_t s = 0; s < forks.size(); ++s) {
            if (line.phases()[s] == 0) continue;
            ++sources;
            ++forks[s];
            own += line.phases()[s];
            phases[s] += line.phases()[s];
        }
        most.consumer_phases = std::max(most.consumer_phases, own);
        most.sources = std::max(most.sources, sources);
    }
    most.fan_out = *std::max_element(forks.begin(), forks.end());
    most.producer_phases = *std::max_element(phases.begin(), phases.end());
    return most;
}

std::vector<PipeTiles> pipe_tiles(const OpConfig& op, std::size_t k, const OperandTms& tms, const Blocking& producer) {
    const TmMap map(producer.shape(), tms);
    std::vector<PipeTiles> all;
    for (const FedPipe& pipe : pipes_of(op, k)) {
        Pipeline line(map, producer);
        line.follow(pipe.use, op.out);
        PipeTiles tiles{pipe.last_core, {}};
        for (std::size_t s = 0; s < line.tiles().size(); ++s)
            if (line.tiles()[s] > 0) tiles.from.emplace_back(static_cast<std::int64_t>(s), line.tiles()[s]);
        all.push_back(std::move(tiles));
    }
    return all;
}

}  // namespace ttsim::impl
