#include "runtime/device_session.hpp"

#include <ttsim/device_session.hpp>

#include "api/library/arrays.hpp"
#include "api/library/internal.hpp"
#include "api/library/model_impl.hpp"

namespace ttsim {

namespace {

impl::runtime::MemoryKind internal(DeviceMemory memory) {
    return memory == DeviceMemory::L1 ? impl::runtime::MemoryKind::L1 : impl::runtime::MemoryKind::Dram;
}

impl::runtime::BufferSpec internal(const BufferSpec& spec) {
    impl::runtime::BufferSpec out;
    out.type = {internal(spec.type), spec.shape, {}};
    if (!spec.format.empty()) {
        const auto format = impl::parse_format(spec.format);
        if (!format) impl::fail_input({}, "there is no data format '{}'", spec.format);
        out.format = *format;
    }
    if (spec.element_bits < 1 || spec.element_bits > 64)
        impl::fail_input({}, "an element has 1 to 64 bits, not {}", spec.element_bits);
    out.element_bits = spec.element_bits;
    out.tiled = spec.tiled;
    out.memory = internal(spec.memory);
    out.cores = spec.cores;
    out.shard_rows = spec.shard_rows;
    out.shard_columns = spec.shard_columns;
    return out;
}

std::vector<impl::runtime::BufferSpec> internal(const std::vector<BufferSpec>& specs) {
    std::vector<impl::runtime::BufferSpec> all;
    all.reserve(specs.size());
    for (const BufferSpec& spec : specs) all.push_back(internal(spec));
    return all;
}

BufferInfo external(const impl::runtime::BufferState& state) {
    return {state.id,
            state.address,
            state.pages,
            state.page_bytes,
            state.memory == impl::runtime::MemoryKind::L1 ? DeviceMemory::L1 : DeviceMemory::Dram,
            state.cores};
}

impl::Machine machine_named(const std::string& device) {
    const std::string chip = impl::device_chip(device);
    return impl::make_machine(chip.empty() ? impl::default_chip().name : chip, {device, "", {}, 1});
}

}  // namespace

struct DeviceSession::Impl {
    impl::runtime::DeviceSession session;
    Impl(const std::string& device, unsigned threads) : session(machine_named(device), threads) {}
    const impl::ChipInstance& chip() const { return session.machine().chips.front(); }
};

DeviceSession::DeviceSession(const std::string& device, unsigned threads)
    : impl_(guarded([&] { return std::make_unique<Impl>(device, threads); })) {}
DeviceSession::~DeviceSession() = default;
DeviceSession::DeviceSession(DeviceSession&&) noexcept = default;
DeviceSession& DeviceSession::operator=(DeviceSession&&) noexcept = default;

std::int64_t DeviceSession::write(const BufferSpec& spec, Array&& values) {
    return guarded([&] { return impl_->session.write(internal(spec), internal(std::move(values), "values")); });
}
Array DeviceSession::read(std::int64_t buffer) {
    return guarded([&] { return external(impl_->session.read(buffer)); });
}
Array DeviceSession::peek(std::int64_t buffer) const {
    return guarded([&] { return external(impl_->session.peek(buffer)); });
}
std::int64_t DeviceSession::move(const std::vector<std::int64_t>& sources, const BufferSpec& spec, Array&& values) {
    return guarded([&] { return impl_->session.move(sources, internal(spec), internal(std::move(values), "values")); });
}
std::int64_t DeviceSession::view(std::int64_t buffer, const std::vector<std::int64_t>& shape) {
    return guarded([&] { return impl_->session.view(buffer, shape); });
}
void DeviceSession::free(std::int64_t buffer) {
    guarded([&] { impl_->session.free(buffer); });
}
BufferInfo DeviceSession::buffer(std::int64_t buffer) const {
    return guarded([&] { return external(impl_->session.buffer(buffer)); });
}
std::vector<BufferInfo> DeviceSession::buffers() const {
    return guarded([&] {
        std::vector<BufferInfo> all;
        for (const impl::runtime::BufferState& state : impl_->session.buffers()) all.push_back(external(state));
        return all;
    });
}

std::int64_t DeviceSession::add_program(const CompiledModel& model, const std::vector<BufferSpec>& inputs,
                                        const std::vector<BufferSpec>& outputs) {
    return guarded([&] { return impl_->session.add_program(model.impl().model, internal(inputs), internal(outputs)); });
}
DeviceProgram DeviceSession::program(std::int64_t program) const {
    return guarded([&] {
        const impl::runtime::ProgramState state = impl_->session.program(program);
        return DeviceProgram{state.cycles, state.cores, state.launches, state.all_on_host};
    });
}
std::vector<std::int64_t> DeviceSession::launch(std::int64_t program, const std::vector<std::int64_t>& inputs,
                                                const std::vector<BufferSpec>& outputs) {
    return guarded([&] { return impl_->session.launch(program, inputs, internal(outputs)); });
}
void DeviceSession::remove_programs() {
    guarded([&] { impl_->session.remove_programs(); });
}

void DeviceSession::synchronize() {
    guarded([&] { impl_->session.synchronize(); });
}
void DeviceSession::begin_replay() { impl_->session.begin_replay(); }
void DeviceSession::end_replay() { impl_->session.end_replay(); }
std::uint64_t DeviceSession::host_now() const { return impl_->session.host_now(); }
std::uint64_t DeviceSession::device_now() const { return impl_->session.device_now(); }
LaunchTime DeviceSession::last_launch() const {
    const impl::runtime::LaunchTime last = impl_->session.last_launch();
    return {last.enqueued, last.start, last.end, last.is_new};
}
DeviceCounters DeviceSession::counters() const {
    const impl::runtime::DeviceCounters c = impl_->session.counters();
    return {c.launches,   c.programs,     c.moves,       c.writes,      c.bytes_written, c.reads,
            c.bytes_read, c.write_cycles, c.read_cycles, c.busy_cycles, c.gap_cycles,    c.host_bound_cycles};
}
MemoryInfo DeviceSession::memory(DeviceMemory kind) const {
    const impl::runtime::MemoryState m = impl_->session.memory(internal(kind));
    return {m.banks, m.total, m.used, m.peak, m.largest_hole};
}
std::string DeviceSession::chip() const { return impl_->chip().params.name; }
std::int64_t DeviceSession::clock_mhz() const { return impl_->chip().params.clock_mhz; }
std::int64_t DeviceSession::rows() const { return std::ssize(impl_->chip().params.worker_y); }
std::int64_t DeviceSession::columns() const { return std::ssize(impl_->chip().params.worker_x); }

}  // namespace ttsim
