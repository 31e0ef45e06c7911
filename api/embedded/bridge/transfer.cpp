// Transfers of entries between the caller's memory and a device. Order of a push: convert, wait for room for all,
// transfer.
#include <cstring>
#include <utility>

#include "api/embedded/bridge/device_impl.hpp"
#include "api/embedded/bridge/host_entries.hpp"
#include "runtime/image/host_numbers.hpp"

namespace ttsim::impl::bridge {

namespace {

void check_slots(const impl::Queue& ram, std::int64_t slot, std::size_t count) {
    if (slot < 0 || slot > ram.entries || std::cmp_greater(count, ram.entries - slot))
        impl::fail_input(ram.loc, "ram '{}' has slots 0..{}: none for {} entries from ptr {}", ram.name,
                         ram.entries - 1, count, slot);
}

bool is_ram(const impl::Queue& queue) { return queue.type == impl::QueueType::Ram; }

}  // namespace

bool Device::uses_vector_tilizer(const std::string& name, const std::string& host) const {
    return guarded([&] {
        const auto format = impl::parse_format(host);
        return format && impl::image::uses_vector_tilizer(*format, impl_->find(name), impl_->tilizer);
    });
}

// --- push ----------------------------------------------------------------------------------------------------------

static void give(const Device::Impl& device, const impl::Queue& queue, const std::vector<impl::Tensor>& entries,
                 Wait wait, std::int64_t ram_slot) {
    if (is_ram(queue)) {
        check_slots(queue, ram_slot, entries.size());
        for (const impl::Tensor& entry : entries) device.live().write(queue.name, ram_slot++, entry);
        return;
    }
    if (std::cmp_greater(entries.size(), queue.entries) && wait.seconds > 0)
        throw NotReady(fmt::format("queue '{}' has {} entries: there will never be room for {}", queue.name,
                                   queue.entries, entries.size()));
    device.retry(wait, [&](impl::runtime::Timeout timeout) { device.live().push(queue.name, entries, timeout); });
}

void Device::push(const std::string& name, const HostTensor& tensor, Wait wait, std::int64_t ram_slot) {
    guarded([&] {
        (void)impl_->live();
        const impl::Queue& queue = impl_->find(name);
        std::vector<impl::Tensor> entries = entries_of(queue, tensor);
        if (impl_->tilizer.truncate && !impl_->options.float32)
            for (impl::Tensor& entry : entries) impl::image::round_to_queue(queue, entry, impl_->tilizer);
        give(*impl_, queue, entries, wait, ram_slot);
    });
}

void Device::push(const std::string& name, const TilizedTensor& tensor, Wait wait, std::int64_t ram_slot) {
    guarded([&] {
        (void)impl_->live();
        const impl::Queue& queue = impl_->find(name);
        const auto bytes = static_cast<std::size_t>(impl::image::tilized_buffer_bytes(queue));
        const auto buffers = static_cast<std::size_t>(queue.blocking.cores());
        const std::string format(to_string(queue.df));
        if (!tensor.data || tensor.format != format || tensor.buffers != buffers || tensor.buffer_bytes == 0 ||
            tensor.buffer_bytes % bytes != 0)
            impl::fail_input(
                queue.loc,
                "a tilized tensor of {} buffers of {} bytes of {} for queue '{}': {} buffers of {}, {} bytes "
                "an entry, are wanted",
                tensor.buffers, tensor.buffer_bytes, tensor.format, name, buffers, format, bytes);
        std::vector<impl::Tensor> entries;
        for (std::size_t entry = 0; entry < tensor.buffer_bytes / bytes; ++entry) {
            std::string slot;
            for (std::size_t buffer = 0; buffer < buffers; ++buffer)
                slot.append(reinterpret_cast<const char*>(tensor.data) + buffer * tensor.buffer_bytes + entry * bytes,
                            bytes);
            entries.push_back(impl::image::untilize(queue, slot));
        }
        give(*impl_, queue, entries, wait, ram_slot);
    });
}

std::shared_ptr<std::vector<std::uint32_t>> Device::tilized(const std::string& name, const HostTensor& tensor,
                                                            std::uint32_t& buffer_bytes) const {
    return guarded([&] {
        const impl::Queue& queue = impl_->find(name);
        const std::vector<impl::Tensor> entries = entries_of(queue, tensor);
        const auto bytes = static_cast<std::size_t>(impl::image::tilized_buffer_bytes(queue));
        const auto buffers = static_cast<std::size_t>(queue.blocking.cores());
        buffer_bytes = static_cast<std::uint32_t>(bytes * entries.size());
        auto memory = std::make_shared<std::vector<std::uint32_t>>((buffers * buffer_bytes + 3) / 4);
        auto* to = reinterpret_cast<char*>(memory->data());
        for (std::size_t entry = 0; entry < entries.size(); ++entry) {
            const std::string slot = impl::image::tilize(queue, entries[entry], impl_->tilizer);
            for (std::size_t buffer = 0; buffer < buffers; ++buffer)
                std::memcpy(to + buffer * buffer_bytes + entry * bytes, slot.data() + buffer * bytes, bytes);
        }
        return memory;
    });
}

// --- get, pop ------------------------------------------------------------------------------------------------------

namespace {

/// Entries that an op has untilized cannot be concatenated horizontally, since their rows are already contiguous.
void check_stacking(const impl::Queue& queue, bool untilized, const Stacking& s) {
    if (untilized && (s.h != 1 || (s.v > 1 && !s.row_major)))
        impl::fail_input(queue.loc,
                         "queue '{}' is untilized by its op: hstack_factor is 1 there, and vstack_factor goes with "
                         "stack_row_major",
                         queue.name);
}

/// Bytes of the header of a queue in memory, before its slots.
std::size_t header_bytes(const impl::Queue& queue) { return static_cast<std::size_t>(queue.alignment); }

/// The first slot to read. Only reads of tilized queues in DRAM may wrap around.
std::int64_t first_slot(Device::Impl& device, const impl::Queue& queue, std::uint32_t count, std::int64_t ram_slot) {
    if (is_ram(queue)) {
        check_slots(queue, ram_slot, count);
        return ram_slot;
    }
    const std::lock_guard lock(device.mutex);
    const std::int64_t first = device.popped[queue.name] % queue.entries;
    const bool straight = queue.where == impl::QueueLoc::Host || device.untilized(queue);
    if (straight && first + count > queue.entries)
        impl::fail_input(queue.loc,
                         "{} entries of queue '{}' from slot {} wrap around its {} slots; get them in two calls", count,
                         queue.name, first, queue.entries);
    return first;
}

std::vector<impl::Tensor> entries_from(const Device::Impl& device, const impl::Queue& queue, std::uint32_t count,
                                       std::int64_t ram_slot, Wait wait) {
    std::vector<impl::Tensor> entries(count);
    if (is_ram(queue)) {
        for (std::uint32_t k = 0; k < count; ++k) entries[k] = device.live().read(queue.name, ram_slot + k);
        return entries;
    }
    device.retry(wait, [&](impl::runtime::Timeout timeout) {  // the last entry first: then all are complete
        for (std::uint32_t k = count; k-- > 0;) entries[k] = device.live().get(queue.name, timeout, k);
    });
    return entries;
}

/// Address of the entries from a slot on in the memory of an untilized host queue.
unsigned char* place_in_queue(Device::Impl& device, const impl::Queue& queue, std::int64_t slot, std::size_t bytes) {
    const std::lock_guard lock(device.mutex);
    auto& memory = device.mapped[queue.name];
    if (memory.empty())
        memory.emplace_back(header_bytes(queue) + bytes * static_cast<std::size_t>(queue.entries), '\0');
    return reinterpret_cast<unsigned char*>(memory.front().data()) + header_bytes(queue) +
           static_cast<std::size_t>(slot) * bytes;
}

}  // namespace

Result Device::get(const std::string& name, std::uint32_t count, const Stacking& stacking, Wait wait,
                   std::int64_t ram_slot) {
    return guarded([&] {
        (void)impl_->live();
        const impl::Queue& queue = impl_->find(name);
        const bool untilized = impl_->untilized(queue);
        check_stacking(queue, untilized, stacking);
        const bool rounded = !impl_->options.float32 || impl::is_raw(queue.df);
        const impl::DataFormat host = rounded ? impl::image::host_format_of(queue.df) : impl::DataFormat::Float32;
        Result result;
        result.shape = stacked_shape(queue, count, stacking);
        result.format = to_string(host);
        result.itemsize = static_cast<std::uint32_t>(impl::image::host_bytes(host));
        const std::size_t bytes = std::size_t{result.shape[1]} * result.shape[2] * result.shape[3] * result.itemsize;
        // checked before memory is allocated, since the count may come from another process
        if (std::cmp_greater(count, queue.entries))
            impl::fail_input(queue.loc, "queue '{}' has {} entries; {} can never be there together", name,
                             queue.entries, count);
        const std::int64_t first = first_slot(*impl_, queue, count, ram_slot);
        const std::vector<impl::Tensor> entries = entries_from(*impl_, queue, count, ram_slot, wait);
        unsigned char* to = nullptr;
        if (queue.where == impl::QueueLoc::Host && untilized) {
            result.in_queue = to = place_in_queue(*impl_, queue, first, bytes);
        } else {
            result.memory = std::make_shared<std::vector<std::uint32_t>>((bytes * count + 3) / 4);
            to = reinterpret_cast<unsigned char*>(result.memory->data());
        }
        for (const impl::Tensor& entry : entries) {
            put_stacked(queue, entry, stacking, host, to);
            to += bytes;
        }
        return result;
    });
}

void Device::pop(const std::string& name, std::uint32_t count, Wait wait) {
    guarded([&] {
        (void)impl_->live();
        const impl::Queue& queue = impl_->find(name);
        if (is_ram(queue)) impl::fail_input(queue.loc, "'{}' is a ram, and slots of rams are not popped", name);
        impl_->retry(wait, [&](impl::runtime::Timeout timeout) { impl_->live().pop(name, count, timeout); });
        const std::lock_guard lock(impl_->mutex);
        impl_->popped[name] += count;
    });
}

std::vector<void*> Device::mapped(const std::string& name) {
    return guarded([&] {
        const impl::Queue& queue = impl_->find(name);
        std::vector<void*> all;
        if (queue.where != impl::QueueLoc::Host) return all;
        const impl::Blocking& b = queue.blocking;
        const bool rows = impl_->untilized(queue);
        const std::int64_t slot = rows ? b.t * b.mblock_tiles() * queue.tile.elements() *
                                             impl::image::host_bytes(impl::image::host_format_of(queue.df))
                                       : impl::image::tilized_buffer_bytes(queue);
        const std::lock_guard lock(impl_->mutex);
        auto& memory = impl_->mapped[name];
        while (std::cmp_less(memory.size(), b.cores()))
            memory.emplace_back(header_bytes(queue) + static_cast<std::size_t>(slot * queue.entries), '\0');
        for (std::string& buffer : memory) all.push_back(buffer.data());
        return all;
    });
}

}  // namespace ttsim::impl::bridge
