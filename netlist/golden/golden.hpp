// Golden: the netlist evaluated by whole tensors in float32, input by input. The road the simulator is compared with;
// it shares neither op functions (OpDef::golden) nor TM code (tm_tensor.hpp) with it.
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

/// A tensor that a task may still be computing, or a HOST entry that the op which needs it fetches itself.
struct GoldenValue {
    Task task;
    std::shared_ptr<Tensor> tensor;
    const Queue* host = nullptr;
    std::int64_t entry = 0;
};

/// Slices `first` and on of a value that has `z` of them. Large ones come in parts, in order.
struct GoldenPart {
    Tensor& slices;
    std::int64_t first, z;
    bool last() const { return first + slices.z == z; }
};

struct GoldenOptions {
    Numerics numerics = Numerics::Real;  ///< Real: Bfp2/Bfp4 and Tf32 requantization as the reference does
    bool tf32 = false;                   ///< Float32 operands become Tf32 (chips with a 32-bit Dst)
    std::optional<std::int64_t> inputs_count;
    /// HOST-fed entry, converted to the queue's format; Int32 as bits (kernels/ops/integer_bits.hpp), which golden
    /// keeps. Values taken from golden are floats.
    std::function<Tensor(const Queue&, std::int64_t entry)> host_entry;
    /// Takes every entry of the FIFOs no graph reads, per queue in order, as soon as it is there; golden does not keep
    /// them then, and large ones that nothing else reads never lie in memory as a whole. Called from one thread at a
    /// time for one queue. Empty: golden keeps them for entry().
    std::function<void(const Queue&, std::int64_t entry, const GoldenPart&)> sink;
    /// Sees the n-th result of every op before anything reads it, and may put other values there. Called from tasks.
    std::function<void(const Op&, std::int64_t n, const GoldenPart&)> op_result;
    /// What copies of an op's operands, or parts of its result, hold together if they can be made slice by slice:
    /// 32 MiB of floats.
    std::int64_t most_copied_elements = std::int64_t{1} << 23;
    std::function<void(double)> progress;  ///< share of the inputs done
};

/// One launch, op by op, for callers that decide what may run when.
class GoldenLaunch {
public:
    virtual ~GoldenLaunch() = default;
    virtual const std::vector<const Op*>& ops() const = 0;  ///< producers first, those that feed FIFOs too
    /// Inputs begin one after the other; rams that ops may overwrite are read now.
    virtual void begin(std::int64_t input) = 0;
    /// Its operands of this launch were computed for the same input, entries of FIFOs are there.
    virtual void run(std::size_t op, std::int64_t input) = 0;
};

class Golden {
public:
    Golden(const Netlist& netlist, const Forecast& forecast, GoldenOptions options, ThreadPool& pool);
    ~Golden();
    void run(const std::vector<ProgramCall>& calls);
    /// What an op-fed queue or ram held: FIFO by push number (popped ones too when no graph reads the queue), ram by
    /// slot at the end. nullptr when never written.
    std::shared_ptr<Tensor> entry(const Queue& queue, std::int64_t n);

    // --- launch by launch, in place of run() ---
    std::unique_ptr<GoldenLaunch> launch(const EpochLaunch& launch, std::map<const Queue*, QueueAccess> access);
    void put(const Queue& queue, std::int64_t n, Tensor value);  ///< what the host pushes or writes; Int32 as bits
    void forget(const Queue& fifo, std::int64_t below);          ///< entries that nobody will read any more

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl
