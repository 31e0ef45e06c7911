#include "api/embedded/api/registry.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <tt_backend_api.hpp>

namespace tt_backend_api {

namespace {

std::mutex guard;
std::vector<std::weak_ptr<Record>> records;
std::uint64_t last_id = 0;

thread_local std::string last_message;

std::string folder_name(const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(path, ignored);
    return (ignored ? std::filesystem::path(path) : full).string();
}

/// Whether this process has created a backend with that folder, which still exists.
bool made_here(const std::string& output_dir) {
    const std::lock_guard lock(guard);
    for (const auto& weak : records)
        if (const auto record = weak.lock();
            record && record->made_here() && folder_name(record->output_dir) == folder_name(output_dir))
            return true;
    return false;
}

}  // namespace

Record::~Record() {
    // in a forked process the threads of the copy do not exist and cannot be joined
    if (device && !made_here()) {
        new auto(std::move(device));
        new auto(std::move(queues));
        (void)server.release();
    }
}

bool Record::made_here() const { return process == 0 || process == ::getpid(); }

tt::bridge::Device& Record::own_device() const {
    if (!device || !made_here())
        throw std::runtime_error(netlist_path +
                                 ": the process that made the backend runs it; others push, get and pop, after "
                                 "initialize_child_process()");
    return *device;
}

void add(const std::shared_ptr<Record>& record) {
    const std::lock_guard lock(guard);
    record->process = ::getpid();
    // the process id makes the ids unique over processes
    if (record->id == 0) record->id = (static_cast<std::uint64_t>(::getpid()) << 32) + ++last_id;
    std::erase_if(records, [](const auto& weak) { return weak.expired(); });
    records.push_back(record);
}

std::shared_ptr<Record> find(const tt::tt_dram_io_desc& q) {
    const std::lock_guard lock(guard);
    std::shared_ptr<Record> found;
    bool elsewhere = false;
    for (const auto& weak : records) {
        std::shared_ptr<Record> record = weak.lock();
        if (!record || (q.backend_id != 0 ? record->id != q.backend_id : record->netlist_path != q.netlist_path))
            continue;
        elsewhere = elsewhere || !record->made_here();
        if (!record->made_here()) continue;
        if (found)
            throw std::runtime_error(q.netlist_path +
                                     ": several backends run it; take descriptors from "
                                     "get_queue_descriptor(), which say which one they mean");
        found = std::move(record);
    }
    if (!found)
        throw std::runtime_error(
            q.netlist_path + (elsewhere ? ": another process made its backend; initialize_child_process(OUTPUT_DIR) of "
                                          "this process comes first"
                                        : ": no backend runs it (queue '" + q.queue_name +
                                              "'); it must live as long as its descriptors are used"));
    return found;
}

tt::DEVICE_STATUS_CODE failed(tt::DEVICE_STATUS_CODE code, const std::string& message) {
    last_message = message;
    std::fprintf(stderr, "tt_backend: %s: %s\n", tt::get_string(code).c_str(), message.c_str());
    return code;
}

}  // namespace tt_backend_api

const std::string& tt::backend::last_error() { return tt_backend_api::last_message; }

// --- processes -----------------------------------------------------------------------------------------------------

namespace {

/// Devices of other processes that initialize_child_process() has found, one list per call.
std::vector<std::vector<std::shared_ptr<tt_backend_api::Record>>> attached;
std::mutex attached_guard;

/// Creates a record for each device that another process serves for the folder.
std::vector<std::shared_ptr<tt_backend_api::Record>> attach(const std::string& output_dir) {
    std::vector<std::shared_ptr<tt_backend_api::Record>> all;
    for (tt::bridge::RemoteDevice& remote : tt::bridge::devices_served_for(output_dir)) {
        auto record = std::make_shared<tt_backend_api::Record>();
        record->queues = std::move(remote.queues);
        record->type = remote.served.golden ? tt::DEVICE::Golden : tt::DEVICE::Silicon;
        record->netlist_path = remote.served.netlist_path;
        record->output_dir = output_dir;
        record->id = remote.served.id;
        tt_backend_api::add(record);
        all.push_back(std::move(record));
    }
    return all;
}

}  // namespace

tt::DEVICE_STATUS_CODE tt::backend::initialize_child_process(const std::string& output_dir) {
    return tt_backend_api::status_of(false, [&] {
        std::vector<std::shared_ptr<tt_backend_api::Record>> found;
        if (!tt_backend_api::made_here(output_dir)) {
            found = attach(output_dir);
            if (found.empty())
                throw std::runtime_error(output_dir +
                                         ": no backend that is open has this output_dir; initialize() of the process "
                                         "that runs it comes first");
        }
        const std::lock_guard lock(attached_guard);
        attached.push_back(std::move(found));
    });
}

tt::DEVICE_STATUS_CODE tt::backend::finish_child_process() {
    return tt_backend_api::status_of(false, [&] {
        const std::lock_guard lock(attached_guard);
        if (attached.empty()) throw std::runtime_error("finish_child_process() without initialize_child_process()");
        attached.pop_back();
    });
}
