// Commands on values: a tile of a queue or an op's result, bytes at an address.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/debug/arguments.hpp"
#include "isa/data_format.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl::debug {

namespace {

void need_values(Debugger& debugger) {
    if (!debugger.run().values())
        fail_input({}, "timing mode computes no values; 'ttsim debug NETLIST --mode full' does");
}

/// Adds the values of a tile as JSON and as text.
void show(Answer& answer, const std::vector<std::vector<float>>& tile) {
    answer.values = tile;
    for (const std::vector<float>& line : tile) {
        for (const float value : line) answer.picture += fmt::format(" {:>10.4g}", value);
        answer.picture += "\n";
    }
}

constexpr const char* tile_usage = "tile QUEUE ENTRY [TILE] | tile OP SLICE [CORE [TILE]]";

Answer tile_of_queue(Debugger& debugger, const Queue& queue, const Words& words) {
    expect(words, 2, 3, tile_usage);
    const std::int64_t n = number(words[1], "entry"), t = words.size() > 2 ? number(words[2], "tile") : 0;
    const TileShape shape = queue.shape();
    if (t >= shape.z * shape.rt * shape.ct)
        fail_input({}, "'{}' has {} tiles in an entry: 0 to {}", queue.name, shape.z * shape.rt * shape.ct,
                   shape.z * shape.rt * shape.ct - 1);
    const std::optional<Tensor> entry = debugger.run().entry(queue, n);
    if (!entry) {
        const sim::QueueState state = debugger.run().view().queue(queue);
        fail_input({}, "'{}' has no entry {}: entries from {} to below {} are available", queue.name, n, state.read,
                   state.written);
    }
    const std::int64_t z = t / (shape.rt * shape.ct), r = t / shape.ct % shape.rt, c = t % shape.ct;
    std::vector<std::vector<float>> rows;
    for (std::int64_t y = r * queue.tile.h; y < std::min((r + 1) * queue.tile.h, entry->rows); ++y) {
        std::vector<float>& line = rows.emplace_back();
        for (std::int64_t x = c * queue.tile.w; x < std::min((c + 1) * queue.tile.w, entry->cols); ++x)
            line.push_back(entry->data[static_cast<std::size_t>((z * entry->rows + y) * entry->cols + x)]);
    }
    Answer answer;
    answer.facts = {{"queue", queue.name},
                    {"entry", n},
                    {"tile", t},
                    {"z", z},
                    {"row", r},
                    {"column", c},
                    {"format", ttsim::impl::to_string(queue.df)}};
    show(answer, rows);
    return answer;
}

Answer tile_of_op(Debugger& debugger, const Op& op, const Words& words) {
    expect(words, 2, 4, tile_usage);
    const std::int64_t slice = number(words[1], "slice"), core = words.size() > 2 ? number(words[2], "core") : 0;
    const std::int64_t t = words.size() > 3 ? number(words[3], "tile") : 0;
    if (core >= op.cfg.out.cores())
        fail_input({}, "'{}' has {} cores: 0 to {}", op.name(), op.cfg.out.cores(), op.cfg.out.cores() - 1);
    if (t >= op.cfg.out.mblock_tiles())
        fail_input({}, "'{}' has {} tiles in a slice of a core", op.name(), op.cfg.out.mblock_tiles());
    const auto values = debugger.run().view().values(op, static_cast<std::size_t>(core), slice);
    if (!values)
        fail_input({}, "core {} of '{}' does not hold slice {} (input * t + slice) now; 'core {}' shows where it is",
                   core, op.name(), slice, op.name());
    const std::int64_t r = t / op.cfg.out.core_ct(), c = t % op.cfg.out.core_ct();
    std::vector<std::vector<float>> rows;
    for (std::int64_t y = r * op.cfg.tile.h; y < std::min((r + 1) * op.cfg.tile.h, values->rows); ++y) {
        std::vector<float>& line = rows.emplace_back();
        for (std::int64_t x = c * op.cfg.tile.w; x < std::min((c + 1) * op.cfg.tile.w, values->cols); ++x)
            line.push_back(values->data[static_cast<std::size_t>(y * values->cols + x)]);
    }
    Answer answer;
    answer.facts = {{"op", op.name()}, {"core", core}, {"slice", slice}, {"tile", t}, {"row", r}, {"column", c}};
    show(answer, rows);
    return answer;
}

Answer tile(Debugger& debugger, const Words& words) {
    expect(words, 2, 4, tile_usage);
    need_values(debugger);
    const Queue* queue = nullptr;
    const Op* op = find_op_or_queue(debugger.run().netlist(), words[0], queue);
    return op ? tile_of_op(debugger, *op, words) : tile_of_queue(debugger, *queue, words);
}

/// Location of a DRAM address: in a queue's header, or in a tile.
struct DramByte {
    const Queue* queue = nullptr;
    std::int64_t buffer = 0, offset = 0;  ///< offset: from the start of the buffer
};

DramByte find_byte(const Netlist& netlist, std::int64_t chip, std::int64_t channel, std::uint64_t address) {
    for (const Queue& queue : netlist.queues) {
        if (queue.where != QueueLoc::Dram || queue.device() != chip) continue;
        const std::int64_t tiles = queue.blocking.t * queue.blocking.mblock_tiles();
        const std::int64_t bytes = queue.alignment + queue.entries * tiles * queue.tile_bytes();
        for (std::size_t b = 0; b < queue.buffers.size(); ++b) {
            const BufferAddress& at = queue.buffers[b];
            if (at.channel == channel && address >= at.address &&
                address - at.address < static_cast<std::uint64_t>(bytes))
                return {&queue, static_cast<std::int64_t>(b), static_cast<std::int64_t>(address - at.address)};
        }
    }
    return {};
}

/// The byte as on the chip; 0 when unwritten. RD and WR pointers are 16 bits at offsets 0 and 4.
std::uint8_t byte_at(Debugger& debugger, const DramByte& at) {
    const Queue& queue = *at.queue;
    if (at.offset < queue.alignment) {
        const sim::QueueState state = debugger.run().view().queue(queue);
        const std::int64_t wrap = 2 * queue.entries;  // range of the pointers
        const std::int64_t pointer = (at.offset < 4 ? state.read : state.written) % wrap;
        const std::int64_t within = at.offset % 4;
        return at.offset < 8 && within < 2 ? static_cast<std::uint8_t>(pointer >> (8 * within)) : std::uint8_t{0};
    }
    const Blocking& b = queue.blocking;
    const std::int64_t size = queue.tile_bytes(), body = tile_body_bytes(queue.df, queue.tile);
    const std::int64_t in_slots = at.offset - queue.alignment, number = in_slots / size;
    const std::int64_t per_entry = b.t * b.mblock_tiles(), slot = number / per_entry, tile = number % per_entry;
    const std::int64_t byte = in_slots % size - (size - body);  // after the tile's header
    if (byte < 0) return 0;
    // a slot contains the newest entry written to it
    const sim::QueueState state = debugger.run().view().queue(queue);
    std::int64_t entry = slot;
    if (queue.type == QueueType::Queue)
        while (entry + queue.entries < state.written) entry += queue.entries;
    const auto bytes = debugger.run().packed_entry(queue, entry);
    const std::int64_t z = tile / b.mblock_tiles(), in_block = tile % b.mblock_tiles();
    const std::int64_t ublock = in_block / b.ublock_tiles(), in_ublock = in_block % b.ublock_tiles();
    const bool by_row = b.order == UblockOrder::Row;
    const std::int64_t ur = by_row ? ublock / b.mblock_n : ublock % b.mblock_m;
    const std::int64_t uc = by_row ? ublock % b.mblock_n : ublock / b.mblock_m;
    const TileShape shape = queue.shape();
    const std::int64_t r = at.buffer / b.grid_c * b.core_rt() + ur * b.ublock_rt + in_ublock / b.ublock_ct;
    const std::int64_t c = at.buffer % b.grid_c * b.core_ct() + uc * b.ublock_ct + in_ublock % b.ublock_ct;
    const auto where = static_cast<std::size_t>(((z * shape.rt + r) * shape.ct + c) * body + byte);
    return bytes && where < bytes->size() ? (*bytes)[where] : std::uint8_t{0};
}

Answer read_dram(Debugger& debugger, const Words& words, std::int64_t channel) {
    const auto address = static_cast<std::uint64_t>(number(words[1], "address"));
    const std::int64_t count = words.size() > 2 ? number(words[2], "number of words") : 1;
    const std::int64_t chip = words.size() > 3 ? number(words[3], "chip") : debugger.run().machine().chips.front().id;
    if (count < 1 || count > 4096) fail_input({}, "1 to 4096 words of 4 bytes can be read at once, not {}", count);
    if (address % 4 != 0) fail_input({}, "address {:#x} is not a multiple of 4", address);
    Rows rows{"words", {"address", "word", "queue", "buffer", "offset"}, {}};
    for (std::int64_t n = 0; n < count; ++n) {
        const std::uint64_t at = address + 4 * static_cast<std::uint64_t>(n);
        const DramByte byte = find_byte(debugger.run().netlist(), chip, channel, at);
        if (!byte.queue) {
            rows.add({fmt::format("{:#010x}", at), nullptr, nullptr, nullptr, nullptr});
            continue;
        }
        if (byte.queue->layout == QueueLayout::Flat)
            fail_input({}, "queue '{}' at this address has flat layout; 'tile' shows its values", byte.queue->name);
        std::uint32_t word = 0;
        for (std::uint32_t b = 0; b < 4; ++b)
            word |= static_cast<std::uint32_t>(byte_at(debugger, {byte.queue, byte.buffer, byte.offset + b}))
                    << (8 * b);
        rows.add(
            {fmt::format("{:#010x}", at), fmt::format("{:#010x}", word), byte.queue->name, byte.buffer, byte.offset});
    }
    Answer answer;
    answer.facts = {{"chip", chip}, {"channel", channel}};
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer read(Debugger& debugger, const Words& words) {
    expect(words, 2, 4, "read chN ADDRESS [WORDS [CHIP]]");
    need_values(debugger);
    if (words[0].starts_with("ch")) return read_dram(debugger, words, number(words[0].substr(2), "DRAM channel"));
    if (!place(words[0])) fail_input({}, "'{}' is not a DRAM channel such as ch0", words[0]);
    fail_input({},
               "buffers of the model's L1 have sizes and no addresses; 'buffer OP' and 'core {}' show them, "
               "'tile OP SLICE' its values",
               words[0]);
}

}  // namespace

void add_value_commands(std::vector<Command>& to) {
    to.push_back({"tile",
                  {"t", "tile-summary"},
                  "QUEUE ENTRY [TILE] | OP SLICE [CORE [TILE]]",
                  "a tile of an entry, or of a slice in an op's output buffer (slice: input * t + slice)",
                  tile,
                  {},
                  ""});
    to.push_back({"read",
                  {"brxy", "burst-read-xy"},
                  "chN ADDRESS [WORDS [CHIP]]",
                  "words of DRAM: content of queues, packed as on the chip",
                  read,
                  {},
                  ""});
}

}  // namespace ttsim::impl::debug
