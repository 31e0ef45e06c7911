// A device with state: a netlist on a machine, alive from call to call.
//
//   push(queue, entry), write(ram, slot) --> run(program) --> get(queue), pop(queue), read(ram, slot)
//
// Simulated time moves only inside calls; the same calls in the same order give the same bits and cycles, whatever the
// number of threads. Rams, queues and pointers keep what they hold from run to run. A session may be used from several
// threads: one call is served at a time, and the simulations of all sessions of a process take turns.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/errors.hpp>
#include <ttsim/export.hpp>
#include <ttsim/netlist.hpp>
#include <ttsim/report.hpp>

namespace ttsim {

/// z slices of rows x columns elements, slice by slice, row by row.
struct Tensor {
    std::int64_t z = 0, rows = 0, columns = 0;
    std::vector<float> data;

    Tensor() = default;
    Tensor(std::int64_t z_, std::int64_t rows_, std::int64_t columns_, float fill = 0.0F)
        : z(z_), rows(rows_), columns(columns_), data(static_cast<std::size_t>(z_ * rows_ * columns_), fill) {}
    float& at(std::int64_t slice, std::int64_t row, std::int64_t column) {
        return data[static_cast<std::size_t>((slice * rows + row) * columns + column)];
    }
    float at(std::int64_t slice, std::int64_t row, std::int64_t column) const {
        return data[static_cast<std::size_t>((slice * rows + row) * columns + column)];
    }
};

enum class Engine {
    Full,        ///< values and time
    Timing,      ///< time only: no get(), no read()
    Functional,  ///< the chip's values, no clock; one input is between two ops of a graph
    Golden,      ///< values in float32, no clock
};
enum class Numerics { Real /** the chip's formats */, Float32 /** no rounding */, Exact /** bit by bit */ };

struct SessionOptions {
    std::string device;   ///< product, chip, or path of a chip's folder or soc descriptor; "": a chip of the netlist
    std::string chip;     ///< name or path; "": the device's, else the first of the netlist's on which it is valid
    std::string cluster;  ///< file: chips and their Ethernet links; "": as many chips as needed
    std::vector<int> harvested_rows;  ///< NoC rows taken away on every chip
    Engine engine = Engine::Full;
    Numerics numerics = Numerics::Real;  ///< of the chip: not of Engine::Golden
    unsigned threads = 0;                ///< 0: one per processor; changes no result
    std::string trace_file;  ///< a database of what the machine did, for ttperf; "": none. With a clock only
    int trace_level = 1;     ///< 1: sums per core and input; 2: also every step and transfer
    /// How long, in real time, a call that nothing inside the machine can help waits for calls of other threads.
    std::chrono::milliseconds other_threads{0};
    /// A number other than 0 there ends a call with Error(Interrupted), from any thread or signal handler. It must live
    /// as long as the session.
    const std::atomic<int>* stop = nullptr;
};

/// How long a call may take, in simulated cycles from the session's present. It ends sooner when nothing can move any
/// more; without a clock that is the only end there is, but for none().
struct Timeout {
    std::uint64_t cycles = ~std::uint64_t{0};
    static Timeout none() { return {0}; }  ///< what is there now
};

class TTSIM_API Session {
public:
    /// Throws Error(Input, Unsupported) with all that keeps the netlist from running on the device.
    explicit Session(const Netlist& netlist, const SessionOptions& options = {});
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    /// Starts a program and goes on until all are over, or wait for inputs that have not come. Parameters that are not
    /// given are chosen. Throws Error(Input) for unknown names.
    void run(const std::string& program, const std::map<std::string, std::int64_t>& parameters = {});
    /// Goes on until all programs are over. Throws Error(Hang) when they cannot be.
    void wait();

    /// Entries have the shape that Netlist::queue() says; they are converted to the queue's format.
    /// Waits for a free slot. Throws Error(Hang) when the queue stays full, or timeout ends; nothing was pushed then.
    void push(const std::string& queue, const Tensor& entry, Timeout timeout = {});
    /// All or none.
    void push(const std::string& queue, const std::vector<Tensor>& entries, Timeout timeout = {});
    /// The oldest entry that was not popped, or the `ahead`-th after it. Throws Error(Hang) when it does not come in
    /// time.
    Tensor get(const std::string& queue, Timeout timeout = {}, std::int64_t ahead = 0);
    /// Frees the oldest entries. Throws Error(Hang) when they do not come in time.
    void pop(const std::string& queue, std::int64_t count = 1, Timeout timeout = {});
    std::int64_t ready(const std::string& queue) const;  ///< entries that get() would give at once
    std::int64_t room(const std::string& queue) const;   ///< entries that push() would take at once

    void write(const std::string& ram, std::int64_t slot, const Tensor& entry);
    /// Zeros when nothing has written the slot. Waits for programs in flight first.
    Tensor read(const std::string& ram, std::int64_t slot);

    std::uint64_t now() const;        ///< cycles since the session began
    RunReport report() const;         ///< what was done so far
    const std::string& chip() const;  ///< name of the chip it runs on
    /// Ends the trace, as the end of the session does; the session goes on without one. Throws Error(Input) when it
    /// could not be written.
    void finish_trace();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What `ttsim run` does with a file: inputs are made up, every output is compared with golden.
struct RunOptions {
    SessionOptions session;                          ///< not with Engine::Golden, with which outputs are compared
    std::vector<std::string> programs;               ///< in run order; empty: all, in file order
    std::map<std::string, std::int64_t> parameters;  ///< those not given are chosen
    std::int64_t inputs_count = 0;                   ///< per execute at most; 0: what the graphs say
    std::uint32_t seed = 0;                          ///< of the inputs
    bool check = true;
};
/// Throws Error.
TTSIM_API RunReport run(const std::string& netlist_file, const RunOptions& options = {});

}  // namespace ttsim
