#include "runtime/image/merge_memory.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"
#include "netlist/checks/instances.hpp"

namespace ttsim::impl::image {

MemoryLimits limits_of(const Machine& machine) {
    const ChipParams& chip = machine.chips.front().params;
    YamlMap map = YamlMap::from_file(config_file("images.yaml"));
    constexpr IntRange any{0, std::int64_t{1} << 40};
    if (chip.images.epoch_slots == 0 || chip.images.host_bytes.empty())
        fail_unsupported({chip.file, 0, 0},
                         "'images' of {} needs epoch_slots and host_mib, otherwise images for it cannot be merged",
                         chip.name);
    const auto channels = static_cast<std::int64_t>(chip.dram.size());
    const auto workers = static_cast<std::int64_t>(chip.worker_x.size() * chip.worker_y.size());
    const std::int64_t fixed = chip.images.channel_cores;
    const std::int64_t cores = fixed > 0 ? fixed : (workers + channels - 1) / channels;
    const std::int64_t of_core = map.integer("binary_slots", any) * map.integer("binary_slot_bytes", any) +
                                 map.integer("command_bytes", any) * chip.images.epoch_slots;
    MemoryLimits limits;
    limits.reserved = static_cast<std::uint64_t>(map.integer("metadata_limit", any) + cores * of_core);
    limits.dram.assign(chip.dram.size(), static_cast<std::uint64_t>(chip.dram_channel_bytes));
    limits.host.assign(chip.images.host_bytes.begin(), chip.images.host_bytes.end());
    limits.alignment = static_cast<std::uint64_t>(chip.features.noc_alignment);
    return limits;
}

namespace {

/// A channel of the memory of a chip or of the host.
struct Channel {
    QueueLoc where;
    std::int64_t chip, channel;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

/// A queue and one of its buffers.
struct BufferOf {
    Queue* queue;
    std::size_t k;
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(queue_buffer_bytes(*queue)); }
    BufferAddress& address() const { return queue->buffers[k]; }
};

std::set<std::string> allocated_queues(const Netlist& netlist) {
    std::set<std::string> names;
    for (const Program& program : netlist.programs)
        for (const Instruction& step : program.instructions)
            if (step.kind == Instruction::Kind::Allocate) names.insert(step.queues.begin(), step.queues.end());
    return names;
}

/// Buffers of one channel that overlap or are adjacent.
struct Group {
    std::uint64_t begin = 0, end = 0;
    std::vector<BufferOf> buffers;
};

std::vector<Group> groups_of(std::vector<BufferOf> buffers, std::uint64_t alignment) {
    std::stable_sort(buffers.begin(), buffers.end(),
                     [](const BufferOf& a, const BufferOf& b) { return a.address().address < b.address().address; });
    std::vector<Group> groups;
    for (const BufferOf& buffer : buffers) {
        const std::uint64_t begin = buffer.address().address, end = begin + buffer.bytes();
        if (groups.empty() || begin > groups.back().end + alignment) groups.push_back({begin, begin, {}});
        groups.back().end = std::max(groups.back().end, end);
        groups.back().buffers.push_back(buffer);
    }
    return groups;
}

class Placer {
public:
    Placer(const MemoryLimits& limits, const PlacingOptions& options) : limits_(limits), options_(options) {}

    /// Places a model's dynamically allocated queues, from the beginning of the common area.
    void place_dynamic(Netlist& netlist) {
        const std::set<std::string> names = allocated_queues(netlist);
        std::map<Channel, std::vector<BufferOf>> channels;
        for (Queue& queue : netlist.queues) {
            if (!names.contains(queue.name) || !queue.alias.empty()) continue;
            dynamic_.insert(&queue);
            for (std::size_t k = 0; k < queue.buffers.size(); ++k)
                channels[channel_of(queue, queue.buffers[k].channel)].push_back({&queue, k});
        }
        for (auto& [channel, buffers] : channels) {
            std::uint64_t used = first(channel);
            for (const Group& group : groups_of(std::move(buffers), limits_.alignment)) {
                for (const BufferOf& buffer : group.buffers) {
                    BufferAddress to = buffer.address();
                    to.address = used + (buffer.address().address - group.begin);
                    if (to.address + buffer.bytes() > capacity(channel)) fail_full(buffer, channel, to.address);
                    assign_address(buffer, to, false);
                }
                used = aligned(used + (group.end - group.begin));
            }
            area_[channel] = std::max(area_[channel], used);
        }
    }
    /// Ends the common area; later queues are placed after it.
    void end_dynamic() {
        for (const auto& [channel, end] : area_) used_[channel] = std::max(used(channel), end);
    }

    void place_static(Netlist& netlist) {
        for (Queue& queue : netlist.queues) {
            if (!queue.alias.empty() || dynamic_.contains(&queue)) continue;
            for (std::size_t k = 0; k < queue.buffers.size(); ++k) place({&queue, k});
        }
    }

    /// Places aliases at the address of their base.
    void place_aliases(Netlist& netlist) {
        for (Queue& queue : netlist.queues) {
            if (queue.alias.empty()) continue;
            const auto base = std::find_if(netlist.queues.begin(), netlist.queues.end(),
                                           [&](const Queue& other) { return other.name == queue.alias; });
            if (base == netlist.queues.end() || base->buffers.size() != queue.buffers.size())
                fail_input(queue.loc, "queue '{}' is an alias of '{}', which is not a queue with as many buffers",
                           queue.name, queue.alias);
            for (std::size_t k = 0; k < queue.buffers.size(); ++k) assign_address({&queue, k}, base->buffers[k], false);
        }
    }

    MergedMemory finish() {
        check_disjoint();
        result_.dram.assign(limits_.dram.size(), limits_.reserved);
        result_.host.assign(limits_.host.size(), 0);
        for (const auto& [channel, bytes] : used_) {
            auto& list = channel.where == QueueLoc::Dram ? result_.dram : result_.host;
            auto& maximum = list[static_cast<std::size_t>(channel.channel)];
            maximum = std::max(maximum, bytes);
        }
        return std::move(result_);
    }

private:
    std::uint64_t aligned(std::uint64_t bytes) const {
        return (bytes + limits_.alignment - 1) / limits_.alignment * limits_.alignment;
    }
    static Channel channel_of(const Queue& queue, std::int64_t channel) {
        return {queue.where, queue.device(), channel};
    }
    std::uint64_t first(const Channel& channel) const {
        return channel.where == QueueLoc::Dram ? aligned(limits_.reserved) : 0;
    }
    std::uint64_t used(const Channel& channel) const {
        const auto found = used_.find(channel);
        return found == used_.end() ? first(channel) : found->second;
    }
    const std::vector<std::uint64_t>& capacities(QueueLoc where) const {
        return where == QueueLoc::Dram ? limits_.dram : limits_.host;
    }
    std::uint64_t capacity(const Channel& channel) const {
        const auto& all = capacities(channel.where);
        const auto k = static_cast<std::size_t>(channel.channel);
        return channel.channel >= 0 && k < all.size() ? all[k] : 0;
    }
    std::uint64_t left(const Channel& channel) const {
        return std::max(capacity(channel), used(channel)) - used(channel);
    }

    [[noreturn]] void fail_full(const BufferOf& buffer, const Channel& channel, std::uint64_t used) const {
        const bool dram = channel.where == QueueLoc::Dram;
        fail_unsupported(buffer.queue->loc,
                         "{} space exceeded for {} channel {} when trying to allocate memory for queue {} Bytes used: "
                         "{}; it needs {} more of {}",
                         dram ? "DRAM" : "Host memory", dram ? "DRAM" : "host", channel.channel, buffer.queue->name,
                         used, buffer.bytes(), capacity(channel));
    }

    void place(const BufferOf& buffer) {
        Channel channel = channel_of(*buffer.queue, buffer.address().channel);
        const bool full = left(channel) < buffer.bytes();
        if (full && options_.switch_channels) {
            const Channel other = emptiest(channel);
            if (left(other) < buffer.bytes()) fail_full(buffer, channel, used(channel));
            result_.notes.push_back(
                fmt::format("{} Channel {} capacity hit. Bytes Used: {}. Reallocating queue {} to channel {}",
                            channel.where == QueueLoc::Dram ? "DRAM" : "Host", channel.channel, used(channel),
                            buffer.queue->name, other.channel));
            channel = other;
        } else if (full) {
            fail_full(buffer, channel, used(channel));
        }
        const std::uint64_t at = used(channel);
        assign_address(buffer, {channel.channel, at}, full);
        used_[channel] = aligned(at + buffer.bytes());
    }
    Channel emptiest(Channel channel) const {
        Channel best = channel;
        for (std::size_t k = 0; k < capacities(channel.where).size(); ++k) {
            channel.channel = static_cast<std::int64_t>(k);
            if (left(channel) > left(best)) best = channel;
        }
        return best;
    }
    void assign_address(const BufferOf& buffer, BufferAddress to, bool full) {
        result_.buffers.push_back(
            {buffer.queue->name, static_cast<std::int64_t>(buffer.k), buffer.queue->where, buffer.address(), to, full});
        if (!dynamic_.contains(buffer.queue) && buffer.queue->alias.empty())
            extents_[channel_of(*buffer.queue, to.channel)].push_back({to.address, to.address + buffer.bytes()});
        buffer.address() = to;
    }

    /// Checks that static queues overlap neither each other nor the common area.
    void check_disjoint() {
        for (auto& [channel, extents] : extents_) {
            if (const auto area = area_.find(channel); area != area_.end())
                extents.push_back({first(channel), area->second});
            std::sort(extents.begin(), extents.end());
            for (std::size_t i = 1; i < extents.size(); ++i)
                TT_CHECK(extents[i].first >= extents[i - 1].second, "merged buffers of channel {} overlap at {:#x}",
                         channel.channel, extents[i].first);
        }
    }

    const MemoryLimits& limits_;
    const PlacingOptions& options_;
    std::map<Channel, std::uint64_t> used_, area_;
    std::map<Channel, std::vector<std::pair<std::uint64_t, std::uint64_t>>> extents_;
    std::set<const Queue*> dynamic_;
    MergedMemory result_;
};

}  // namespace

MergedMemory place_merged_queues(std::vector<Netlist*> netlists, const MemoryLimits& limits,
                                 const PlacingOptions& options) {
    for (const Netlist* netlist : netlists)
        for (const Queue& queue : netlist->queues)
            if (queue.target_devices.size() > 1)
                fail_unsupported(queue.loc, "queue '{}' is on {} chips at once; such queues are not merged", queue.name,
                                 queue.target_devices.size());
    Placer placer(limits, options);
    if (options.overlap_dynamic)
        for (Netlist* netlist : netlists) placer.place_dynamic(*netlist);
    placer.end_dynamic();
    for (Netlist* netlist : netlists) placer.place_static(*netlist);
    for (Netlist* netlist : netlists) placer.place_aliases(*netlist);
    return placer.finish();
}

}  // namespace ttsim::impl::image
