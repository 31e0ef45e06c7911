#include "api/embedded/bridge/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <system_error>

namespace ttsim::impl::bridge {

// --- 1. messages ---------------------------------------------------------------------------------------------------

namespace {

/// Limit of a message: a tensor with 32-bit strides in bytes, plus a small header.
constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 32) + (1 << 20);
/// Longest time without data within a message; then the other process is taken as stopped.
constexpr std::chrono::seconds idle_limit(30);

/// Scans the CBOR item heads without building values.
class Scan {
public:
    explicit Scan(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    void check() {
        std::array<std::uint64_t, 8> left{};  ///< remaining items of the open arrays and maps
        std::size_t depth = 0;
        do {
            const std::uint64_t inner = item();
            if (inner > 0) {
                if (depth == left.size()) throw InvalidMessage("a message is nested too deeply");
                left[depth++] = inner;
                continue;
            }
            while (depth > 0 && --left[depth - 1] == 0) --depth;
        } while (depth > 0);
        if (at_ != bytes_.size()) throw InvalidMessage("bytes stand behind a message");
    }

private:
    static constexpr std::uint64_t most_items = 1 << 16;

    /// Skips one head and its text or data bytes. Returns the number of nested items.
    std::uint64_t item() {
        const std::uint8_t head = next();
        const unsigned kind = head >> 5, small = head & 31;
        if (small > 27 || kind == 6) throw InvalidMessage("a message has what no message of ours has");
        std::uint64_t value = small;
        if (small >= 24) {
            value = 0;
            for (unsigned n = 1U << (small - 24); n > 0; --n) value = value << 8 | next();
        }
        if (++items_ > most_items || ((kind == 4 || kind == 5) && value > most_items))
            throw InvalidMessage("a message has too many items");
        if (kind == 4) return value;
        if (kind == 5) return 2 * value;
        if (kind == 2 || kind == 3) {
            if (value > bytes_.size() - at_) throw InvalidMessage("a message is cut off");
            at_ += static_cast<std::size_t>(value);
        }
        return 0;
    }
    std::uint8_t next() {
        if (at_ == bytes_.size()) throw InvalidMessage("a message is cut off");
        return bytes_[at_++];
    }

    const std::vector<std::uint8_t>& bytes_;
    std::size_t at_ = 0;
    std::uint64_t items_ = 0;
};

}  // namespace

json from_cbor(const std::vector<std::uint8_t>& bytes) {
    Scan(bytes).check();
    try {
        return json::from_cbor(bytes);
    } catch (const json::exception& error) {
        throw InvalidMessage(error.what());
    }
}

void send(const Descriptor& socket, const json& message) {
    const std::vector<std::uint8_t> bytes = json::to_cbor(message);
    const std::uint64_t size = bytes.size();
    if (size > most_bytes)
        throw std::runtime_error(fmt::format(
            "a message of {} bytes to another process; at most {} can be sent: take fewer entries in a call", size,
            most_bytes));
    const TimeLimit limit{idle_limit, {}};
    write_all(socket, &size, sizeof size, limit);
    write_all(socket, bytes.data(), bytes.size(), limit);
}

void send_at_once(const Descriptor& socket, const json& message) {
    const std::vector<std::uint8_t> bytes = json::to_cbor(message);
    const std::uint64_t size = bytes.size();
    const TimeLimit now{std::chrono::milliseconds(0), {}};
    try {
        write_all(socket, &size, sizeof size, now);
        write_all(socket, bytes.data(), bytes.size(), now);
    } catch (const std::system_error&) {  // the other end is gone
    }
}

json receive(const Descriptor& socket, const TimeLimit& first) {
    const TimeLimit rest{idle_limit, first.deadline};
    std::array<std::uint8_t, sizeof(std::uint64_t)> head{};
    read_all(socket, head.data(), 1, first);
    read_all(socket, head.data() + 1, head.size() - 1, rest);
    std::uint64_t size = 0;
    std::memcpy(&size, head.data(), sizeof size);
    if (size > most_bytes)
        throw InvalidMessage(fmt::format("a message of {} bytes; at most {} are read", size, most_bytes));
    std::vector<std::uint8_t> bytes;
    constexpr std::uint64_t piece = 1 << 24;  // memory grows with the received data, not with the announced size
    while (bytes.size() < size) {
        const std::size_t before = bytes.size();
        bytes.resize(static_cast<std::size_t>(std::min(size, before + piece)));
        read_all(socket, bytes.data() + before, bytes.size() - before, rest);
    }
    return from_cbor(bytes);
}

json error_answer(const std::string& text, bool not_ready) { return {{"error", text}, {"not_ready", not_ready}}; }

// --- 2. content ----------------------------------------------------------------------------------------------------

json binary(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    return json::binary(std::vector<std::uint8_t>(first, first + bytes));
}

std::shared_ptr<std::vector<std::uint32_t>> words_from(const json& data) {
    const auto& bytes = data.get_binary();
    auto memory = std::make_shared<std::vector<std::uint32_t>>((bytes.size() + 3) / 4);
    if (!bytes.empty()) std::memcpy(memory->data(), bytes.data(), bytes.size());
    return memory;
}

json to_json(Wait wait) { return {wait.seconds, wait.for_ever}; }

Wait wait_from(const json& from) {
    constexpr double most_seconds = 1e9;  // limit of clocks, which count nanoseconds in 63 bits
    const Wait wait{from.at(0).get<double>(), from.at(1).get<bool>(), {}};
    if (!(wait.seconds >= 0 && wait.seconds <= most_seconds))
        throw std::runtime_error(
            fmt::format("a wait of {} s; a number from 0 to {} is wanted", wait.seconds, most_seconds));
    return wait;
}

json to_json(const QueueFacts& f) {
    return {f.name,   f.format, f.host_format, f.ram,         f.on_host,     f.flat,         f.untilized,
            f.grid_r, f.grid_c, f.entries,     f.ublock_rt,   f.ublock_ct,   f.mblock_m,     f.mblock_n,
            f.t,      f.tile_h, f.tile_w,      f.input_count, f.entry_bytes, f.header_bytes, f.buffers};
}

QueueFacts facts_from(const json& from) {
    QueueFacts f;
    std::size_t k = 0;
    const auto next = [&](auto& field) { from.at(k++).get_to(field); };
    for (std::string* text : {&f.name, &f.format, &f.host_format}) next(*text);
    for (bool* flag : {&f.ram, &f.on_host, &f.flat, &f.untilized}) next(*flag);
    for (std::uint32_t* number :
         {&f.grid_r, &f.grid_c, &f.entries, &f.ublock_rt, &f.ublock_ct, &f.mblock_m, &f.mblock_n, &f.t, &f.tile_h,
          &f.tile_w, &f.input_count, &f.entry_bytes, &f.header_bytes})
        next(*number);
    next(f.buffers);
    return f;
}

namespace {

/// The elements of a tensor with any strides, contiguous.
std::vector<std::uint8_t> packed(const HostTensor& t) {
    std::vector<std::uint8_t> bytes;
    if (!t.data) return bytes;
    bytes.resize(std::size_t{t.itemsize} * t.shape[0] * t.shape[1] * t.shape[2] * t.shape[3]);
    std::uint8_t* to = bytes.data();
    for (std::size_t w = 0; w < t.shape[0]; ++w)
        for (std::size_t z = 0; z < t.shape[1]; ++z)
            for (std::size_t y = 0; y < t.shape[2]; ++y)
                for (std::size_t x = 0; x < t.shape[3]; ++x, to += t.itemsize)
                    std::memcpy(to, t.data + w * t.strides[0] + z * t.strides[1] + y * t.strides[2] + x * t.strides[3],
                                t.itemsize);
    return bytes;
}

}  // namespace

static std::uint64_t bytes_of(std::uint32_t itemsize, const Sizes& shape) {
    std::uint64_t bytes = itemsize;
    for (const std::uint32_t size : shape) {
        if (size != 0 && bytes > most_bytes / size)
            throw std::runtime_error("a message's tensor is larger than any message");
        bytes *= size;
    }
    return bytes;
}

json to_json(const HostTensor& t) {
    return {t.format, t.itemsize, t.shape, t.stride, t.offsets, t.data != nullptr, json::binary(packed(t))};
}

HostTensor host_tensor_from(const json& from) {
    HostTensor t;
    from.at(0).get_to(t.format);
    from.at(1).get_to(t.itemsize);
    from.at(2).get_to(t.shape);
    from.at(3).get_to(t.stride);
    from.at(4).get_to(t.offsets);
    const auto& bytes = from.at(6).get_binary();
    std::uint32_t step = t.itemsize;
    for (std::size_t k = t.shape.size(); k-- > 0; step *= t.shape[k]) t.strides[k] = step;
    if (!from.at(5).get<bool>()) return t;
    if (bytes.empty() || bytes.size() != bytes_of(t.itemsize, t.shape))
        throw std::runtime_error("a message's tensor has another size than its shape");
    t.data = bytes.data();
    return t;
}

json to_json(const TilizedTensor& t) {
    const std::size_t bytes = t.data ? std::size_t{t.buffers} * t.buffer_bytes : 0;
    return {t.format, t.buffers, t.buffer_bytes, t.data != nullptr, binary(t.data, bytes)};
}

TilizedTensor tilized_from(const json& from) {
    TilizedTensor t;
    from.at(0).get_to(t.format);
    from.at(1).get_to(t.buffers);
    from.at(2).get_to(t.buffer_bytes);
    const auto& bytes = from.at(4).get_binary();
    if (!from.at(3).get<bool>()) return t;
    if (bytes.size() != std::size_t{t.buffers} * t.buffer_bytes)
        throw std::runtime_error("a message's tensor has another size than its buffers");
    t.data = bytes.data();
    return t;
}

json to_json(const Result& result) {
    const void* data = result.memory ? result.memory->data() : result.in_queue;
    return {result.format, result.itemsize, result.shape,
            binary(data, static_cast<std::size_t>(bytes_of(result.itemsize, result.shape)))};
}

Result result_from(const json& from) {
    Result result;
    from.at(0).get_to(result.format);
    from.at(1).get_to(result.itemsize);
    from.at(2).get_to(result.shape);
    if (from.at(3).get_binary().size() != bytes_of(result.itemsize, result.shape))
        throw std::runtime_error("a message's result has another size than its shape");
    result.memory = words_from(from.at(3));
    return result;
}

}  // namespace ttsim::impl::bridge
