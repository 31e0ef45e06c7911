#include "sim/memory/dram_bench.hpp"

#include <algorithm>
#include <deque>
#include <random>

#include "sim/memory/memory_constants.hpp"

namespace tt::sim {

namespace {

/// One placement, clock by clock.
class Bench : public FlitSink {
public:
    Bench(const DramBenchCase& what, const ChipParams& chip, const MemoryConstants& constants,
          const std::vector<NocCoord>& ports, const std::vector<NocCoord>& tiles)
        : what_(what),
          constants_(constants),
          noc_(chip.grid_x, chip.grid_y, what.noc, constants.router, *this),
          packet_flits_(static_cast<int>((what.bytes + flit_bytes - 1) / flit_bytes) + 1),
          flits_per_clock_(static_cast<double>(packet_flits_) / constants.dram.busy(what.write, what.bytes)) {
        for (const NocCoord port : ports) {
            channels_.push_back({port, {}, 0, 0, 0});
            if (!what_.write) noc_.limit(port, PacketClass::Response);
        }
        for (std::size_t i = 0; i < tiles.size(); ++i) tiles_.push_back({tiles[i], i % ports.size(), 0, 0});
    }

    /// Bytes delivered from clock `from` to clock `to`.
    std::uint64_t run(std::uint64_t from, std::uint64_t to) {
        while (noc_.now() < from) step();
        const std::uint64_t before = flits_;
        while (noc_.now() < to) step();
        return (flits_ - before) * what_.bytes / static_cast<std::uint64_t>(packet_flits_);
    }

    bool may_enter(const FlitPacket& packet) override {
        if (packet.kind == PacketClass::Response || what_.write) return true;
        return channels_[tiles_[packet.tag].channel].requests.size() <
               static_cast<std::size_t>(constants_.dram_requests);
    }
    bool take(const FlitPacket& packet, bool last) override {
        if (packet.kind == PacketClass::Response) {
            ++flits_;
            if (last) --tiles_[packet.tag].reads;
            return true;
        }
        Channel& channel = channels_[tiles_[packet.tag].channel];
        if (!what_.write) {
            channel.requests.push_back(packet);
            return true;
        }
        if (channel.held >= constants_.dram_buffer) return false;
        ++channel.held;
        ++flits_;
        return true;
    }

private:
    struct Channel {
        NocCoord port;
        std::deque<FlitPacket> requests;
        double progress;  ///< of a flit
        int held;         ///< flits written and not yet in memory
        int made;         ///< flits of the response under way
    };
    struct Tile {
        NocCoord at;
        std::size_t channel;
        std::uint64_t next_issue;
        int reads;  ///< under way
    };

    void step() {
        for (std::size_t i = 0; i < tiles_.size(); ++i) issue(i);
        for (Channel& channel : channels_) serve(channel);
        noc_.step();
    }
    void issue(std::size_t index) {
        Tile& tile = tiles_[index];
        if (noc_.now() < tile.next_issue || noc_.waiting(tile.at, PacketClass::Request) > 1) return;
        if (tile.reads >= constants_.initiators) return;
        tile.next_issue = noc_.now() + static_cast<std::uint64_t>(constants_.issue);
        if (!what_.write) ++tile.reads;
        noc_.inject({tile.at, channels_[tile.channel].port, what_.write ? packet_flits_ : 1, PacketClass::Request,
                     what_.static_vc ? 0 : -1, index});
    }
    void serve(Channel& channel) {
        if (what_.write) {
            if (channel.held > 0 && advance(channel)) --channel.held;
            return;
        }
        if (channel.requests.empty() || noc_.allowed(channel.port, PacketClass::Response) >= constants_.dram_buffer)
            return;
        if (channel.made == 0)
            noc_.inject({channel.port, channel.requests.front().from, packet_flits_, PacketClass::Response, 0,
                         channel.requests.front().tag});
        if (!advance(channel)) return;
        noc_.allow(channel.port, PacketClass::Response, 1);
        if (++channel.made < packet_flits_) return;
        channel.made = 0;
        channel.requests.pop_front();
    }
    /// A clock of the memory; true when it ends a flit.
    bool advance(Channel& channel) const {
        channel.progress += flits_per_clock_;
        if (channel.progress < 1) return false;
        channel.progress -= 1;
        return true;
    }

    const DramBenchCase& what_;
    const MemoryConstants& constants_;
    FlitNoc noc_;
    int packet_flits_;  ///< with data, header included
    double flits_per_clock_;
    std::uint64_t flits_ = 0;
    std::vector<Channel> channels_;
    std::vector<Tile> tiles_;
};

/// Tiles drawn without repeats while there are any.
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

/// Links a packet takes, as numbers.
std::vector<int> way(const ChipParams& chip, int noc, NocCoord from, NocCoord to) {
    std::vector<int> links;
    const int step = noc == 0 ? 1 : -1;
    const auto go = [&](int& at, int end, int size, int axis) {
        for (; at != end; at = (at + step + size) % size) links.push_back((from.y * chip.grid_x + from.x) * 2 + axis);
    };
    if (noc == 0) go(from.x, to.x, chip.grid_x, 0);
    go(from.y, to.y, chip.grid_y, 1);
    if (noc != 0) go(from.x, to.x, chip.grid_x, 0);
    return links;
}

/// For each port in turn the tile whose data shares least with what was chosen before; the nearest of equals.
std::vector<NocCoord> separate_tiles(const ChipParams& chip, const DramBenchCase& what,
                                     const std::vector<NocCoord>& ports) {
    std::vector<NocCoord> left, out;
    std::vector<int> used(static_cast<std::size_t>(chip.grid_x * chip.grid_y * 2), 0);
    for (int i = 0; i < what.tiles; ++i) {
        if (left.empty())
            for (const int y : chip.worker_y)
                for (const int x : chip.worker_x) left.push_back({x, y});
        const NocCoord port = ports[static_cast<std::size_t>(i) % ports.size()];
        const auto links = [&](NocCoord tile) {
            return what.write ? way(chip, what.noc, tile, port) : way(chip, what.noc, port, tile);
        };
        const auto cost = [&](NocCoord tile) {
            int busiest = 0;
            const std::vector<int> taken = links(tile);
            for (const int link : taken) busiest = std::max(busiest, used[static_cast<std::size_t>(link)]);
            return std::pair(busiest, taken.size());
        };
        const auto best =
            std::min_element(left.begin(), left.end(), [&](NocCoord a, NocCoord b) { return cost(a) < cost(b); });
        for (const int link : links(*best)) ++used[static_cast<std::size_t>(link)];
        out.push_back(*best);
        left.erase(best);
    }
    return out;
}

}  // namespace

DramBenchResult dram_bench(const DramBenchCase& what, const ChipParams& chip, const MemoryConstants& constants) {
    std::mt19937_64 random(what.seed);
    std::uint64_t bytes = 0;
    const std::uint64_t warm = what.clocks / 3;
    for (int i = 0; i < what.placements; ++i) {
        std::vector<NocCoord> ports;  // all channels come by in turn
        for (std::size_t p = 0; p < static_cast<std::size_t>(what.channels); ++p)
            ports.push_back(constants.dram_ports[(static_cast<std::size_t>(i) + p) % constants.dram_ports.size()]);
        const bool drawn = what.pairing == Pairing::Random;
        Bench bench(what, chip, constants, ports,
                    drawn ? random_tiles(chip, what.tiles, random) : separate_tiles(chip, what, ports));
        bytes += bench.run(warm, warm + what.clocks);
    }
    DramBenchResult result;
    result.bytes_per_clock = static_cast<double>(bytes) / static_cast<double>(what.clocks) / what.placements;
    result.gb_per_second = result.bytes_per_clock * static_cast<double>(chip.clock_mhz) / 1000;
    result.percent_of_peak = 100 * result.bytes_per_clock / (constants.dram.peak_bytes * what.channels);
    return result;
}

}  // namespace tt::sim
