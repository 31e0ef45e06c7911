#include "api/embedded/api/backend.hpp"

#include <filesystem>

#include "api/embedded/api/backend_options.hpp"
#include "api/embedded/api/device_image.hpp"
#include "api/embedded/api/names.hpp"

namespace fs = std::filesystem;
using tt::DEVICE_STATUS_CODE;
using tt_backend_api::Record;
using tt_backend_api::status_of;

namespace {

std::shared_ptr<Record> record_of(const tt::tt_backend_config& config, const std::string& netlist_path) {
    auto record = std::make_shared<Record>();
    record->type = config.type;
    record->netlist_path = netlist_path;
    record->output_dir = config.output_dir;
    return record;
}

}  // namespace

// --- construction --------------------------------------------------------------------------------------------------

tt_backend::tt_backend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
tt_backend::~tt_backend() {
    if (impl_->record && impl_->record->made_here()) impl_->record->device->close();
}

void tt_backend::Impl::load_netlist(const std::string& netlist_path) {
    const tt::bridge::DeviceOptions options = tt_backend_api::options_of(config);
    auto made = record_of(config, netlist_path);
    made->device = image ? std::make_shared<tt::bridge::Device>(image->impl().facts, options)
                         : std::make_shared<tt::bridge::Device>(netlist_path, options);
    made->queues = made->device;
    if (config.arch == tt::ARCH::Invalid) config.arch = tt_backend_api::arch_of_chip(made->device->arch());
    if (record) earlier.push_back(record);
    record = std::move(made);
    descriptors.clear();
    add(record);
}

std::shared_ptr<tt_backend> tt_backend::create(const std::string& netlist_path, const tt::tt_backend_config& config) {
    if (config.tti) return create(config.tti, config);
    auto impl = std::make_unique<Impl>();
    impl->config = config;
    impl->load_netlist(netlist_path);
    return std::shared_ptr<tt_backend>(new tt_backend(std::move(impl)));
}

std::shared_ptr<tt_backend> tt_backend::create(std::shared_ptr<tt::tt_device_image> image,
                                               const tt::tt_backend_config& config) {
    if (!image) throw std::runtime_error("tt_backend::create: the image is null");
    auto impl = std::make_unique<Impl>();
    impl->config = config;
    impl->config.tti = image;
    impl->config.mode = tt::DEVICE_MODE::RunOnly;
    if (config.type == tt::DEVICE::Invalid) impl->config.type = tt::get_device_from_string(image->backend());
    impl->config.output_dir = image->get_model_path("backend_build_binaries");
    impl->image = std::move(image);
    impl->load_netlist(impl->image->get_netlist_path());
    return std::shared_ptr<tt_backend>(new tt_backend(std::move(impl)));
}

std::shared_ptr<tt_backend> tt_backend::create_eager_backend(const tt::tt_backend_config& config,
                                                             const std::set<int>& devices) {
    (void)tt_backend_api::options_of(config);
    if (config.type == tt::DEVICE::Golden)
        throw std::runtime_error("an eager backend is not Golden; take Silicon, which is simulated");
    if (devices.empty()) throw std::runtime_error("an eager backend needs the ids of its chips");
    auto impl = std::make_unique<Impl>();
    impl->config = config;
    impl->eager = true;
    return std::shared_ptr<tt_backend>(new tt_backend(std::move(impl)));
}

tt::bridge::Device& tt_backend::Impl::device() const {
    if (!record) throw std::runtime_error("the eager backend has no netlist; call compile_netlist() first");
    return record->own_device();
}

// --- compiling, opening --------------------------------------------------------------------------------------------

DEVICE_STATUS_CODE tt_backend::initialize() { return initialize(nullptr); }

DEVICE_STATUS_CODE tt_backend::initialize(tt::tt_compile_result* result) {
    return status_of(false, [&] {
        if (result) *result = {};
        if (impl_->initialized) throw std::runtime_error("initialize() was called before; it is called once");
        impl_->initialized = true;
        if (impl_->record) impl_->open(result);
        if (result) result->success = true;
    });
}

DEVICE_STATUS_CODE tt_backend::compile_netlist(const std::string& netlist_path) {
    return status_of(false, [&] {
        if (!impl_->eager)
            throw std::runtime_error(netlist_path +
                                     ": this backend has its netlist; compile_netlist() is for those of "
                                     "create_eager_backend()");
        if (!impl_->initialized) throw std::runtime_error(netlist_path + ": initialize() comes first");
        impl_->load_netlist(netlist_path);
        impl_->open(nullptr);
    });
}

DEVICE_STATUS_CODE tt_backend::compile_and_run_netlist(const std::string& netlist_path,
                                                       const std::map<std::string, std::string>& parameters) {
    const DEVICE_STATUS_CODE compiled = compile_netlist(netlist_path);
    if (compiled != DEVICE_STATUS_CODE::Success) return compiled;
    for (const std::string& program : get_programs())
        if (const auto ran = run_program(program, parameters); ran != DEVICE_STATUS_CODE::Success) return ran;
    return DEVICE_STATUS_CODE::Success;
}

// --- running -------------------------------------------------------------------------------------------------------

void tt_backend::Impl::run(const std::string& program, const std::map<std::string, std::string>& parameters) {
    if (!initialized) throw std::runtime_error("program '" + program + "': initialize() comes first");
    if (config.mode == tt::DEVICE_MODE::CompileOnly)
        throw std::runtime_error("program '" + program + "': the backend's mode is CompileOnly");
    tt::bridge::Device& on = device();
    const auto values = tt_backend_api::parameters_of(program, on.parameters_of(program), parameters);
    on.run(program, values, record->golden() || config.optimization_level == 0);
}

DEVICE_STATUS_CODE tt_backend::run_program(const std::string& program,
                                           const std::map<std::string, std::string>& parameters) {
    const DEVICE_STATUS_CODE status = status_of(false, [&] { impl_->run(program, parameters); });
    if (status != DEVICE_STATUS_CODE::Success && impl_->record && impl_->record->made_here())
        impl_->record->device->close();
    return status;
}

DEVICE_STATUS_CODE tt_backend::wait_for_idle() {
    return status_of(false, [&] { impl_->device().wait_for_idle(); });
}

DEVICE_STATUS_CODE tt_backend::memory_barrier(tt::MemBarType type, int chip, const std::unordered_set<tt_xy_pair>&) {
    return status_of(false, [&] {
        if (type == tt::MemBarType::host_cluster) return impl_->device().wait_for_idle();
        // programs run in order: every later read sees a write
        if (type == tt::MemBarType::device_device && impl_->device().is_open()) return;
        throw std::runtime_error("memory_barrier on chip " + std::to_string(chip) +
                                 ": between host and a chip's DRAM or L1 there is none; use host_cluster");
    });
}

void tt_backend::Impl::finish() {
    if (!initialized || finished) throw std::runtime_error("finish() goes once, after initialize()");
    finished = true;
    for (auto& before : earlier) before->device->close();
    if (!record) return;
    record->device->close();
    record->device->finish_trace();
    const bool ran = config.mode != tt::DEVICE_MODE::CompileOnly;
    const bool profile = config.l1_profiler_en && !record->golden();
    if (ran || profile) fs::create_directories(config.output_dir);
    if (profile) record->device->write_l1_report((fs::path(config.output_dir) / "l1_profile").string());
    if (ran) record->device->write_run_report((fs::path(config.output_dir) / "run_report.json").string());
}

DEVICE_STATUS_CODE tt_backend::finish() {
    return status_of(false, [&] { impl_->finish(); });
}

// --- queries -------------------------------------------------------------------------------------------------------

tt::tt_dram_io_desc tt_backend::get_queue_descriptor(const std::string& name) {
    const std::lock_guard lock(impl_->mutex);
    const auto found = impl_->descriptors.find(name);
    if (found != impl_->descriptors.end()) return found->second;
    return impl_->descriptors[name] = impl_->describe(name);
}

const std::vector<std::string>& tt_backend::get_programs() const {
    return impl_->record ? impl_->record->device->programs() : impl_->no_programs;
}

void tt_backend::set_config(const tt::tt_backend_config& config) {
    if (impl_->initialized) throw std::runtime_error("set_config() comes before initialize()");
    const tt::tt_backend_config before = impl_->config;
    impl_->config = config;
    if (!impl_->image) {
        if (impl_->record) impl_->load_netlist(impl_->record->netlist_path);
        return;
    }
    impl_->config.mode = before.mode;
    impl_->config.output_dir = before.output_dir;
    impl_->config.tti = before.tti;
    if (config.type == tt::DEVICE::Invalid) impl_->config.type = before.type;
    impl_->load_netlist(impl_->record->netlist_path);
}

tt::tt_backend_config tt_backend::get_config() const { return impl_->config; }
std::uint64_t tt_backend::get_cycles() const { return impl_->record ? impl_->record->device->cycles() : 0; }
