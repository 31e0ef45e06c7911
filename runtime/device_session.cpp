#include "runtime/device_session.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "compiler/host/host_steps.hpp"
#include "compiler/model/host_share.hpp"
#include "kernels/formats/numerics.hpp"
#include "runtime/operand_places.hpp"

namespace ttsim::impl::runtime {

namespace {

constexpr std::int64_t tile_side = 32;
constexpr std::int64_t small_values = 1 << 16;  // programs up to this size are computed by the calling thread

std::int64_t tiles(std::int64_t elements) { return (elements + tile_side - 1) / tile_side; }

/// The last two axes, and the product of the others.
struct Matrix {
    std::int64_t z = 1, rows = 1, cols = 1;
};
Matrix matrix_of(const ir::Dims& dims) {
    Matrix m;
    const std::size_t rank = dims.size();
    if (rank > 0) m.cols = dims[rank - 1];
    if (rank > 1) m.rows = dims[rank - 2];
    for (std::size_t k = 0; k + 2 < rank; ++k) m.z *= dims[k];
    return m;
}

std::int64_t page_bytes(const BufferSpec& spec, const Matrix& m) {
    if (!spec.tiled) return std::max<std::int64_t>(1, (m.cols * spec.element_bits + 7) / 8);
    const std::int64_t elements = tile_side * tile_side * spec.element_bits / 8;
    return is_block_float(spec.format) && ir::is_float(spec.type.dtype)
               ? tile_body_bytes(spec.format, {static_cast<int>(tile_side), static_cast<int>(tile_side)})
               : elements;
}

/// bfloat16, to the nearest, ties to even.
float nearest_bfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return std::bit_cast<float>((bits | 0x00400000U) & 0xFFFF0000U);
    return std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
}

Machine one_chip(Machine machine) {
    machine.chips.resize(1);
    machine.links.clear();
    return machine;
}

std::int64_t most_cores(const Netlist& netlist) {
    std::int64_t most = 0;
    for (const Graph& graph : netlist.graphs) {
        std::int64_t cores = 0;
        for (const Op& op : graph.ops) cores += op.cfg.out.grid_r * op.cfg.out.grid_c;
        most = std::max(most, cores);
    }
    return most;
}

SessionOptions engine(sim::Mode mode, unsigned threads) {
    SessionOptions options;
    options.mode = mode;
    options.threads = threads;
    return options;
}

/// Throws Error(Input) unless the shards cover the buffer and their cores exist.
void check_shards(const BufferSpec& spec, const Matrix& m, std::int64_t banks) {
    if (spec.memory != MemoryKind::L1) fail_input({}, "a buffer with shards is in L1");
    if (spec.shard_rows < 1 || spec.shard_columns < 1)
        fail_input({}, "a shard has at least one row and column, not {} x {}", spec.shard_rows, spec.shard_columns);
    const std::int64_t down = (m.z * m.rows + spec.shard_rows - 1) / spec.shard_rows;
    const std::int64_t across = (m.cols + spec.shard_columns - 1) / spec.shard_columns;
    if (down * across > std::ssize(spec.cores))
        fail_input({}, "{} in shards of {} x {} has {} of them, for {} cores", to_string(spec.type), spec.shard_rows,
                   spec.shard_columns, down * across, spec.cores.size());
    for (const std::int64_t core : spec.cores)
        if (core < 0 || core >= banks)
            fail_input({}, "there is no core {}; the device has cores 0..{}", core, banks - 1);
}

std::uint64_t cycle(double at) { return static_cast<std::uint64_t>(std::llround(at)); }

}  // namespace

ir::Literal rounded(ir::Literal&& values, const BufferSpec& spec) {
    if (!ir::is_float(spec.type.dtype) || spec.format == DataFormat::Float32) return std::move(values);
    if (is_block_float(spec.format)) {
        Tensor entry = ir::to_entry(values, DataFormat::Float32);
        host_convert(spec.format, {entry.data.data(), entry.z * entry.rows, entry.cols, entry.cols});
        return ir::from_entry(entry, {values.dtype(), values.dims(), {}});
    }
    for (float& value : values.floats()) value = nearest_bfloat16(value);
    return std::move(values);
}

struct DeviceSession::Program {
    ir::CompiledModel model;
    std::vector<std::string> inputs, outputs;
    ProgramState state;
    DataFormat result_format = DataFormat::Invalid;  ///< of all outputs; Invalid: several, or from the host
    unsigned threads = 0;
    std::unique_ptr<Model> live;
};

DeviceSession::DeviceSession(Machine machine, unsigned threads)
    : machine_(one_chip(std::move(machine))),
      threads_(threads),
      costs_(launch_costs(machine_.chips.front().params)),
      dram_("DRAM", std::max<std::int64_t>(1, machine_.grid(machine_.chips.front().id).dram_channels), tile_side,
            machine_.chips.front().params.dram_channel_bytes, tile_side),
      l1_("L1",
          static_cast<std::int64_t>(machine_.chips.front().params.worker_x.size() *
                                    machine_.chips.front().params.worker_y.size()),
          machine_.chips.front().params.l1_reserved, machine_.chips.front().params.l1_bytes, tile_side) {}

DeviceSession::~DeviceSession() = default;

// --- buffers -------------------------------------------------------------------------------------------------------

const DeviceSession::Buffer& DeviceSession::find(std::int64_t buffer) const {
    const auto at = buffers_.find(buffer);
    if (at == buffers_.end())
        fail(Fault::Input, {{}, error_code::not_allocated, {}}, "buffer {} of the device was deallocated", buffer);
    return at->second;
}

std::shared_ptr<DeviceSession::Memory> DeviceSession::allocate(const BufferSpec& spec) {
    const Matrix m = matrix_of(spec.type.dims);
    auto memory = std::make_shared<Memory>();
    BufferState& place = memory->place;
    place.memory = spec.memory;
    place.pages = spec.tiled ? m.z * tiles(m.rows) * tiles(m.cols) : m.z * m.rows;
    place.page_bytes = page_bytes(spec, m);
    BankAllocator& banks = allocator(spec.memory);
    if (spec.cores.empty()) {
        place.address = banks.allocate(place.pages, place.page_bytes);
        return memory;
    }
    // all banks keep the address range of a shard, as the vendor's allocator does
    const Matrix shard{1, spec.shard_rows, spec.shard_columns};
    check_shards(spec, m, banks.banks());
    place.page_bytes = page_bytes(spec, shard);
    place.cores = spec.cores;
    const std::int64_t in_shard = spec.tiled ? tiles(shard.rows) * tiles(shard.cols) : shard.rows;
    place.pages = in_shard * std::ssize(spec.cores);
    place.address = banks.allocate(in_shard * banks.banks(), place.page_bytes);
    return memory;
}

void DeviceSession::release(const std::shared_ptr<Memory>& memory) {
    if (--memory->users == 0) allocator(memory->place.memory).free(memory->place.address);
}

std::int64_t DeviceSession::add(const BufferSpec& spec, ir::Literal&& values, std::shared_ptr<Memory> memory) {
    ++memory->users;
    const std::int64_t id = next_buffer_++;
    if (memory->users == 1) memory->place.id = id;
    buffers_.emplace(id, Buffer{spec, std::move(values), std::move(memory)});
    return id;
}

std::int64_t DeviceSession::add(const BufferSpec& spec, ir::Literal&& values) {
    if (values.dims() != spec.type.dims || ir::is_float(values.dtype()) != ir::is_float(spec.type.dtype))
        fail(Fault::Input, {{}, error_code::wrong_shape, {}}, "values {} do not fit a buffer of {}",
             to_string(ir::Type{values.dtype(), values.dims(), {}}), to_string(spec.type));
    return add(spec, std::move(values), allocate(spec));
}

std::int64_t DeviceSession::write(const BufferSpec& spec, ir::Literal&& values) {
    const std::unique_lock lock(mutex_);
    const std::int64_t id = add(spec, rounded(std::move(values), spec));
    const std::int64_t bytes = find(id).memory->place.bytes();
    const std::uint64_t cycles = costs_.write_cycles(bytes);
    host_ += static_cast<double>(cycles);
    ++counters_.writes;
    counters_.bytes_written += bytes;
    counters_.write_cycles += cycles;
    return id;
}

void DeviceSession::synchronize() {
    const std::unique_lock lock(mutex_);
    host_ = std::max(host_, device_);
}

ir::Literal DeviceSession::read(std::int64_t buffer) {
    const std::unique_lock lock(mutex_);
    const Buffer& from = find(buffer);
    const std::int64_t bytes = from.memory->place.bytes();
    const std::uint64_t cycles = costs_.read_cycles(bytes);
    host_ = std::max(host_, device_) + static_cast<double>(cycles);
    ++counters_.reads;
    counters_.bytes_read += bytes;
    counters_.read_cycles += cycles;
    return from.values;
}

ir::Literal DeviceSession::peek(std::int64_t buffer) const {
    const std::unique_lock lock(mutex_);
    return find(buffer).values;
}

std::int64_t DeviceSession::move(std::span<const std::int64_t> sources, const BufferSpec& spec, ir::Literal&& values) {
    const std::unique_lock lock(mutex_);
    std::vector<LaunchCosts::Moved> read;
    read.reserve(sources.size());
    for (const std::int64_t source : sources) read.push_back(moved(source));
    const std::int64_t id = add(spec, rounded(std::move(values), spec));
    ++counters_.moves;
    advance(costs_.move_cycles(read, moved(id)), false);
    return id;
}

LaunchCosts::Moved DeviceSession::moved(std::int64_t buffer) const {
    const BufferState& place = find(buffer).memory->place;
    if (place.memory == MemoryKind::Dram) return {place.bytes(), 0};
    const std::int64_t holders = place.cores.empty() ? std::min(l1_.banks(), place.pages) : std::ssize(place.cores);
    return {place.bytes(), std::max<std::int64_t>(1, holders)};
}

std::int64_t DeviceSession::view(std::int64_t buffer, const ir::Dims& dims) {
    const std::unique_lock lock(mutex_);
    const Buffer& from = find(buffer);
    if (ir::count(dims) != ir::count(from.spec.type.dims))
        fail(Fault::Input, {{}, error_code::wrong_shape, {}}, "{} cannot be viewed as {}", to_string(from.spec.type),
             to_string(ir::Type{from.spec.type.dtype, dims, {}}));
    BufferSpec spec = from.spec;
    spec.type.dims = dims;
    ir::Literal values = from.values;
    values.reshape(dims);
    return add(spec, std::move(values), from.memory);
}

void DeviceSession::free(std::int64_t buffer) {
    const std::unique_lock lock(mutex_);
    release(find(buffer).memory);
    buffers_.erase(buffer);
}

BufferState DeviceSession::buffer(std::int64_t buffer) const {
    const std::unique_lock lock(mutex_);
    BufferState state = find(buffer).memory->place;
    state.id = buffer;
    return state;
}

std::vector<BufferState> DeviceSession::buffers() const {
    const std::unique_lock lock(mutex_);
    std::vector<BufferState> all;
    for (const auto& [id, buffer] : buffers_) {
        all.push_back(buffer.memory->place);
        all.back().id = id;
    }
    return all;
}

// --- programs ------------------------------------------------------------------------------------------------------

std::int64_t DeviceSession::add_program(ir::CompiledModel model, std::span<const BufferSpec> inputs,
                                        std::span<const BufferSpec> outputs) {
    auto program = std::make_unique<Program>();
    std::int64_t values = 0;
    for (const ModelTensor& input : inputs_of(model)) {
        program->inputs.push_back(input.name);
        values += ir::count(input.type.dims);
    }
    for (const ModelTensor& output : outputs_of(model)) {
        program->outputs.push_back(output.name);
        values += ir::count(output.type.dims);
    }
    program->threads = values <= small_values ? 1 : threads_;
    program->state.all_on_host = ir::all_on_host(model.host.program);
    if (!program->state.all_on_host) {
        program->state.cores = most_cores(model.netlist);
        ir::CompiledModel placed = model;
        PlacedMachine on = with_operands_in_l1(machine_, placed, inputs, outputs);
        SessionOptions options = engine(sim::Mode::Timing, 1);
        options.idealized = std::move(on.resources);
        Model timing(std::move(placed), {options, on.machine});
        timing.push(model.inputs);  // before the program starts: its operands are in memory
        timing.flush();
        (void)timing.get();
        for (const sim::GraphReport& graph : timing.session().report().graphs)
            program->state.cycles += graph.active_cycles;
        const auto& results = model.host.from_device;
        const auto same = [&](const ir::BoundTensor& one) { return one.df == results.front().df; };
        const ir::Graph& host = model.host.program.graph;
        const bool direct = std::all_of(host.outputs.begin(), host.outputs.end(), [&](const ir::Output& output) {
            return host.nodes[output.value].has(ir::attr::device);
        });
        if (direct && !results.empty() && std::all_of(results.begin(), results.end(), same))
            program->result_format = results.front().df;
    }
    program->model = std::move(model);
    const std::unique_lock lock(mutex_);
    ++counters_.programs;
    programs_.emplace(next_program_, std::move(program));
    return next_program_++;
}

DeviceSession::Program& DeviceSession::find_program(std::int64_t program) const {
    const auto at = programs_.find(program);
    if (at == programs_.end())
        fail(Fault::Input, {{}, error_code::unknown_name, {}}, "the device has no program {}", program);
    return *at->second;
}

ProgramState DeviceSession::program(std::int64_t program) const {
    const std::unique_lock lock(mutex_);
    return find_program(program).state;
}

void DeviceSession::remove_programs() {
    const std::unique_lock lock(mutex_);
    live_.clear();
    programs_.clear();
}

/// The program's session; the one that was not used for longest is closed if there are too many.
Model& DeviceSession::live(Program& program) {
    const auto at = std::find(live_.begin(), live_.end(), &program);
    if (at != live_.end()) live_.erase(at);
    live_.push_front(&program);
    if (!program.live)
        program.live = std::make_unique<Model>(program.model,
                                               ModelOptions{engine(sim::Mode::Functional, program.threads), machine_});
    if (live_.size() > live_models) {
        live_.back()->live.reset();
        live_.pop_back();
    }
    return *program.live;
}

/// Moves the clocks on by an op.
void DeviceSession::advance(std::uint64_t cycles, bool is_new) {
    if (replay_ != Replay::Next) host_ += is_new ? costs_.enqueue_new : costs_.enqueue;
    if (replay_ == Replay::First) replay_ = Replay::Next;
    const bool first = counters_.launches + counters_.moves <= 1;
    const double ready = first ? 0 : device_ + costs_.gap;
    const double start = std::max(host_, ready);
    if (!first) {
        counters_.gap_cycles += cycle(start - device_);
        counters_.host_bound_cycles += cycle(start - ready);
    }
    last_.enqueued = cycle(host_);
    last_.start = cycle(start);
    device_ = start + costs_.spread + static_cast<double>(cycles);
    last_.end = cycle(device_);
    last_.is_new = is_new;
    counters_.busy_cycles += last_.end - last_.start;
}

std::vector<std::int64_t> DeviceSession::launch(std::int64_t program, std::span<const std::int64_t> inputs,
                                                std::span<const BufferSpec> outputs) {
    const std::unique_lock lock(mutex_);
    Program& op = find_program(program);
    if (inputs.size() != op.inputs.size() || outputs.size() != op.outputs.size())
        fail_input({}, "program {} has {} inputs and {} outputs; {} and {} are given", program, op.inputs.size(),
                   op.outputs.size(), inputs.size(), outputs.size());
    ir::Values given;
    for (std::size_t k = 0; k < inputs.size(); ++k) given.emplace(op.inputs[k], find(inputs[k]).values);
    ir::Values made = live(op).run(given);
    std::vector<std::int64_t> ids;
    try {
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            ir::Literal& value = made.at(op.outputs[k]);
            const bool exact = op.result_format == outputs[k].format;
            ids.push_back(add(outputs[k], exact ? std::move(value) : rounded(std::move(value), outputs[k])));
        }
    } catch (...) {
        for (const std::int64_t id : ids) {
            release(find(id).memory);
            buffers_.erase(id);
        }
        throw;
    }
    ++counters_.launches;
    advance(op.state.cycles, op.state.launches++ == 0);
    return ids;
}

// --- clocks --------------------------------------------------------------------------------------------------------

void DeviceSession::begin_replay() {
    const std::unique_lock lock(mutex_);
    replay_ = Replay::First;
}
void DeviceSession::end_replay() {
    const std::unique_lock lock(mutex_);
    replay_ = Replay::No;
}
std::uint64_t DeviceSession::host_now() const {
    const std::unique_lock lock(mutex_);
    return cycle(host_);
}
std::uint64_t DeviceSession::device_now() const {
    const std::unique_lock lock(mutex_);
    return cycle(device_);
}
LaunchTime DeviceSession::last_launch() const {
    const std::unique_lock lock(mutex_);
    return last_;
}
DeviceCounters DeviceSession::counters() const {
    const std::unique_lock lock(mutex_);
    return counters_;
}
MemoryState DeviceSession::memory(MemoryKind kind) const {
    const std::unique_lock lock(mutex_);
    const BankAllocator& of = kind == MemoryKind::Dram ? dram_ : l1_;
    return {of.banks(), of.total(), of.used(), of.peak(), of.largest_hole()};
}

}  // namespace ttsim::impl::runtime
