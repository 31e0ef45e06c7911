// The protocol by which other processes reach an embedded device: messages to a server of this process. The first byte:
// bit 0, a device in place of golden; bit 1, the rest is sent as it is, with frames of its own. Else the rest is
// messages in CBOR, each behind two bytes with its size; waits in them are cut short, since what waits is right to.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/embedded/bridge/bridge.hpp"
#include "api/embedded/bridge/meeting.hpp"
#include "api/embedded/bridge/wire.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/netlist/temp_folder.hpp"

namespace ttsim::impl::fuzz {

namespace {

using bridge::json;

/// Queues in DRAM and on the host, and a ram.
constexpr const char* netlist_text =
    "devices: {arch: wormhole_b0}\n"
    "queues:\n"
    "  x: {input: HOST, type: queue, entries: 4, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: "
    "Float16_b, target_device: 0, loc: dram, dram: [[0, 0x10000000]]}\n"
    "  y: {input: copy, type: queue, entries: 4, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: "
    "Float16_b, target_device: 0, loc: host, host: [[0, 0x10000000]]}\n"
    "  m: {input: HOST, type: ram, entries: 4, grid_size: [1, 1], t: 1, mblock: [1, 1], ublock: [1, 1], df: "
    "Float16_b, target_device: 0, loc: dram, dram: [[1, 0x10000000]]}\n"
    "graphs:\n"
    "  g:\n"
    "    target_device: 0\n"
    "    input_count: 2\n"
    "    copy: {type: datacopy, grid_loc: [0, 0], grid_size: [1, 1], inputs: [x], in_df: [Float16_b], acc_df: "
    "Float16_b, out_df: Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, math_fidelity: HiFi4, "
    "untilize_output: true, t: 1, mblock: [1, 1], ublock: [1, 1]}\n"
    "programs:\n"
    "  - p:\n"
    "      - staticvar: {$l: 0, $g: 0}\n"
    "      - execute: {graph_name: g, queue_settings: {x: {prologue: false, epilogue: false, zero: false, "
    "rd_ptr_local: $l, rd_ptr_global: $g}}}\n"
    "      - varinst: [$l, incwrap, 2, 8]\n"
    "      - varinst: [$g, incwrap, 2, 8]\n";

/// Discarded where it is not CBOR; the library still throws on impossible vector sizes.
json parsed(const std::string& bytes) {
    try {
        return json::from_cbor(bytes, true, false);
    } catch (const json::exception&) {
        return json(json::value_t::discarded);
    }
}

/// Messages up to the first invalid one, at which a server closes the connection.
std::size_t messages_in(const std::string& stream) {
    std::size_t count = 0;
    for (std::size_t at = 0;; ++count) {
        std::uint64_t size = 0;
        if (stream.size() - at < sizeof size) return count;
        std::memcpy(&size, stream.data() + at, sizeof size);
        at += sizeof size;
        if (size > stream.size() - at) return count;
        try {
            (void)bridge::from_cbor({stream.begin() + static_cast<std::ptrdiff_t>(at),
                                     stream.begin() + static_cast<std::ptrdiff_t>(at + size)});
        } catch (const std::exception&) {
            return count;
        }
        at += size;
    }
}

class Client {
public:
    explicit Client(const std::string& folder) {
        constexpr std::chrono::seconds most_wait{5};
        for (const bridge::SocketPath& place : bridge::socket_paths(folder))
            if (!socket_) socket_ = bridge::connected(place, bridge::TimeLimit::Clock::now() + most_wait);
        TT_CHECK(static_cast<bool>(socket_), "the server takes a connection");
    }

    /// All bytes, then the end; a server may have closed the connection before.
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) break;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        ::shutdown(socket_.get(), SHUT_WR);
    }
    /// False: the server has closed the connection or does not answer.
    bool receive(void* to, std::size_t bytes) const {
        constexpr int timeout = 2000;  // ms
        for (char* at = static_cast<char*>(to); bytes > 0;) {
            pollfd ready{socket_.get(), POLLIN, 0};
            if (::poll(&ready, 1, timeout) != 1) return false;
            const ssize_t got = ::recv(socket_.get(), at, bytes, 0);
            if (got <= 0) return false;
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

private:
    bridge::Descriptor socket_;
};

/// A device behind a server, and a connection to it.
class Served {
public:
    explicit Served(bool golden) {
        bridge::DeviceOptions options;
        options.golden = golden;
        options.functional = true;
        options.threads = 1;
        device_ = std::make_shared<bridge::Device>(write_temp("served.yaml", netlist_text), options);
        device_->open();
        folder_ = (temp_folder() / (golden ? "golden" : "device")).string();
        std::filesystem::create_directories(folder_);
        server_ =
            std::make_unique<bridge::DeviceServer>(device_, bridge::ServedDevice{"served.yaml", 0, golden}, folder_);
    }

    /// Sends bytes, and takes an answer to every whole message in them.
    void exchange(const std::string& bytes) {
        const Client client(folder_);
        client.send(bytes);
        for (std::size_t n = 0; n <= messages_in(bytes); ++n) {  // the first message is a greeting
            std::uint64_t size = 0;
            if (!client.receive(&size, sizeof size)) return;
            TT_CHECK(size < std::uint64_t{1} << 28, "an answer of {} bytes", size);
            std::vector<std::uint8_t> answer(static_cast<std::size_t>(size));
            if (!client.receive(answer.data(), answer.size())) return;
            TT_CHECK(!json::from_cbor(answer, true, false).is_discarded(), "the answer is CBOR");
        }
    }

private:
    std::shared_ptr<bridge::Device> device_;
    std::string folder_;
    std::unique_ptr<bridge::DeviceServer> server_;
};

/// A device is used for several inputs, to reach states that one input does not.
Served& served(bool golden) {
    static std::array<std::unique_ptr<Served>, 2> all;
    static std::array<int, 2> used{};
    constexpr int most = 64;
    const std::size_t at = golden ? 1 : 0;
    if (!all[at] || ++used[at] > most) {
        used[at] = 0;
        all[at].reset();
        all[at] = std::make_unique<Served>(golden);
    }
    return *all[at];
}

std::string framed(const std::string& message) {
    const std::uint64_t size = message.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + message;
}

std::string without_wait(const std::string& message) {
    json call = parsed(message);
    if (!call.is_object() || !call.contains("wait")) return message;
    json& wait = call["wait"];
    if (wait.is_array() && wait.size() == 2) {
        if (wait[1] == true) wait[1] = false;
        if (wait[0].is_number() && wait[0].get<double>() > 0.001) wait[0] = 0.001;
    }
    const std::vector<std::uint8_t> bytes = json::to_cbor(call);
    return {bytes.begin(), bytes.end()};
}

}  // namespace

void server(const std::string& bytes) {
    if (bytes.empty()) return;
    const auto first = static_cast<unsigned char>(bytes[0]);
    const bool golden = (first & 1U) == 0, raw = (first & 2U) != 0;
    if (raw) return served(true).exchange(bytes.substr(1));
    std::string stream;
    for (std::size_t at = 1; at + 2 <= bytes.size();) {
        const std::size_t size =
            static_cast<unsigned char>(bytes[at]) * 256U + static_cast<unsigned char>(bytes[at + 1]);
        stream += framed(without_wait(bytes.substr(at + 2, size)));
        at += 2 + size;
    }
    served(golden).exchange(stream);
}

}  // namespace ttsim::impl::fuzz
