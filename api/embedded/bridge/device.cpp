// A netlist on a machine, from its files to a session, and the programs it runs.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/text.hpp"
#include "api/embedded/bridge/device_impl.hpp"
#include "api/embedded/bridge/machine.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"
#include "runtime/image/host_numbers.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/target.hpp"
#include "runtime/model.hpp"
#include "sim/run.hpp"

namespace tt_bridge {

// --- from files ----------------------------------------------------------------------------------------------------

void Device::Impl::take(tt::Netlist netlist) {
    read = std::move(netlist);
    resolved = tt::resolve(read);
    for (const tt::Program& program : resolved.programs) programs.push_back(program.name);
}

Device::Device(const std::string& netlist_file, const DeviceOptions& options) : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        impl_->options = options;
        impl_->take(tt::read_netlist(netlist_file));
        impl_->machine = machine_for(impl_->resolved, options);
    });
}

Device::Device(const ImageFacts& image, const DeviceOptions& options) : impl_(std::make_unique<Impl>()) {
    guarded([&] {
        impl_->options = options;
        tt::image::DevicePart part = tt::image::read_device_part(tt::image::read_members(image.folder));
        impl_->take(std::move(part.netlist));
        impl_->constants = std::move(part.constants);
        impl_->machine = std::move(part.machine);
        const bool asked =
            !options.arch.empty() || !options.soc.empty() || !options.cluster.empty() || !options.harvested.empty();
        if (!asked) return;
        tt::Machine machine =
            tt::image::asked_machine(impl_->machine, options.arch, {.device = options.soc, .cluster = options.cluster});
        for (const auto& [chip, rows] : options.harvested) take_rows(machine, chip, rows);
        tt::image::check_same_target(impl_->machine, machine, image.folder);
    });
}

Device::~Device() { close(); }

void Device::open() {
    guarded([&] {
        tt::runtime::SessionOptions session;
        session.golden = impl_->options.golden;
        session.threads = impl_->options.threads;
        session.trace.file = impl_->options.trace_file;
        session.trace.command = "tt_backend";
        if (impl_->options.functional) session.mode = tt::sim::Mode::Functional;
        if (impl_->options.exact) session.numerics = tt::Numerics::Exact;
        if (impl_->options.float32) session.numerics = tt::Numerics::Float32;
        auto opened = std::make_unique<tt::runtime::Session>(impl_->read, impl_->machine, session);
        tt::runtime::write_constants(*opened, impl_->constants);
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
        const tt::Program* program = impl_->resolved.find_program(name);
        if (!program)
            tt::fail_input({impl_->read.file, 0, 0}, "the netlist has no program '{}'{}", name,
                           tt::did_you_mean(name, impl_->programs));
        std::vector<std::string> declared;
        for (const tt::Instruction& step : program->instructions)
            if (step.kind == tt::Instruction::Kind::Param)
                for (const auto& [variable, unused] : step.variables) declared.push_back(variable);
        return declared;
    });
}

// --- running -------------------------------------------------------------------------------------------------------

tt::runtime::Session& Device::Impl::live() const {
    if (!open)
        tt::fail_input({read.file, 0, 0},
                       "the device is closed: calls go between initialize() and finish(), and not "
                       "after a program that failed");
    return *session;
}

void Device::Impl::patiently(Wait wait, const std::function<void(tt::runtime::Patience)>& attempt) const {
    using std::chrono::milliseconds;
    constexpr double slice = 0.5, told_after = 10;  // seconds: until close() is noticed; until a wait is told of
    double waited = 0;
    bool told = false;
    if (options.golden) wait = {};
    if (std::isnan(wait.seconds)) throw std::runtime_error("a wait that is no number of seconds");
    for (;;) {
        (void)live();
        const double now = wait.for_ever ? slice : std::clamp(wait.seconds - waited, 0.0, slice);
        try {
            tt::runtime::Patience patience;
            patience.others = milliseconds(static_cast<std::int64_t>(now * 1000));
            return attempt(patience);
        } catch (const tt::Error& error) {
            waited += now;
            if (error.fault() != tt::Fault::Hang || (!wait.for_ever && !(waited < wait.seconds))) throw;
            if (wait.given_up && wait.given_up()) throw std::runtime_error("the process that called is gone");
            if (waited >= told_after && !told) std::fprintf(stderr, "tt_backend: still waiting: %s\n", error.what());
            told = told || waited >= told_after;
        }
    }
}

void Device::run(const std::string& program, const std::map<std::string, std::int64_t>& parameters, bool wait) {
    guarded([&] { impl_->live().run(program, parameters); });
    if (wait) wait_for_idle();
}

void Device::wait_for_idle() {
    guarded([&] {
        impl_->patiently({0, true}, [&](tt::runtime::Patience patience) { impl_->live().wait(patience); });
    });
}

// --- queues --------------------------------------------------------------------------------------------------------

const tt::Queue& Device::Impl::find(const std::string& name) const {
    if (const tt::Queue* queue = resolved.find_queue(name)) return *queue;
    std::vector<std::string> names;
    for (const tt::Queue& queue : resolved.queues) names.push_back(queue.name);
    tt::fail_input({read.file, 0, 0}, "the netlist has no queue '{}'{}", name, tt::did_you_mean(name, names));
}

bool Device::Impl::untilized(const tt::Queue& queue) const {
    const tt::Op* producer = queue.from_host() ? nullptr : resolved.find_op(queue.input);
    return producer && producer->cfg.untilize;
}

/// Of the graph that reads it, else of the graph that writes it. A ram of one slot is a parameter: 1.
std::int64_t Device::Impl::input_count(const tt::Queue& queue) const {
    if (queue.type == tt::QueueType::Ram && queue.entries == 1) return 1;
    std::int64_t written = 1;
    for (const tt::Graph& graph : resolved.graphs)
        for (const tt::Op& op : graph.ops) {
            if (std::find(op.inputs.begin(), op.inputs.end(), queue.name) != op.inputs.end()) return graph.input_count;
            if (op.name() == queue.input) written = graph.input_count;
        }
    return written;
}

QueueFacts Device::queue(const std::string& name) const {
    return guarded([&] {
        const tt::Queue& queue = impl_->find(name);
        const tt::Blocking& b = queue.blocking;
        const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
        QueueFacts facts;
        const bool rounded = !impl_->options.float32 || tt::is_raw(queue.df);
        const tt::DataFormat format = rounded ? queue.df : tt::DataFormat::Float32;
        const tt::DataFormat host = tt::image::host_format_of(format);
        facts.name = name;
        facts.format = to_string(format);
        facts.host_format = to_string(host);
        facts.ram = queue.type == tt::QueueType::Ram;
        facts.on_host = queue.where == tt::QueueLoc::Host;
        facts.flat = queue.layout == tt::QueueLayout::Flat;
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
        facts.entry_bytes = u32(b.t * b.mblock_tiles() * queue.tile.datums() * tt::image::host_bytes(host));
        for (const tt::BufferAddress& buffer : queue.buffers)
            facts.buffers.emplace_back(static_cast<std::uint32_t>(buffer.address),
                                       static_cast<std::uint16_t>(buffer.channel));
        return facts;
    });
}

}  // namespace tt_bridge
