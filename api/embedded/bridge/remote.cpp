// Access to the queues of a device in another process.
#include <cstdio>
#include <map>
#include <mutex>
#include <system_error>

#include "api/embedded/bridge/guard.hpp"
#include "api/embedded/bridge/meeting.hpp"
#include "api/embedded/bridge/wire.hpp"

namespace ttsim::impl::bridge {

namespace {

/// Time limit for connecting and the first answer together.
constexpr std::chrono::seconds connect_timeout(5);

/// The device is gone, or the process belongs to another user.
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Connections to a device. A connection serves one call at a time, so concurrent calls use several.
class Caller {
public:
    /// Throws NoDevice, and std::exception when the device refuses or does not answer in time.
    explicit Caller(const SocketPath& place) {
        const TimeLimit limit{{}, TimeLimit::Clock::now() + connect_timeout};
        socket_ = connected(place, *limit.deadline);
        if (!socket_) throw NoDevice("the process that made the backend is gone");
        const json hello = receive(socket_, limit);
        if (hello.is_object()) throw std::runtime_error(hello.at("error").get<std::string>());
        served = {hello.at(0).get<std::string>(), hello.at(1).get<std::uint64_t>(), hello.at(2).get<bool>()};
    }

    json call(const json& message) {
        send(socket_, message);
        return receive(socket_);
    }
    bool is_open() const { return !has_gone(socket_); }
    ServedDevice served;

private:
    Descriptor socket_;
};

class RemoteQueues final : public QueueAccess {
public:
    RemoteQueues(SocketPath device, std::unique_ptr<Caller> first)
        : device_(std::move(device)), netlist_(first->served.netlist_path) {
        idle_.push_back(std::move(first));
    }

    QueueFacts queue(const std::string& name) const override {
        return facts_from(call({{"call", "queue"}, {"queue", name}}));
    }
    bool uses_vector_tilizer(const std::string& queue, const std::string& host_format) const override {
        return call({{"call", "uses_vector_tilizer"}, {"queue", queue}, {"format", host_format}}).get<bool>();
    }
    void push(const std::string& queue, const HostTensor& tensor, Wait wait, std::int64_t slot) override {
        call(
            {{"call", "push"}, {"queue", queue}, {"tensor", to_json(tensor)}, {"wait", to_json(wait)}, {"slot", slot}});
    }
    void push(const std::string& queue, const TilizedTensor& tensor, Wait wait, std::int64_t slot) override {
        call({{"call", "push_tilized"},
              {"queue", queue},
              {"tensor", to_json(tensor)},
              {"wait", to_json(wait)},
              {"slot", slot}});
    }
    Result get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
               std::int64_t slot) override;
    void pop(const std::string& queue, std::uint32_t count, Wait wait) override {
        call({{"call", "pop"}, {"queue", queue}, {"count", count}, {"wait", to_json(wait)}});
    }
    std::vector<void*> mapped(const std::string& queue) override;
    std::shared_ptr<std::vector<std::uint32_t>> tilized(const std::string& queue, const HostTensor& tensor,
                                                        std::uint32_t& buffer_bytes) const override;

private:
    json call(const json& message) const;
    std::unique_ptr<Caller> caller() const;

    SocketPath device_;
    std::string netlist_;
    mutable std::mutex guard_;
    mutable std::vector<std::unique_ptr<Caller>> idle_;
    std::map<std::string, std::vector<std::string>> mapped_;
};

std::unique_ptr<Caller> RemoteQueues::caller() const {
    {
        const std::lock_guard lock(guard_);
        while (!idle_.empty()) {
            std::unique_ptr<Caller> taken = std::move(idle_.back());
            idle_.pop_back();
            if (taken->is_open()) return taken;
        }
    }
    return std::make_unique<Caller>(device_);
}

json RemoteQueues::call(const json& message) const {
    json answer;
    try {
        std::unique_ptr<Caller> with = caller();
        answer = with->call(message);
        const std::lock_guard lock(guard_);
        idle_.push_back(std::move(with));
    } catch (const std::system_error& error) {
        throw std::runtime_error(netlist_ + ": the process that made the backend does not answer any more (" +
                                 error.what() + ")");
    } catch (const NoDevice&) {
        throw std::runtime_error(netlist_ + ": the process that made the backend does not answer any more");
    }
    const auto failed = answer.find("error");
    if (failed == answer.end()) return answer.at("result");
    if (answer.at("not_ready").get<bool>()) throw NotReady(failed->get<std::string>());
    throw std::runtime_error(failed->get<std::string>());
}

Result RemoteQueues::get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
                         std::int64_t slot) {
    return result_from(call({{"call", "get"},
                             {"queue", queue},
                             {"count", count},
                             {"stacking", {stacking.h, stacking.v, stacking.row_major}},
                             {"wait", to_json(wait)},
                             {"slot", slot}}));
}

std::shared_ptr<std::vector<std::uint32_t>> RemoteQueues::tilized(const std::string& queue, const HostTensor& tensor,
                                                                  std::uint32_t& buffer_bytes) const {
    const json got = call({{"call", "tilized"}, {"queue", queue}, {"tensor", to_json(tensor)}});
    got.at(0).get_to(buffer_bytes);
    return words_from(got.at(1));
}

/// Memory is not shared between processes: the buffers here have the size of the queue's and stay zero.
std::vector<void*> RemoteQueues::mapped(const std::string& name) {
    const QueueFacts facts = queue(name);
    std::vector<void*> all;
    if (!facts.on_host) return all;
    const std::lock_guard lock(guard_);
    auto& memory = mapped_[name];
    while (memory.size() < std::size_t{facts.grid_r} * facts.grid_c)
        memory.emplace_back(facts.header_bytes + std::size_t{facts.entry_bytes} * facts.entries, '\0');
    for (std::string& buffer : memory) all.push_back(buffer.data());
    return all;
}

}  // namespace

std::vector<RemoteDevice> devices_served_for(const std::string& folder) {
    return guarded([&] {
        std::vector<RemoteDevice> all;
        std::string left_out;
        for (const SocketPath& place : socket_paths(folder)) try {
                auto caller = std::make_unique<Caller>(place);
                const ServedDevice served = caller->served;
                all.push_back({served, std::make_shared<RemoteQueues>(place, std::move(caller))});
            } catch (const NoDevice&) {
                // it has just ended, or belongs to another user
            } catch (const std::bad_alloc&) {
                throw;
            } catch (const std::exception& error) {
                left_out += (left_out.empty() ? "" : "\n") + folder +
                            ": a process that serves a device there (socket " + place.folder + "/" + place.name +
                            ") is left out: " + error.what();
            }
        if (all.empty() && !left_out.empty()) throw std::runtime_error(left_out);
        if (!left_out.empty()) std::fprintf(stderr, "tt_backend: %s\n", left_out.c_str());
        return all;
    });
}

}  // namespace ttsim::impl::bridge
