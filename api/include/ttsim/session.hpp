// A session: a netlist on a simulated machine that keeps its state between calls.
//
//   push(queue, entry), write(ram, slot) --> run(program) --> get(queue), pop(queue), read(ram, slot)
//
// Simulated time advances only during calls. The same calls in the same order give the same bits and cycles,
// independent of the number of threads. Rams, queues and pointers keep their content between runs. Sessions are
// thread-safe: one call runs at a time, and the simulations of all sessions of a process exclude each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/errors.hpp>
#include <ttsim/export.hpp>
#include <ttsim/netlist.hpp>
#include <ttsim/report.hpp>
#include <ttsim/session_options.hpp>

namespace ttsim {

/// An entry of a queue: z slices of rows x columns elements, in row-major order.
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

/// Limit of a call in simulated clock cycles from the current time of the session. The call ends earlier when the
/// machine is blocked. Engines without a clock end only when blocked, except with none().
struct Timeout {
    std::uint64_t cycles = ~std::uint64_t{0};
    static Timeout none() { return {0}; }  ///< do not simulate: succeed or fail with the present state
};

/// A netlist on a simulated machine. Thread-safe, movable.
class TTSIM_API Session {
public:
    /// Throws Error(Input, Unsupported) with all problems of the netlist on the device.
    explicit Session(const Netlist& netlist, const SessionOptions& options = {});
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    /// Starts a program and simulates until all programs have finished or wait for inputs. Missing parameters are
    /// chosen automatically. Throws Error(Input) for unknown names.
    void run(const std::string& program, const std::map<std::string, std::int64_t>& parameters = {});
    /// Simulates until all programs have finished. Throws Error(Hang) when they are blocked.
    void wait();

    /// Pushes an entry of the shape in Netlist::queue(), converted to the queue's format. Waits for a free slot. Throws
    /// Error(Hang) when the queue stays full until the timeout; nothing is pushed then. Throws Error(Input) for an
    /// unknown queue or a wrong shape.
    void push(const std::string& queue, const Tensor& entry, Timeout timeout = {});
    void push(const std::string& queue, Tensor&& entry, Timeout timeout = {});  ///< without a copy
    /// Pushes all entries or, when it throws, none.
    void push(const std::string& queue, const std::vector<Tensor>& entries, Timeout timeout = {});
    /// Returns the oldest entry that was not popped, or the `ahead`-th entry after it. Throws Error(Hang) when it is
    /// not complete before the timeout.
    Tensor get(const std::string& queue, Timeout timeout = {}, std::int64_t ahead = 0);
    /// Removes the oldest `count` entries. Throws Error(Hang) when they are not complete before the timeout.
    void pop(const std::string& queue, std::int64_t count = 1, Timeout timeout = {});
    std::int64_t ready(const std::string& queue) const;  ///< complete entries, which get() returns without waiting
    std::int64_t room(const std::string& queue) const;   ///< free slots, which push() fills without waiting

    /// Writes a slot of a ram; shape and format as for push(). Throws Error(Input) for a wrong name, slot or shape.
    void write(const std::string& ram, std::int64_t slot, const Tensor& entry);
    void write(const std::string& ram, std::int64_t slot, Tensor&& entry);  ///< without a copy
    /// Reads a slot of a ram after waiting for programs in flight. An unwritten slot reads as zeros.
    Tensor read(const std::string& ram, std::int64_t slot);

    std::uint64_t now() const;        ///< clock cycles since the start of the session
    RunReport report() const;         ///< report of everything executed so far
    const std::string& chip() const;  ///< name of the chip it runs on
    /// Finishes the trace before the end of the session, which continues without a trace. Throws Error(Input) when the
    /// trace could not be written.
    void finish_trace();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Runs a netlist file as `ttsim run` does: generates inputs and compares every output with golden. Throws Error.
TTSIM_API RunReport run(const std::string& netlist_file, const RunOptions& options = {});

}  // namespace ttsim
