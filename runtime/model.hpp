// A compiled model on a session, with the model's names of inputs and outputs.
// run(inputs) -> outputs: complete calls, one sample or several
// push(inputs) ... get() -> outputs: a stream, sample by sample
// Host steps before and after the device are part of a call and take no simulated time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/host/feed_back.hpp"
#include "compiler/model/compiled_model.hpp"
#include "runtime/session.hpp"

namespace ttsim::impl::runtime {

struct ModelOptions {
    SessionOptions session;
    std::optional<Machine> machine;  ///< nullopt: machine_of() the compiled model
};

/// The machine that a model was compiled for. Throws Error(Input) for an unknown device.
Machine machine_of(const ir::CompiledModel& model);

struct ModelTensor {
    std::string name;
    ir::Type type;
};

std::vector<ModelTensor> inputs_of(const ir::CompiledModel& model);  ///< in the model's order
std::vector<ModelTensor> outputs_of(const ir::CompiledModel& model);

/// Unpacks the constants on all processors and writes them into the session's memory.
void write_constants(Session& session, const std::vector<ir::QueueConstant>& constants);

class Model {
public:
    /// Throws Error(Input, Unsupported) if the model does not fit the machine. The first run writes its constants into
    /// the session's memory.
    explicit Model(ir::CompiledModel model, ModelOptions options = {});
    ~Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    std::vector<ModelTensor> inputs() const;  ///< in the model's order
    std::vector<ModelTensor> outputs() const;

    /// Computes outputs from inputs, both by name. An input with an additional first axis holds several samples, and so
    /// do the outputs; inputs of one sample are used for all samples. Samples are run by microbatches, the last one
    /// padded. Outputs are empty in Timing mode. Throws Error(Input) with all wrong names, shapes and types, or if
    /// samples of push() are in flight. After Error(Hang, Interrupted) the model cannot be used any more.
    /// `states`: outputs of a sample that are inputs of the next; such an input holds the initial state. Throws
    /// Error(Input) as check_feed_back() does.
    ir::Values run(const ir::Values& inputs, const ir::FeedBack& states = {});

    // --- a stream ---
    /// Pushes one sample. The program starts when its microbatch is complete. Throws Error(Input) as run() does, and
    /// Error(Hang) if the device has no space because outputs were not read; then nothing was pushed.
    void push(const ir::Values& inputs);
    void flush();  ///< pads the microbatch, so that all pushed samples are run
    /// Outputs of the oldest pushed sample. Throws Error(Input) if there is none, or its microbatch is not complete.
    ir::Values get();
    std::int64_t in_flight() const;  ///< samples pushed and not yet returned by get()

    // --- weights ---
    /// Replaceable constants of the model, in its order: CompiledModel::parameters.
    std::vector<ModelTensor> parameters() const;
    /// Throws Error(Input) for an unknown name.
    ir::Literal parameter(const std::string& name) const;
    /// Sets the value for later runs. Throws Error(Input) also for another shape or type, or while samples are in
    /// flight.
    void set_parameter(const std::string& name, const ir::Literal& value);

    Session& session();
    const ir::CompiledModel& compiled() const;
    double host_seconds() const;  ///< real time of the host steps of all samples so far

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::runtime
