// A netlist on a machine, from its files to a session, and the programs it runs.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "api/embedded/bridge/device_impl.hpp"
#include "api/embedded/bridge/machine.hpp"
#include "base/text.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"
#include "runtime/image/host_numbers.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/target.hpp"
#include "runtime/model.hpp"
#include "sim/run.hpp"

namespace ttsim::impl::bridge {

// --- from files ----------------------------------------------------------------------------------------------------

void Device::Impl::load_netlist(impl::Netlist netlist) {
    read = std::move(netlist);
    resolved = impl::resolve(read);
    for (const impl::Program& program : resolved.programs) programs.push_back(program.name);
}

/// Throws Error(Input) for a value out of the range that the schema of options gives it.
static void check_options(const DeviceOptions& options) {
    impl::sim::MachineValues values;
    values.threads = options.threads;
    check_values(values);
}

Device::Device(const std::string& netlist_file, const DeviceOptions& options) : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        check_options(options);
        impl_->options = options;
        impl_->load_netlist(impl::read_netlist(netlist_file));
        impl_->machine = machine_for(impl_->resolved, options);
    });
}

Device::Device(const ImageFacts& image, const DeviceOptions& options) : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        check_options(options);
        impl_->options = options;
        impl::image::DevicePart part = impl::image::read_device_part(impl::image::read_members(image.folder));
        impl_->load_netlist(std::move(part.netlist));
        impl_->constants = std::move(part.constants);
        impl_->machine = std::move(part.machine);
        const bool asked =
            !options.arch.empty() || !options.soc.empty() || !options.cluster.empty() || !options.harvested.empty();
        if (!asked) return;
        impl::Machine machine = impl::image::requested_machine(impl_->machine, options.arch,
                                                               {.device = options.soc, .cluster = options.cluster});
        for (const auto& [chip, rows] : options.harvested) harvest_rows(machine, chip, rows);
        impl::image::check_same_target(impl_->machine, machine, image.folder);
    });
}

Device::~Device() { close(); }

void Device::open() {
    guarded([&] {
        impl::runtime::SessionOptions session;
        session.golden = impl_->options.golden;
        session.threads = impl_->options.threads;
        session.trace.file = impl_->options.trace_file;
        session.trace.command = "tt_backend";
        if (impl_->options.functional) session.mode = impl::sim::Mode::Functional;
        if (impl_->options.exact) session.numerics = impl::Numerics::Exact;
        if (impl_->options.float32) session.numerics = impl::Numerics::Float32;
        auto opened = std::make_unique<impl::runtime::Session>(impl_->read, impl_->machine, session);
        impl::runtime::write_constants(*opened, impl_->constants);
        impl_->session = std::move(opened);
        impl_->open = true;
    });
}

void Device::close() noexcept { impl_->open = false; }

void Device::finish_trace() {
    if (impl_->session && !impl_->options.trace_file.empty()) guarded([&] { impl_->session->finish_trace(); });
}

bool Device::is_open() const { return impl_->open; }
std::uint64_t Device::cycles() const { return impl_->session ? impl_->session->now() : 0; }
std::string Device::arch() const { return impl_->machine.chips.front().params.name; }
const std::vector<std::string>& Device::programs() const { return impl_->programs; }

std::vector<std::string> Device::parameters_of(const std::string& name) const {
    return guarded([&] {
        const impl::Program* program = impl_->resolved.find_program(name);
        if (!program)
            impl::fail_input({impl_->read.file, 0, 0}, "the netlist has no program '{}'{}", name,
                             impl::did_you_mean(name, impl_->programs));
        std::vector<std::string> declared;
        for (const impl::Instruction& step : program->instructions)
            if (step.kind == impl::Instruction::Kind::Param)
                for (const auto& [variable, unused] : step.variables) declared.push_back(variable);
        return declared;
    });
}

// --- running -------------------------------------------------------------------------------------------------------

impl::runtime::Session& Device::Impl::live() const {
    if (!open)
        impl::fail_input({read.file, 0, 0},
                         "the device is closed: calls go between initialize() and finish(), and not "
                         "after a program that failed");
    return *session;
}

void Device::Impl::retry(Wait wait, const std::function<void(impl::runtime::Timeout)>& attempt) const {
    using std::chrono::milliseconds;
    constexpr double slice = 0.5;        // seconds between checks for close()
    constexpr double report_after = 10;  // seconds after which a message about the wait is printed
    double waited = 0;
    bool told = false;
    if (options.golden) wait = {};
    if (std::isnan(wait.seconds)) throw std::runtime_error("a wait that is not a number of seconds");
    for (;;) {
        (void)live();
        const double now = wait.for_ever ? slice : std::clamp(wait.seconds - waited, 0.0, slice);
        try {
            impl::runtime::Timeout timeout;
            timeout.others = milliseconds(static_cast<std::int64_t>(now * 1000));
            return attempt(timeout);
        } catch (const impl::Error& error) {
            waited += now;
            if (error.fault() != impl::Fault::Hang || (!wait.for_ever && !(waited < wait.seconds))) throw;
            if (wait.cancelled && wait.cancelled()) throw std::runtime_error("the process that called is gone");
            if (waited >= report_after && !told) std::fprintf(stderr, "tt_backend: still waiting: %s\n", error.what());
            told = told || waited >= report_after;
        }
    }
}

void Device::run(const std::string& program, const std::map<std::string, std::int64_t>& parameters, bool wait) {
    guarded([&] { impl_->live().run(program, parameters); });
    if (wait) wait_for_idle();
}

void Device::wait_for_idle() {
    guarded([&] { impl_->retry({0, true}, [&](impl::runtime::Timeout timeout) { impl_->live().wait(timeout); }); });
}

// --- queues --------------------------------------------------------------------------------------------------------

const impl::Queue& Device::Impl::find(const std::string& name) const {
    if (const impl::Queue* queue = resolved.find_queue(name)) return *queue;
    std::vector<std::string> names;
    for (const impl::Queue& queue : resolved.queues) names.push_back(queue.name);
    impl::fail_input({read.file, 0, 0}, "the netlist has no queue '{}'{}", name, impl::did_you_mean(name, names));
}

bool Device::Impl::untilized(const impl::Queue& queue) const {
    const impl::Op* producer = queue.from_host() ? nullptr : resolved.find_op(queue.input);
    return producer && producer->cfg.untilize;
}

/// input_count of the graph that reads the queue, else of the graph that writes it; 1 for a ram with one slot (a
/// parameter).
std::int64_t Device::Impl::input_count(const impl::Queue& queue) const {
    if (queue.type == impl::QueueType::Ram && queue.entries == 1) return 1;
    std::int64_t written = 1;
    for (const impl::Graph& graph : resolved.graphs)
        for (const impl::Op& op : graph.ops) {
            if (std::find(op.inputs.begin(), op.inputs.end(), queue.name) != op.inputs.end()) return graph.input_count;
            if (op.name() == queue.input) written = graph.input_count;
        }
    return written;
}

QueueFacts Device::queue(const std::string& name) const {
    return guarded([&] {
        const impl::Queue& queue = impl_->find(name);
        const impl::Blocking& b = queue.blocking;
        const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
        QueueFacts facts;
        const bool rounded = !impl_->options.float32 || impl::is_raw(queue.df);
        const impl::DataFormat format = rounded ? queue.df : impl::DataFormat::Float32;
        const impl::DataFormat host = impl::image::host_format_of(format);
        facts.name = name;
        facts.format = to_string(format);
        facts.host_format = to_string(host);
        facts.ram = queue.type == impl::QueueType::Ram;
        facts.on_host = queue.where == impl::QueueLoc::Host;
        facts.flat = queue.layout == impl::QueueLayout::Flat;
        facts.untilized = impl_->untilized(queue);
        facts.grid_r = u32(b.grid_r);
        facts.grid_c = u32(b.grid_c);
        facts.entries = u32(queue.entries);
        facts.ublock_rt = u32(b.ublock_rt);
        facts.ublock_ct = u32(b.ublock_ct);
        facts.mblock_m = u32(b.mblock_m);
        facts.mblock_n = u32(b.mblock_n);
        facts.t = u32(b.t);
        facts.tile_h = u32(queue.tile.h);
        facts.tile_w = u32(queue.tile.w);
        facts.input_count = u32(impl_->input_count(queue));
        facts.entry_bytes = u32(b.t * b.mblock_tiles() * queue.tile.elements() * impl::image::host_bytes(host));
        facts.header_bytes = u32(queue.alignment);
        for (const impl::BufferAddress& buffer : queue.buffers)
            facts.buffers.emplace_back(static_cast<std::uint32_t>(buffer.address),
                                       static_cast<std::uint16_t>(buffer.channel));
        return facts;
    });
}

}  // namespace ttsim::impl::bridge
