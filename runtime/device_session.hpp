// A device that runs ops one by one: buffers in its DRAM and L1 that the host allocates, writes, reads and frees, and
// programs (compiled models) that are added at any time and launched on buffers.
//
//   add_program(model)                                 compiled once, timed once
//   write(values) -> buffer --launch(program)--> buffer --read()--> values
//
// Values are those of the functional engine, the same bits as a session of the program's netlist. A program's time is
// that of its netlist on the machine: from the first unpack to the last pack of its epochs, with operands in memory.
// Buffers in L1 are read and written there: each buffer of a queue in the core that holds its part of the tensor.
// Loading of epochs is not charged. The launch costs of ops that a host enqueues (runtime/launch_costs.hpp) are.
//
//   host[i] = host[i-1] + enqueue;   start[i] = max(host[i], end[i-1] + gap);   end[i] = start[i] + spread + cycles
//
// Calls may come from several threads; they are serialized. The same calls give the same bits and cycles.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compiler/model/compiled_model.hpp"
#include "runtime/bank_allocator.hpp"
#include "runtime/buffer_spec.hpp"
#include "runtime/launch_costs.hpp"
#include "runtime/model.hpp"

namespace ttsim::impl::runtime {

struct BufferState {
    std::int64_t id = 0;
    std::int64_t address = 0;  ///< in each bank
    std::int64_t pages = 0, page_bytes = 0;
    MemoryKind memory = MemoryKind::Dram;
    std::vector<std::int64_t> cores;  ///< of its shards; empty: all banks
    std::int64_t bytes() const { return pages * page_bytes; }
};

/// Sums since the start of the session.
struct DeviceCounters {
    std::int64_t launches = 0, programs = 0, moves = 0;
    std::int64_t writes = 0, bytes_written = 0, reads = 0, bytes_read = 0;  ///< between host and device
    std::uint64_t write_cycles = 0, read_cycles = 0;
    std::uint64_t busy_cycles = 0;        ///< in which an op runs
    std::uint64_t gap_cycles = 0;         ///< between ops
    std::uint64_t host_bound_cycles = 0;  ///< the part of them in which the device waits for the host
};

struct MemoryState {
    std::int64_t banks = 0, total = 0, used = 0, peak = 0, largest_hole = 0;  ///< bytes in all banks
};

/// When an op ran, in cycles.
struct LaunchTime {
    std::uint64_t enqueued = 0, start = 0, end = 0;
    bool is_new = false;  ///< the first launch of a program
};

struct ProgramState {
    std::uint64_t cycles = 0;  ///< of a launch, without launch costs
    std::int64_t cores = 0;    ///< most cores of one of its epochs
    std::int64_t launches = 0;
    bool all_on_host = false;  ///< the device computes nothing
};

class DeviceSession {
public:
    /// Throws Error(Input) for an unknown device.
    explicit DeviceSession(Machine machine, unsigned threads = 0);
    ~DeviceSession();
    DeviceSession(const DeviceSession&) = delete;
    DeviceSession& operator=(const DeviceSession&) = delete;

    const Machine& machine() const { return machine_; }

    // --- buffers. Functions that make one return its number. Throw Error(Input) if the memory is full, and for the
    // number of a buffer that was freed ---
    std::int64_t write(const BufferSpec& spec, ir::Literal&& values);  ///< a host write
    ir::Literal read(std::int64_t buffer);                             ///< a host read; waits for the device
    ir::Literal peek(std::int64_t buffer) const;                       ///< the values, in no simulated time
    /// A data movement op of the device: reads the sources, and writes values that the caller took from them.
    std::int64_t move(std::span<const std::int64_t> sources, const BufferSpec& spec, ir::Literal&& values);
    /// Another shape of the same elements in the same memory, which is freed with the last of its buffers.
    std::int64_t view(std::int64_t buffer, const ir::Dims& dims);
    void free(std::int64_t buffer);
    BufferState buffer(std::int64_t buffer) const;
    std::vector<BufferState> buffers() const;  ///< all, by number

    // --- programs ---
    /// Elaborates and times the program with operands in these memories (empty: all in DRAM), in the order of the
    /// model's inputs and outputs. Throws as Model() does.
    std::int64_t add_program(ir::CompiledModel model, std::span<const BufferSpec> inputs = {},
                             std::span<const BufferSpec> outputs = {});
    ProgramState program(std::int64_t program) const;
    /// Runs a program on buffers, in the order of its inputs; returns buffers in the order of its outputs.
    std::vector<std::int64_t> launch(std::int64_t program, std::span<const std::int64_t> inputs,
                                     std::span<const BufferSpec> outputs);
    void remove_programs();

    // --- clocks ---
    void synchronize();  ///< the host waits for the device
    /// Launches and moves until end_replay() are those of a recorded sequence, which the host enqueues with one
    /// command.
    void begin_replay();
    void end_replay();
    std::uint64_t host_now() const;
    std::uint64_t device_now() const;  ///< end of the last op
    LaunchTime last_launch() const;
    DeviceCounters counters() const;
    MemoryState memory(MemoryKind kind) const;

private:
    struct Memory {
        BufferState place;
        std::int64_t users = 0;
    };
    struct Buffer {
        BufferSpec spec;
        ir::Literal values;
        std::shared_ptr<Memory> memory;
    };
    struct Program;

    const Buffer& find(std::int64_t buffer) const;
    Program& find_program(std::int64_t program) const;
    std::int64_t add(const BufferSpec& spec, ir::Literal&& values);
    std::int64_t add(const BufferSpec& spec, ir::Literal&& values, std::shared_ptr<Memory> memory);
    std::shared_ptr<Memory> allocate(const BufferSpec& spec);
    void release(const std::shared_ptr<Memory>& memory);
    BankAllocator& allocator(MemoryKind kind) { return kind == MemoryKind::Dram ? dram_ : l1_; }
    LaunchCosts::Moved moved(std::int64_t buffer) const;
    Model& live(Program& program);
    void advance(std::uint64_t cycles, bool is_new);

    static constexpr std::size_t live_models = 64;  ///< sessions of programs that are kept between launches

    Machine machine_;
    unsigned threads_;
    LaunchCosts costs_;
    BankAllocator dram_, l1_;
    mutable std::mutex mutex_;
    std::map<std::int64_t, Buffer> buffers_;
    std::map<std::int64_t, std::unique_ptr<Program>> programs_;
    std::list<Program*> live_;  ///< programs with a session, the last used first
    std::int64_t next_buffer_ = 1, next_program_ = 1;
    double host_ = 0, device_ = 0;
    enum class Replay : std::uint8_t { No, First, Next } replay_ = Replay::No;
    LaunchTime last_;
    DeviceCounters counters_;
};

/// Rounds to the format of a buffer as the host does before it writes tiles: floats to the nearest, ties to even; block
/// floats share exponents over 16 columns. Infinities and NaN stay in formats that have them.
ir::Literal rounded(ir::Literal&& values, const BufferSpec& spec);

}  // namespace ttsim::impl::runtime
