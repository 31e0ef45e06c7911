#include "embedded/bridge/wire.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>

#include "base/sha256.hpp"

namespace tt_bridge {

// --- 1. sockets ----------------------------------------------------------------------------------------------------

namespace {

/// The same for every path to the folder.
std::string name_of(const std::string& folder) {
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(folder, ignored);
    const std::string path = (ignored ? std::filesystem::path(folder) : full).lexically_normal().string();
    return fmt::format("tt_backend/{}/{}/", ::geteuid(), tt::sha256(path).substr(0, 32));
}

}  // namespace

Protocol::endpoint endpoint_of(const std::string& folder, std::uint64_t id) {
    return {std::string(1, '\0') + name_of(folder) + std::to_string(id)};
}

std::vector<std::uint64_t> ids_served(const std::string& folder) {
    const std::string mark = "@" + name_of(folder);
    std::set<std::uint64_t> ids;  // each connection has a line of its own
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
        const std::size_t at = line.find(mark);
        if (at != std::string::npos) ids.insert(std::strtoull(line.c_str() + at + mark.size(), nullptr, 10));
    }
    return {ids.begin(), ids.end()};
}

bool of_this_user(Protocol::socket& socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

namespace {

std::mutex opened_guard;
std::vector<int> opened;

void register_forks() {
    static std::once_flag once;
    std::call_once(once, [] {
        ::pthread_atfork([] { opened_guard.lock(); }, [] { opened_guard.unlock(); },
                         [] {
                             for (const int descriptor : opened) ::close(descriptor);
                             opened.clear();
                             opened_guard.unlock();
                         });
    });
}

}  // namespace

void close_when_forked(int descriptor) {
    register_forks();
    const std::lock_guard lock(opened_guard);
    opened.push_back(descriptor);
}

void closed(int descriptor) {
    const std::lock_guard lock(opened_guard);
    std::erase(opened, descriptor);
}

// --- 2. messages ---------------------------------------------------------------------------------------------------

void send(Protocol::socket& socket, const json& message) {
    const std::vector<std::uint8_t> bytes = json::to_cbor(message);
    const std::uint64_t size = bytes.size();
    boost::asio::write(socket, std::array{boost::asio::buffer(&size, sizeof size), boost::asio::buffer(bytes)});
}

json receive(Protocol::socket& socket) {
    std::uint64_t size = 0;
    boost::asio::read(socket, boost::asio::buffer(&size, sizeof size));
    std::vector<std::uint8_t> bytes;
    constexpr std::uint64_t piece = 1 << 24;  // memory grows with what comes, not with what is said to
    while (bytes.size() < size) {
        const std::size_t before = bytes.size();
        bytes.resize(static_cast<std::size_t>(std::min(size, before + piece)));
        boost::asio::read(socket, boost::asio::buffer(bytes.data() + before, bytes.size() - before));
    }
    return json::from_cbor(bytes);
}

// --- 3. what they hold ---------------------------------------------------------------------------------------------

json binary(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    return json::binary(std::vector<std::uint8_t>(first, first + bytes));
}

json to_json(Wait wait) { return {wait.seconds, wait.for_ever}; }
Wait wait_from(const json& from) {
    const auto seconds = from.at(0).get<double>();
    if (!(seconds >= 0 && seconds <= 1e9)) throw std::runtime_error("a message's wait is no number of seconds");
    return {seconds, from.at(1).get<bool>()};
}

json to_json(const QueueFacts& f) {
    return {f.name,   f.format, f.host_format, f.ram,         f.on_host,     f.flat,     f.untilized,
            f.grid_r, f.grid_c, f.entries,     f.ublock_rt,   f.ublock_ct,   f.mblock_m, f.mblock_n,
            f.t,      f.tile_h, f.tile_w,      f.input_count, f.entry_bytes, f.buffers};
}

QueueFacts facts_from(const json& from) {
    QueueFacts f;
    std::size_t k = 0;
    const auto next = [&](auto& field) { from.at(k++).get_to(field); };
    for (std::string* text : {&f.name, &f.format, &f.host_format}) next(*text);
    for (bool* flag : {&f.ram, &f.on_host, &f.flat, &f.untilized}) next(*flag);
    for (std::uint32_t* number : {&f.grid_r, &f.grid_c, &f.entries, &f.ublock_rt, &f.ublock_ct, &f.mblock_m,
                                  &f.mblock_n, &f.t, &f.tile_h, &f.tile_w, &f.input_count, &f.entry_bytes})
        next(*number);
    next(f.buffers);
    return f;
}

namespace {

/// The numbers of a tensor with any strides, one behind the other.
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
    if (bytes.size() != std::size_t{t.itemsize} * t.shape[0] * t.shape[1] * t.shape[2] * t.shape[3])
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

}  // namespace tt_bridge
