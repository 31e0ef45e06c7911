// A device's queues for other processes: a thread that takes connections, and one for each of them.
#include <sys/socket.h>

#include <list>
#include <mutex>
#include <thread>

#include "embedded/bridge/guard.hpp"
#include "embedded/bridge/wire.hpp"

namespace tt_bridge {

namespace {

using Answer = std::function<json(Device&, const json&)>;

json answer_get(Device& device, const json& call) {
    const json& stacking = call.at("stacking");
    const Result result = device.get(
        call.at("queue"), call.at("count"),
        {stacking.at(0).get<std::uint32_t>(), stacking.at(1).get<std::uint32_t>(), stacking.at(2).get<bool>()},
        wait_from(call.at("wait")), call.at("slot"));
    std::size_t bytes = result.itemsize;
    for (const std::uint32_t size : result.shape) bytes *= size;
    const void* data = result.memory ? result.memory->data() : result.in_queue;
    return {result.format, result.itemsize, result.shape, binary(data, bytes)};
}

json answer_tilized(Device& device, const json& call) {
    std::uint32_t buffer_bytes = 0;
    const auto memory = device.tilized(call.at("queue"), host_tensor_from(call.at("tensor")), buffer_bytes);
    return {buffer_bytes, binary(memory->data(), memory->size() * sizeof(std::uint32_t))};
}

const std::map<std::string, Answer>& answers() {
    static const std::map<std::string, Answer> all{
        {"queue", [](Device& d, const json& c) { return to_json(d.queue(c.at("queue"))); }},
        {"in_vector_code",
         [](Device& d, const json& c) { return json(d.in_vector_code(c.at("queue"), c.at("format"))); }},
        {"push",
         [](Device& d, const json& c) {
             d.push(c.at("queue"), host_tensor_from(c.at("tensor")), wait_from(c.at("wait")), c.at("slot"));
             return json();
         }},
        {"push_tilized",
         [](Device& d, const json& c) {
             d.push(c.at("queue"), tilized_from(c.at("tensor")), wait_from(c.at("wait")), c.at("slot"));
             return json();
         }},
        {"get", answer_get},
        {"pop",
         [](Device& d, const json& c) {
             d.pop(c.at("queue"), c.at("count"), wait_from(c.at("wait")));
             return json();
         }},
        {"tilized", answer_tilized},
    };
    return all;
}

json answer_to(Device& device, const json& call) {
    try {
        return {{"result", guarded([&] { return answers().at(call.at("call").get<std::string>())(device, call); })}};
    } catch (const NotReady& error) {
        return {{"error", error.what()}, {"not_ready", true}};
    } catch (const std::exception& error) {
        return {{"error", error.what()}, {"not_ready", false}};
    }
}

}  // namespace

struct DeviceServer::Impl {
    struct Connection {
        explicit Connection(Protocol::socket&& s) : socket(std::move(s)) {}
        Protocol::socket socket;
        std::thread thread;
    };

    std::shared_ptr<Device> device;
    ServedDevice served;
    std::string folder;
    boost::asio::io_context context;
    Protocol::acceptor acceptor{context};
    std::thread thread;
    std::mutex guard;  ///< of what follows
    std::list<Connection> connections;
    bool over = false;

    void listen();
    void accept();
    void serve(Connection& connection);
    void end();
};

void DeviceServer::Impl::listen() {
    acceptor.open();
    acceptor.bind(endpoint_of(folder, served.id));
    acceptor.listen();
    close_when_forked(acceptor.native_handle());
    thread = std::thread([this] { accept(); });
}

void DeviceServer::Impl::accept() {
    for (;;) {
        boost::system::error_code failed;
        Protocol::socket socket = acceptor.accept(failed);
        const std::lock_guard lock(guard);
        if (over || failed) return;
        if (!of_this_user(socket)) continue;
        close_when_forked(socket.native_handle());
        Connection& connection = connections.emplace_back(std::move(socket));
        connection.thread = std::thread([this, &connection] { serve(connection); });
    }
}

void DeviceServer::Impl::serve(Connection& connection) {
    try {
        send(connection.socket, {served.netlist_path, served.id, served.golden});
        for (;;) send(connection.socket, answer_to(*device, receive(connection.socket)));
    } catch (const std::exception&) {
        // the other process is gone, or this server ends
    }
}

void DeviceServer::Impl::end() {
    device->close();  // ends calls that wait
    {
        const std::lock_guard lock(guard);
        over = true;
        ::shutdown(acceptor.native_handle(), SHUT_RDWR);  // wakes accept()
        for (Connection& connection : connections) ::shutdown(connection.socket.native_handle(), SHUT_RDWR);
    }
    if (thread.joinable()) thread.join();
    for (Connection& connection : connections) {
        connection.thread.join();
        closed(connection.socket.native_handle());
    }
    closed(acceptor.native_handle());
}

DeviceServer::DeviceServer(std::shared_ptr<Device> device, ServedDevice served, const std::string& folder)
    : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        impl_->device = std::move(device);
        impl_->served = std::move(served);
        impl_->folder = folder;
        impl_->listen();
    });
}

DeviceServer::~DeviceServer() { impl_->end(); }

}  // namespace tt_bridge
