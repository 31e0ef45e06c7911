// A compiled model on a session: inputs and outputs under their names in the model.
//
//   run(inputs) -> outputs                  whole calls, one sample or several
//   push(inputs) ... get() -> outputs       a stream, sample by sample
//
// What the host does before and behind the device is part of a call and takes no simulated time.
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
    std::optional<Machine> machine;  ///< none: machine_of() the compiled model
};

/// The machine that a model was compiled for. Throws Error(Input) for a device that is not known.
Machine machine_of(const ir::CompiledModel& model);

struct ModelTensor {
    std::string name;
    ir::Type type;
};

std::vector<ModelTensor> inputs_of(const ir::CompiledModel& model);  ///< in the model's order
std::vector<ModelTensor> outputs_of(const ir::CompiledModel& model);

/// Unpacks the constants, on all processors, and writes them into the session's memory.
void write_constants(Session& session, const std::vector<ir::QueueConstant>& constants);

class Model {
public:
    /// Throws Error(Input, Unsupported) when the model does not fit the machine. Its constants are written into the
    /// session's memory by the first run.
    explicit Model(ir::CompiledModel model, ModelOptions options = {});
    ~Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    std::vector<ModelTensor> inputs() const;  ///< in the model's order
    std::vector<ModelTensor> outputs() const;

    /// Of inputs by name outputs by name. With one axis more in front an input holds so many samples, and so do the
    /// outputs where there are several; inputs of one sample go with all of them. Samples are run a microbatch at a
    /// time, the last one filled up. Outputs are empty in Timing mode. Throws Error(Input) with all names, shapes and
    /// types that are wrong, or when samples of push() are in flight. After Error(Hang, Interrupted) the model must be
    /// made anew.
    /// `states`: outputs of a sample that are inputs of the next, one after the other; such an input holds what the
    /// first sample begins with. Throws Error(Input) as check_feed_back() does.
    ir::Values run(const ir::Values& inputs, const ir::FeedBack& states = {});

    // --- a stream ---
    /// One sample. The program starts when its microbatch is whole. Throws Error(Input) as run() does, and Error(Hang)
    /// when the device has no room because outputs were not taken; nothing was pushed then.
    void push(const ir::Values& inputs);
    void flush();  ///< fills the microbatch up, so that all that was pushed is run
    /// Outputs of the oldest sample that was pushed. Throws Error(Input) when there is none, or its microbatch is not
    /// whole.
    ir::Values get();
    std::int64_t in_flight() const;  ///< samples pushed that get() has not given

    // --- weights ---
    /// Constants of the model that can be replaced, in its order: those that CompiledModel::parameters has.
    std::vector<ModelTensor> parameters() const;
    /// Throws Error(Input) for a name that parameters() lacks.
    ir::Literal parameter(const std::string& name) const;
    /// For the runs to come. Throws Error(Input) as well for another shape or type, or while samples are in flight.
    void set_parameter(const std::string& name, const ir::Literal& value);

    Session& session();
    const ir::CompiledModel& compiled() const;
    double host_seconds() const;  ///< real time of the host's steps of all samples so far

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim::impl::runtime
