#include "tools/validation/dram_bench.hpp"

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "sim/memory/memory_constants.hpp"
#include "sim/noc/fabric.hpp"

namespace ttsim::impl::sim {

namespace {

/// Simulates one placement of tiles.
class Bench : private noc::Fabric::Client {
public:
    Bench(const DramBenchCase& what, const noc::Topology& topology, const noc::Constants& constants,
          const std::vector<NocCoord>& ports, const std::vector<NocCoord>& tiles)
        : what_(what), fabric_(topology, constants, *this) {
        for (std::size_t i = 0; i < tiles.size(); ++i)
            tiles_.push_back({topology.node(tiles[i]), topology.node(ports[i % ports.size()]), 0, 0, false});
    }

    /// Bytes delivered from clock `from` to clock `to`.
    std::uint64_t run(noc::Time from, noc::Time to) {
        from_ = from;
        to_ = to;
        for (std::uint32_t i = 0; i < tiles_.size(); ++i) fabric_.at(0, 0, i);
        TT_CHECK(fabric_.run(), "accesses to DRAM wait for each other");
        return bytes_;
    }

private:
    struct Tile {
        noc::Node at = 0, port = 0;
        int in_flight = 0;  ///< reads without response, writes that have not departed
        noc::Time next = 0;
        bool waiting = false;  ///< for a request slot
    };

    void timer(std::uint32_t, std::uint32_t index, noc::Time now) override {
        Tile& tile = tiles_[index];
        if (now >= to_) return;
        if (tile.in_flight >= fabric_.constants().request_slots) {
            tile.waiting = true;
            return;
        }
        const noc::Constants& c = fabric_.constants();
        noc::Transaction t;
        t.kind = what_.write ? noc::Kind::Write : noc::Kind::Read;
        t.noc = what_.noc;
        t.from = tile.at;
        t.to = tile.port;
        t.bytes = what_.bytes;
        t.dynamic = what_.write && !what_.static_vc;
        t.tag = index;
        ++tile.in_flight;
        tile.next = now + (what_.write ? c.issue_dram_write : c.issue_dram_read);
        fabric_.issue(t);
        fabric_.at(tile.next, 0, index);
    }
    void departed(std::uint32_t index, noc::Time now) override { slot_free(index, now); }
    void completed(std::uint32_t index, noc::Time now, noc::Time when) override {
        if (when >= from_ && when < to_) bytes_ += what_.bytes;
        if (!what_.write) slot_free(index, now);
    }
    void slot_free(std::uint32_t index, noc::Time now) {
        Tile& tile = tiles_[index];
        --tile.in_flight;
        if (!tile.waiting) return;
        tile.waiting = false;
        fabric_.at(std::max(now, tile.next), 0, index);
    }

    const DramBenchCase& what_;
    noc::Fabric fabric_;
    noc::Time from_ = 0, to_ = 0;
    std::uint64_t bytes_ = 0;
    std::vector<Tile> tiles_;
};

/// Random tiles, without repetition until all were used.
std::vector<NocCoord> random_tiles(const ChipParams& chip, int count, std::mt19937_64& random) {
    std::vector<NocCoord> all;
    for (const int y : chip.worker_y)
        for (const int x : chip.worker_x) all.push_back({x, y});
    std::vector<NocCoord> out;
    for (std::size_t i = 0; out.size() < static_cast<std::size_t>(count); i = (i + 1) % all.size()) {
        std::swap(all[i], all[i + random() % (all.size() - i)]);
        out.push_back(all[i]);
    }
    return out;
}

/// For each port in turn, the tile whose route has the lowest maximum link use by tiles chosen before; of equals, the
/// nearest.
std::vector<NocCoord> separate_tiles(const ChipParams& chip, const DramBenchCase& what, const noc::Topology& topology,
                                     const std::vector<NocCoord>& ports) {
    std::vector<NocCoord> left, out;
    std::vector<int> used(static_cast<std::size_t>(topology.ports()), 0);
    for (int i = 0; i < what.tiles; ++i) {
        if (left.empty())
            for (const int y : chip.worker_y)
                for (const int x : chip.worker_x) left.push_back({x, y});
        const NocCoord port = ports[static_cast<std::size_t>(i) % ports.size()];
        const auto route_of = [&](NocCoord tile) -> const noc::Route& {
            const noc::Node at = topology.node(tile), end = topology.node(port);
            return what.write ? topology.route(what.noc, at, end) : topology.route(what.noc, end, at);
        };
        const auto cost = [&](NocCoord tile) {
            int busiest = 0;
            const noc::Route& taken = route_of(tile);
            for (const noc::Hop& hop : taken.hops)
                if (topology.is_link(hop.port)) busiest = std::max(busiest, used[hop.port]);
            return std::pair(busiest, taken.links);
        };
        const auto best =
            std::min_element(left.begin(), left.end(), [&](NocCoord a, NocCoord b) { return cost(a) < cost(b); });
        for (const noc::Hop& hop : route_of(*best).hops) ++used[hop.port];
        out.push_back(*best);
        left.erase(best);
    }
    return out;
}

}  // namespace

DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip, const MemoryConstants& constants) {
    const noc::Constants& noc_constants = noc::constants(chip);
    const noc::Topology topology(chip, noc_constants.block_ports);
    std::mt19937_64 random(what.seed);
    std::uint64_t bytes = 0;
    const double clocks = static_cast<double>(what.clocks), warm = clocks / 3;
    for (int i = 0; i < what.placements; ++i) {
        std::vector<NocCoord> ports;  // each placement starts at the next channel
        for (std::size_t p = 0; p < static_cast<std::size_t>(what.channels); ++p)
            ports.push_back(constants.dram_ports[(static_cast<std::size_t>(i) + p) % constants.dram_ports.size()]);
        const bool random_pairing = what.pairing == Pairing::Random;
        Bench bench(
            what, topology, noc_constants, ports,
            random_pairing ? random_tiles(chip, what.tiles, random) : separate_tiles(chip, what, topology, ports));
        bytes += bench.run(warm, warm + clocks);
    }
    DramBenchResult result;
    result.bytes_per_clock = static_cast<double>(bytes) / clocks / what.placements;
    result.gb_per_second = result.bytes_per_clock * static_cast<double>(chip.clock_mhz) / 1000;
    result.percent_of_peak = 100 * result.bytes_per_clock / (constants.dram.peak_bytes * what.channels);
    return result;
}

}  // namespace ttsim::impl::sim
