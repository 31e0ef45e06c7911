#include "compiler/backend/dram.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "netlist/checks/instances.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::uint64_t first_address = 0x8000000;  // lower addresses belong to the runtime
constexpr std::uint64_t alignment = 64;
constexpr std::array<std::pair<std::string_view, DramPlacement>, 5> names{{
    {"least_traffic", DramPlacement::LeastTraffic},
    {"round_robin", DramPlacement::RoundRobin},
    {"round_robin_flip_flop", DramPlacement::FlipFlop},
    {"greatest_capacity", DramPlacement::GreatestCapacity},
    {"closest", DramPlacement::Closest},
}};

/// The largest divisor of n up to `most`.
std::int64_t part(std::int64_t n, std::int64_t most) {
    std::int64_t best = 1;
    for (std::int64_t d = 2; d <= most; ++d)
        if (n % d == 0) best = d;
    return best;
}

}  // namespace

Blocking spread(const std::vector<std::int64_t>& tiles, std::int64_t channels) {
    Blocking b;
    b.t = tiles[0];
    b.grid_r = part(tiles[1], channels);
    b.grid_c = part(tiles[2], channels / b.grid_r);
    b.mblock_m = tiles[1] / b.grid_r;
    b.mblock_n = tiles[2] / b.grid_c;
    return b;
}

std::optional<DramPlacement> parse_placement(std::string_view name) {
    for (const auto& [known, placement] : names)
        if (known == name) return placement;
    return std::nullopt;
}

std::vector<std::string> placement_names() {
    std::vector<std::string> all;
    for (const auto& [name, placement] : names) all.emplace_back(name);
    return all;
}

DramAllocator::DramAllocator(const ChipParams& chip, DramPlacement placement)
    : chip_(chip),
      placement_(placement),
      blocks_(chip.dram.size() * static_cast<std::size_t>(chip.dram_blocks)),
      traffic_(blocks_.size()) {}

/// The largest traffic of a memory in the epochs that transfer the queue.
double DramAllocator::traffic(std::size_t memory, const QueueUse& use) const {
    double most = 0;
    for (const std::size_t epoch : use.moved)
        if (const auto known = traffic_[memory].find(epoch); known != traffic_[memory].end())
            most = std::max(most, known->second);
    return most;
}

/// Memories in order of preference.
std::vector<std::size_t> DramAllocator::order(const QueueUse& use, std::int64_t buffer) {
    std::vector<std::size_t> memories(blocks_.size());
    std::iota(memories.begin(), memories.end(), std::size_t{0});
    std::rotate(memories.begin(), memories.begin() + static_cast<std::ptrdiff_t>(next_ % memories.size()),
                memories.end());
    ++next_;
    const auto by = [&](auto cost) {
        std::stable_sort(memories.begin(), memories.end(),
                         [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
    };
    if (placement_ == DramPlacement::LeastTraffic) {
        by([&](std::size_t memory) { return traffic(memory, use); });
    } else if (placement_ == DramPlacement::FlipFlop && use.home >= 0) {
        const std::size_t half = chip_.dram.size() / 2;
        const bool odd = use.home % 2 != 0;
        by([&](std::size_t memory) { return (channel(memory) >= half) == odd ? 0 : 1; });
    } else if (placement_ == DramPlacement::GreatestCapacity) {
        by([&](std::size_t memory) {
            std::uint64_t used = 0;
            for (const Block& block : blocks_[memory]) used += block.end - block.begin;
            return used;
        });
    } else if (placement_ == DramPlacement::Closest && !use.cores.empty()) {
        const NocCoord core = use.cores[static_cast<std::size_t>(buffer) % use.cores.size()];
        by([&](std::size_t memory) {
            int hops = chip_.grid_x + chip_.grid_y;
            for (const NocCoord port : chip_.dram[channel(memory)])
                hops = std::min(hops, std::abs(port.x - core.x) + std::abs(port.y - core.y));
            return hops;
        });
    }
    return memories;
}

/// The lowest address with enough free bytes while the queue is in use.
std::optional<std::uint64_t> DramAllocator::room(std::size_t memory, std::uint64_t bytes, const QueueUse& use) const {
    const auto size = static_cast<std::uint64_t>(chip_.dram_channel_bytes / chip_.dram_blocks);
    const std::uint64_t begin = memory / chip_.dram.size() * size;
    std::uint64_t at = std::max(begin, first_address);
    for (const Block& block : blocks_[memory]) {
        const bool together = use.first_epoch < 0 || block.first_epoch < 0 ||
                              (use.first_epoch <= block.last_epoch && block.first_epoch <= use.last_epoch);
        if (!together) continue;
        if (block.begin >= at + bytes) break;
        at = std::max(at, block.end);
    }
    if (at + bytes > begin + size) return std::nullopt;
    return at;
}

void DramAllocator::place(Queue& queue, const QueueUse& use, std::optional<std::int64_t> only) {
    if (only && (*only < 0 || std::cmp_greater_equal(*only, chip_.dram.size())))
        fail_input({}, "queue '{}' cannot lie in DRAM channel {}: {} has {} of them", queue.name, *only, chip_.name,
                   chip_.dram.size());
    const auto bytes = (static_cast<std::uint64_t>(queue_buffer_bytes(queue)) + alignment - 1) / alignment * alignment;
    for (std::int64_t k = 0; k < queue.blocking.cores(); ++k) {
        bool done = false;
        for (const std::size_t memory : order(use, k)) {
            if (only && std::cmp_not_equal(channel(memory), *only)) continue;
            const auto at = room(memory, bytes, use);
            if (!at) continue;
            auto& blocks = blocks_[memory];
            const Block block{*at, *at + bytes, use.first_epoch, use.last_epoch};
            blocks.insert(std::upper_bound(blocks.begin(), blocks.end(), block,
                                           [](const Block& a, const Block& b) { return a.begin < b.begin; }),
                          block);
            queue.buffers.push_back({static_cast<std::int64_t>(channel(memory)), *at});
            for (const std::size_t epoch : use.moved)
                traffic_[memory][epoch] += static_cast<double>(bytes) / static_cast<double>(queue.entries);
            done = true;
            break;
        }
        if (!done)
            throw DramFull(
                Fault::Unsupported, {},
                fmt::format(
                    "DRAM is full: queue '{}' needs {} B in one of {} memories of {} B; a smaller microbatch or a "
                    "format with fewer bytes would help",
                    queue.name, bytes, blocks_.size(), chip_.dram_channel_bytes / chip_.dram_blocks));
    }
}

}  // namespace ttsim::impl::ir
