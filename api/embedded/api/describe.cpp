// Descriptors of a backend's queues.
#include <algorithm>

#include "api/embedded/api/backend.hpp"
#include "api/embedded/api/device_image.hpp"
#include "api/embedded/api/names.hpp"

/// Offsets that a strided kernel reads, row by row.
static tt::tt_s_descriptor strides_of(const tt::bridge::Prestride& p) {
    tt::tt_s_descriptor s;
    s.stride = static_cast<int>(p.stride);
    const auto most = static_cast<int>(p.kernel == 0 ? p.stride : std::min(p.kernel, p.stride));
    for (int y = 0; y < most; ++y)
        for (int x = 0; x < most; ++x) s.xy_offsets.emplace_back(x, y);
    return s;
}

tt::tt_dram_io_desc tt_backend::Impl::describe(const std::string& name) const {
    if (!record) (void)device();  // throws with the reason
    const tt::bridge::QueueFacts facts =
        record->device->queue(name);  // also valid in a forked process, since it needs no threads
    tt::tt_dram_io_desc q;
    q.netlist_path = record->netlist_path;
    q.queue_name = name;
    q.backend_type = config.type;
    q.backend_id = record->id;
    q.io_type = facts.ram ? tt::IO_TYPE::RandomAccess : tt::IO_TYPE::Queue;
    q.layout = facts.flat || facts.untilized ? tt::IO_LAYOUT::Flat : tt::IO_LAYOUT::Tilized;
    q.bufq_grid_dim_r = facts.grid_r;
    q.bufq_grid_dim_c = facts.grid_c;
    q.bufq_num_slots = facts.entries;
    q.ublock_rt = facts.ublock_rt;
    q.ublock_ct = facts.ublock_ct;
    q.mblock_m = facts.mblock_m;
    q.mblock_n = facts.mblock_n;
    q.t = facts.t;
    q.tile_height = facts.tile_h;
    q.tile_width = facts.tile_w;
    q.input_count = facts.input_count;
    q.bufq_target_format = tt_backend_api::format_named(facts.format);
    q.bufq_start_addr_channel = facts.buffers;
    if (record->golden())
        for (auto& buffer : q.bufq_start_addr_channel) buffer = {0, 0};
    q.bufq_entry_size = facts.entry_bytes;
    if (!image) return q;
    const auto& prestrides = image->impl().facts.prestrides;
    if (const auto found = prestrides.find(name); found != prestrides.end()) q.s_descriptor = strides_of(found->second);
    return q;
}
