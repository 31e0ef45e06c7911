// Golden: evaluates the netlist on whole tensors in float32, input by input, as reference for the simulator. It shares
// neither op functions (OpDef::golden) nor TM code (tm_tensor.hpp) with the simulator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "kernels/formats/numerics.hpp"
#include "netlist/program/queue_state.hpp"

namespace ttsim::impl {

/// A tensor that a task may still be computing, or a HOST entry that the consuming op fetches itself.
struct GoldenValue {
    Task task;
    std::shared_ptr<Tensor> tensor;
    const Queue* host = nullptr;
    std::int64_t entry = 0;
};

/// Slices from `first` on, of a value with `z` slices. Large values arrive in parts, in order.
struct GoldenPart {
    Tensor& slices;
    std::int64_t first, z;
    bool last() const { return first + slices.z == z; }
};

struct GoldenOptions {
    Numerics numerics = Numerics::Real;  ///< Real: requantizes Bfp2/Bfp4 and Tf32 as the vendor's reference does
    bool tf32 = false;                   ///< Float32 operands become Tf32 (chips with a 32-bit Dst)
    std::optional<std::int64_t> inputs_count;
    /// Returns a HOST-fed entry, converted to the queue's format; Int32 as bits (kernels/ops/integer_bits.hpp). Values
    /// returned by golden are floats.
    std::function<Tensor(const Queue&, std::int64_t entry)> host_entry;
    /// Receives every entry of FIFOs that no graph reads, per queue in order, as soon as it is computed. Golden does
    /// not keep these entries, and large ones without other readers are never complete in memory. Called from one
    /// thread at a time per queue. Empty: golden keeps them for entry().
    std::function<void(const Queue&, std::int64_t entry, const GoldenPart&)> sink;
    /// Called with the n-th result of every op before it is read; may change the values. Called from tasks.
    std::function<void(const Op&, std::int64_t n, const GoldenPart&)> op_result;
    /// Limit of copied operand elements, or of a part of a result, if the op can be computed by slices: 32 MiB of
    /// floats.
    std::int64_t max_copied_elements = std::int64_t{1} << 23;
    /// Limit of the elements in queues between graphs that run() advances together: 64 MiB of floats. It takes at least
    /// four inputs at a time.
    std::int64_t max_passed_elements = std::int64_t{1} << 24;
    std::function<void(double)> progress;  ///< fraction of the inputs done
};

/// A launch executed op by op, for callers that control the order.
class GoldenLaunch {
public:
    virtual ~GoldenLaunch() = default;
    virtual const std::vector<const Op*>& ops() const = 0;  ///< producers first, including producers for FIFOs
    /// Begins the inputs in order; reads rams that ops may overwrite.
    virtual void begin(std::int64_t input) = 0;
    /// Runs an op; its operands for this input must have been computed.
    virtual void run(std::size_t op, std::int64_t input) = 0;
};

class Golden {
public:
    Golden(const Netlist& netlist, const Forecast& forecast, GoldenOptions options, ThreadPool& pool);
    ~Golden();
    void run(const std::vector<ProgramCall>& calls);
    /// The contents of an op-fed queue or ram: FIFO by push number (including popped entries if no graph reads the
    /// queue), ram by slot at the end. nullptr if never written.
    std::shared_ptr<Tensor> entry(const Queue& queue, std::int64_t n);

    // --- execution by launches, instead of run() ---
    std::unique_ptr<GoldenLaunch> launch(const EpochLaunch& launch, std::map<const Queue*, QueueAccess> access);
    void put(const Queue& queue, std::int64_t n, Tensor value);  ///< host push or write; Int32 as bits
    void forget(const Queue& fifo, std::int64_t below);          ///< discards entries that are not read any more

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl
