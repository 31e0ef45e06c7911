// A model compiled for training on a session.
//
//   forward(inputs) -> outputs;  backward(gradients of outputs) -> gradients of inputs;  step()
//
// The three run programs of the netlist. Parameters, summed gradients and the optimizer's state are in memory of the
// device in between. Gradients are sums over all inputs since the last backward() that cleared them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/model.hpp"

namespace ttsim::impl::runtime {

class Trainer {
public:
    /// Throws Error(Input) if the model has no backward program.
    explicit Trainer(ir::CompiledModel model, ModelOptions options = {});
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Runs samples, whole microbatches and at most microbatch_count of them. Inputs as for Model::run(). Throws
    /// Error(Input) if the samples of an earlier forward() wait for their backward(). Outputs are empty in Timing mode.
    ir::Values forward(const ir::Values& inputs);
    /// The gradients of all outputs that are not losses, for the samples of the last forward(), by the output's name.
    /// `clear`: sums of gradients start at 0. `samples`: the first so many of those without a backward(), in whole
    /// microbatches; 0: all. Returns gradients of inputs, by the input's name.
    ir::Values backward(const ir::Values& gradients, bool clear, std::int64_t samples = 0);
    /// Runs the optimizer program. Throws Error(Input) if the model was compiled without one.
    void step();

    std::vector<ModelTensor> parameters() const;  ///< that are trained, in the model's order
    /// Values on the device, by the model's name; of a parameter with the residue of compensated updates. Throws
    /// Error(Input) for an unknown name.
    ir::Literal parameter(const std::string& name);
    ir::Literal gradient(const std::string& name);
    /// What rounding takes becomes the residue of compensated updates. With a residue that was read together with the
    /// value, and is set before or after it, both are stored as they were. Throws Error(Input) for an unknown name, and
    /// for a value of another shape or type.
    void set_parameter(const std::string& name, const ir::Literal& value);
    void set_learning_rate(double rate);  ///< of all parameters, from the next step() on

    /// The optimizer's state of a parameter: "momentum", or "mean" and "square"; of compensated updates
    /// "residue", and "remainder" of "square"; {} if it has none. Each has the parameter's shape. Throws Error(Input)
    /// for an unknown name.
    ir::Values state(const std::string& name);
    /// Throws Error(Input) for an unknown parameter or kind of state, and for a value of another shape or type.
    void set_state(const std::string& name, const ir::Values& state);
    std::int64_t steps() const;          ///< that step() has run, or as set
    void set_steps(std::int64_t steps);  ///< of a restored state: Adam's correction depends on it
    /// Samples that forward() has run, or as set. The masks of dropout depend on the number of a sample.
    std::int64_t samples() const;
    void set_samples(std::int64_t samples);  ///< of a restored state; throws Error(Input) between forward and backward

    Session& session();
    const ir::CompiledModel& compiled() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::runtime
