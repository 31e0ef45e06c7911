// The queues of a device that another process has.
#include <cstring>
#include <mutex>

#include "embedded/bridge/guard.hpp"
#include "embedded/bridge/wire.hpp"

namespace tt_bridge {

namespace {

/// One call at a time on one connection; calls that wait in several threads take one each.
class Caller {
public:
    explicit Caller(const Protocol::endpoint& device) : socket_(context_) {
        socket_.connect(device);
        if (!of_this_user(socket_)) throw std::runtime_error("another user's process has the device");
        close_when_forked(socket_.native_handle());
        const json hello = receive(socket_);
        served = {hello.at(0).get<std::string>(), hello.at(1).get<std::uint64_t>(), hello.at(2).get<bool>()};
    }
    ~Caller() { closed(socket_.native_handle()); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    json call(const json& message) {
        send(socket_, message);
        return receive(socket_);
    }
    ServedDevice served;

private:
    boost::asio::io_context context_;
    Protocol::socket socket_;
};

class RemoteQueues final : public QueueAccess {
public:
    RemoteQueues(Protocol::endpoint device, std::unique_ptr<Caller> first)
        : device_(std::move(device)), netlist_(first->served.netlist_path) {
        idle_.push_back(std::move(first));
    }

    QueueFacts queue(const std::string& name) const override {
        return facts_from(call({{"call", "queue"}, {"queue", name}}));
    }
    bool in_vector_code(const std::string& queue, const std::string& host_format) const override {
        return call({{"call", "in_vector_code"}, {"queue", queue}, {"format", host_format}}).get<bool>();
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

    Protocol::endpoint device_;
    std::string netlist_;
    mutable std::mutex guard_;
    mutable std::vector<std::unique_ptr<Caller>> idle_;
    std::map<std::string, std::vector<std::string>> mapped_;
};

std::unique_ptr<Caller> RemoteQueues::caller() const {
    const std::lock_guard lock(guard_);
    if (idle_.empty()) return std::make_unique<Caller>(device_);
    std::unique_ptr<Caller> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
}

json RemoteQueues::call(const json& message) const {
    json answer;
    try {
        std::unique_ptr<Caller> with = caller();
        answer = with->call(message);
        const std::lock_guard lock(guard_);
        idle_.push_back(std::move(with));
    } catch (const boost::system::system_error& error) {
        throw std::runtime_error(netlist_ + ": the process that made the backend does not answer any more (" +
                                 error.what() + ")");
    }
    const auto failed = answer.find("error");
    if (failed == answer.end()) return answer.at("result");
    if (answer.at("not_ready").get<bool>()) throw NotReady(failed->get<std::string>());
    throw std::runtime_error(failed->get<std::string>());
}

std::shared_ptr<std::vector<std::uint32_t>> words_of(const json& data) {
    const auto& bytes = data.get_binary();
    auto memory = std::make_shared<std::vector<std::uint32_t>>((bytes.size() + 3) / 4);
    if (!bytes.empty()) std::memcpy(memory->data(), bytes.data(), bytes.size());
    return memory;
}

Result RemoteQueues::get(const std::string& queue, std::uint32_t count, const Stacking& stacking, Wait wait,
                         std::int64_t slot) {
    const json got = call({{"call", "get"},
                           {"queue", queue},
                           {"count", count},
                           {"stacking", {stacking.h, stacking.v, stacking.row_major}},
                           {"wait", to_json(wait)},
                           {"slot", slot}});
    Result result;
    got.at(0).get_to(result.format);
    got.at(1).get_to(result.itemsize);
    got.at(2).get_to(result.shape);
    result.memory = words_of(got.at(3));
    return result;
}

std::shared_ptr<std::vector<std::uint32_t>> RemoteQueues::tilized(const std::string& queue, const HostTensor& tensor,
                                                                  std::uint32_t& buffer_bytes) const {
    const json got = call({{"call", "tilized"}, {"queue", queue}, {"tensor", to_json(tensor)}});
    got.at(0).get_to(buffer_bytes);
    return words_of(got.at(1));
}

/// No process sees another one's memory: what lies here has the size of the queue's and stays zero.
std::vector<void*> RemoteQueues::mapped(const std::string& name) {
    const QueueFacts facts = queue(name);
    std::vector<void*> all;
    if (!facts.on_host) return all;
    constexpr std::size_t header = 32;
    const std::lock_guard lock(guard_);
    auto& memory = mapped_[name];
    while (memory.size() < std::size_t{facts.grid_r} * facts.grid_c)
        memory.emplace_back(header + std::size_t{facts.entry_bytes} * facts.entries, '\0');
    for (std::string& buffer : memory) all.push_back(buffer.data());
    return all;
}

}  // namespace

std::vector<RemoteDevice> devices_served_for(const std::string& folder) {
    return guarded([&] {
        std::vector<RemoteDevice> all;
        for (const std::uint64_t id : ids_served(folder)) try {
                const Protocol::endpoint device = endpoint_of(folder, id);
                auto caller = std::make_unique<Caller>(device);
                const ServedDevice served = caller->served;
                all.push_back({served, std::make_shared<RemoteQueues>(device, std::move(caller))});
            } catch (const boost::system::system_error&) {
                // it ended just now
            }
        return all;
    });
}

}  // namespace tt_bridge
