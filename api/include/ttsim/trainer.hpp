// Training of a model that was compiled with CompileOptions::training.
//
//   forward(inputs) -> outputs;  backward(gradients of outputs) -> gradients of inputs;  step()
//
// Parameters, summed gradients and the optimizer's state are in memory of the simulated device in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ttsim/model.hpp>

namespace ttsim {

/// A compiled model with its own session, which trains it. Not thread-safe.
class TTSIM_API Trainer {
public:
    /// Creates the session, like Model. Throws Error(Input) if the model was not compiled for training.
    explicit Trainer(const CompiledModel& model, const SessionOptions& options = {});
    ~Trainer();
    Trainer(Trainer&&) noexcept;
    Trainer& operator=(Trainer&&) noexcept;

    /// Runs samples, whole microbatches and at most CompileOptions::microbatch_count of them. Inputs and outputs as in
    /// Model::run(). Throws Error(Input) if the samples of an earlier forward() wait for their backward().
    Arrays forward(const Arrays& inputs);
    Arrays forward(Arrays&& inputs);  ///< without a copy
    /// The gradients of all outputs that are not losses, for the samples of the last forward(), by the output's name;
    /// one sample applies to all. `clear`: sums of gradients start at 0. `samples`: the first so many of those without
    /// a backward(), in whole microbatches; 0: all. Returns the gradients of CompileOptions::input_gradients, by the
    /// input's name. Throws Error(Input) for a missing gradient.
    Arrays backward(const Arrays& gradients, bool clear, std::int64_t samples = 0);
    Arrays backward(Arrays&& gradients, bool clear, std::int64_t samples = 0);  ///< without a copy
    /// Runs the optimizer on the summed gradients. Throws Error(Input) if the model was compiled without one.
    void step();

    std::vector<ArrayInfo> parameters() const;  ///< that are trained, in the model's order
    /// Values on the device; of a parameter with the residue of compensated updates. Throw Error(Input) for an unknown
    /// name.
    Array parameter(const std::string& name);
    Array gradient(const std::string& name);  ///< summed over all samples since it was cleared
    /// What rounding takes becomes the residue of compensated updates. With a residue that was read together with the
    /// value, and is set before or after it, both are stored as they were. Throws Error(Input) for an unknown name, or
    /// another shape or type.
    void set_parameter(const std::string& name, const Array& value);
    void set_learning_rate(double rate);  ///< of all parameters, from the next step() on

    /// The optimizer's state of a parameter, each of the parameter's shape: "momentum", or "mean" and "square", and
    /// of compensated updates "residue", and "remainder" of "square"; {} if the optimizer has none. Throws Error(Input)
    /// for an unknown name.
    Arrays state(const std::string& name);
    /// Throws Error(Input) for an unknown parameter or state, or another shape or type.
    void set_state(const std::string& name, const Arrays& state);
    std::int64_t steps() const;          ///< that step() has run, or as set
    void set_steps(std::int64_t steps);  ///< of a restored state: the correction of Adam's averages depends on it
    std::int64_t samples() const;        ///< that forward() has run, or as set
    /// Of a restored state: the masks of dropout depend on it. Throws Error(Input) between forward() and backward().
    void set_samples(std::int64_t samples);

    std::uint64_t now() const;        ///< clock cycles since construction; 0 without a clock
    RunReport report() const;         ///< report of all programs run so far
    const std::string& chip() const;  ///< name of the chip that it runs on

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A dropout of a model that is compiled with CompileOptions::dropout_seed.
struct Dropout {
    double p = 0.5;
    std::int64_t seed = 0;   ///< the op's own
    std::int64_t place = 0;  ///< of the op among the dropouts of the graph, from 0
};
/// The factors of the elements of sample `sample` of a training run, 0 or 1 / (1 - p), for references of training. The
/// shape has no axis of samples.
TTSIM_API Array dropout_factors(std::uint64_t dropout_seed, const Dropout& dropout, std::int64_t sample,
                                std::vector<std::int64_t> shape);

}  // namespace ttsim
