#include "embedded/api/registry.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <tt_backend_api.hpp>

namespace tt_backend_api {

namespace {

std::mutex guard;
std::map<std::uint64_t, std::weak_ptr<Record>> records;
std::uint64_t last_id = 0;

thread_local std::string last_message;

void check_process(const Record& record) {
    if (record.process != ::getpid())
        throw std::runtime_error(record.netlist_path +
                                 ": its simulated device lives in the process that made the backend; use threads "
                                 "of that process");
}

std::string folder_name(const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(path, ignored);
    return (ignored ? std::filesystem::path(path) : full).string();
}

}  // namespace

void add(const std::shared_ptr<Record>& record) {
    const std::lock_guard lock(guard);
    record->id = ++last_id;
    record->process = ::getpid();
    records[record->id] = record;
    for (auto it = records.begin(); it != records.end();) it = it->second.expired() ? records.erase(it) : ++it;
}

std::shared_ptr<Record> find(const tt::tt_dram_io_desc& q) {
    const std::lock_guard lock(guard);
    std::shared_ptr<Record> found;
    for (const auto& [id, weak] : records) {
        std::shared_ptr<Record> record = weak.lock();
        if (!record || (q.backend_id != 0 ? id != q.backend_id : record->netlist_path != q.netlist_path)) continue;
        if (found)
            throw std::runtime_error(q.netlist_path +
                                     ": several backends run it; take descriptors from "
                                     "get_queue_descriptor(), which say which one they mean");
        found = std::move(record);
    }
    if (!found)
        throw std::runtime_error(q.netlist_path + ": no backend runs it (queue '" + q.queue_name +
                                 "'); it must live as long as its descriptors are used");
    check_process(*found);
    return found;
}

bool made_here(const std::string& output_dir) {
    const std::lock_guard lock(guard);
    for (const auto& [id, weak] : records)
        if (const auto record = weak.lock();
            record && record->process == ::getpid() && folder_name(record->output_dir) == folder_name(output_dir))
            return true;
    return false;
}

tt::DEVICE_STATUS_CODE failed(tt::DEVICE_STATUS_CODE code, const std::string& message) {
    last_message = message;
    std::fprintf(stderr, "tt_backend: %s: %s\n", tt::get_string(code).c_str(), message.c_str());
    return code;
}

}  // namespace tt_backend_api

const std::string& tt::backend::last_error() { return tt_backend_api::last_message; }

// --- processes -----------------------------------------------------------------------------------------------------

static thread_local int child_depth = 0;

tt::DEVICE_STATUS_CODE tt::backend::initialize_child_process(const std::string& output_dir) {
    return tt_backend_api::status_of(false, [&] {
        if (!tt_backend_api::made_here(output_dir))
            throw std::runtime_error(output_dir +
                                     ": no backend of this process has this output_dir, and a simulated "
                                     "device lives in the process that made it; use threads there");
        ++child_depth;
    });
}

tt::DEVICE_STATUS_CODE tt::backend::finish_child_process() {
    return tt_backend_api::status_of(false, [&] {
        if (child_depth == 0) throw std::runtime_error("finish_child_process() without initialize_child_process()");
        --child_depth;
    });
}
