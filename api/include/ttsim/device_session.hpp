// A device that runs ops one by one: buffers in its DRAM and L1, and programs that are added at any time.
//
//   const std::int64_t add = device.add_program(compile(graph));
//   const std::int64_t a = device.write(spec, values), b = device.write(spec, values);
//   const std::int64_t y = device.launch(add, {a, b}, {spec}).front();
//   Array result = device.read(y);
//
// Values have the bits of a Session of the program's netlist. Two clocks, of the host and of the device, advance by the
// time of the program's netlist on the chip with operands in DRAM, and by launch and transfer costs
// (configs/launch.yaml, memory.yaml of the chip). Thread-safe. The same calls give the same bits and cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/model.hpp>

namespace ttsim {

enum class DeviceMemory { Dram, L1 };

/// Values of a buffer, and how they lie in the device's memory.
struct BufferSpec {
    ElementType type = ElementType::F32;  ///< of the values; all floats are F32
    std::vector<std::int64_t> shape;      ///< at most 8 axes
    std::string format = "Float16_b";     ///< of floats: Float32, Float16_b, Bfp8_b, Bfp4_b; integers: ""
    int element_bits = 16;                ///< bits of an element in memory, without shared exponents
    bool tiled = true;                    ///< tiles of 32 x 32 over the last two axes, else rows
    DeviceMemory memory = DeviceMemory::Dram;
    /// Of a sharded buffer in L1: the core of each shard (row * columns() + column), and rows and columns of a shard in
    /// elements. Empty: pages are dealt over all banks.
    std::vector<std::int64_t> cores;
    std::int64_t shard_rows = 0, shard_columns = 0;
};

/// A buffer of a device. Pages (tiles or rows) are dealt over the banks (DRAM channels or cores).
struct BufferInfo {
    std::int64_t id = 0;
    std::int64_t address = 0;  ///< in bytes, in each bank
    std::int64_t pages = 0, page_bytes = 0;
    DeviceMemory memory = DeviceMemory::Dram;
    std::vector<std::int64_t> cores;  ///< of its shards; empty: all banks
};

/// A memory of the device; sizes are bytes in all banks.
struct MemoryInfo {
    std::int64_t banks = 0, total = 0, used = 0, peak = 0, largest_hole = 0;
};

/// Sums since the device was opened; times are cycles of its clock.
struct DeviceCounters {
    std::int64_t launches = 0, programs = 0, moves = 0;
    std::int64_t writes = 0, bytes_written = 0, reads = 0, bytes_read = 0;
    std::uint64_t write_cycles = 0, read_cycles = 0;
    std::uint64_t busy_cycles = 0, gap_cycles = 0, host_bound_cycles = 0;
};

/// Cycles at which the host had enqueued an op, and at which it started and ended on the device.
struct LaunchTime {
    std::uint64_t enqueued = 0, start = 0, end = 0;
    bool is_new = false;  ///< the first launch of its program
};

/// A program that was added.
struct DeviceProgram {
    std::uint64_t cycles = 0;  ///< of a launch, without launch costs
    std::int64_t cores = 0, launches = 0;
    bool all_on_host = false;  ///< the device computes nothing
};

class TTSIM_API DeviceSession {
public:
    /// `device`: as SessionOptions::device. Throws Error(Input) for an unknown one.
    explicit DeviceSession(const std::string& device = "wh_n150", unsigned threads = 0);
    ~DeviceSession();
    DeviceSession(DeviceSession&&) noexcept;
    DeviceSession& operator=(DeviceSession&&) noexcept;

    /// A new buffer with these values, rounded to its format; returns its number. Throws Error(Input) with the code
    /// out-of-memory if no hole is large enough. All functions that take a buffer throw Error(Input) with the code
    /// not-allocated after free().
    std::int64_t write(const BufferSpec& spec, Array&& values);
    Array read(std::int64_t buffer);        ///< waits for the device; costs the time of the transfer
    Array peek(std::int64_t buffer) const;  ///< the values, in no simulated time
    /// A data movement op: costs the time to read the sources and write the result. The caller computes its values.
    std::int64_t move(const std::vector<std::int64_t>& sources, const BufferSpec& spec, Array&& values);
    /// A buffer with another shape in the memory of this one, in no time. The caller guarantees that tiles stay.
    std::int64_t view(std::int64_t buffer, const std::vector<std::int64_t>& shape);
    void free(std::int64_t buffer);
    BufferInfo buffer(std::int64_t buffer) const;
    std::vector<BufferInfo> buffers() const;  ///< all that were not freed

    /// Adds a program: times it and keeps it for launches. `inputs`, `outputs`: the buffers of its operands, whose
    /// memory and cores the time depends on; empty: all in DRAM. Throws Error(Input, Unsupported) if it does not fit.
    std::int64_t add_program(const CompiledModel& model, const std::vector<BufferSpec>& inputs = {},
                             const std::vector<BufferSpec>& outputs = {});
    DeviceProgram program(std::int64_t program) const;
    /// Runs a program: buffers in the order of the model's inputs -> new buffers in the order of its outputs.
    std::vector<std::int64_t> launch(std::int64_t program, const std::vector<std::int64_t>& inputs,
                                     const std::vector<BufferSpec>& outputs);
    void remove_programs();

    void synchronize();  ///< the host's clock waits for the device's
    /// Launches and moves until end_replay() are those of a recorded sequence: the host enqueues them with one command.
    void begin_replay();
    void end_replay();
    std::uint64_t host_now() const;
    std::uint64_t device_now() const;
    LaunchTime last_launch() const;  ///< of launch() or move()
    DeviceCounters counters() const;
    MemoryInfo memory(DeviceMemory kind) const;
    std::string chip() const;
    std::int64_t clock_mhz() const;
    std::int64_t rows() const, columns() const;  ///< of working cores

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim
