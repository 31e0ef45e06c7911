// A compiled result run as the model it was: inputs and outputs under their names in the model, host steps around the
// device's run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/host/feed_back.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/model/compiled_model.hpp"
#include "compiler/model/host_share.hpp"

namespace ttsim::impl::ir {

struct ModelRunOptions {
    std::string place;                          ///< folder or image of the model, for messages
    std::map<std::string, std::string> inputs;  ///< name -> .npy or .pb file; others come from the compile
    std::string inputs_dir;                     ///< holds NAME.npy for inputs; "" = none
    std::int64_t loops = 1;                     ///< microbatches, where the inputs have one sample
    FeedBack feed_back;                         ///< states: outputs that are inputs of the next sample
    std::string outputs_dir;                    ///< gets NAME.npy for each output; "" = none
    std::string expect_dir;                     ///< holds NAME.npy for outputs to compare with; "" = none
    bool reference = true;                      ///< compare with the model in float32, where it is known
    double least_pcc = 0.99;                    ///< of compared floats; of integers: the share that is equal
};

/// Of an output with what is expected.
struct Agreement {
    double pcc = 0;  ///< the correlation, or of integers the share that is equal
    double max_error = 0;
    bool pass = true;
};

/// Correlation of floats; of integers the share that is equal. Of a constant, which has no correlation, the
/// error must be below `flat_error` of its size.
Agreement agreement(const Literal& have, const Literal& expected, double least = 0.99, double flat_error = 1e-2);

struct ModelOutput {
    std::string name;
    Literal value;                       ///< several samples: along a new first axis
    std::optional<Agreement> expected;   ///< with --expect
    std::optional<Agreement> reference;  ///< with the model in float32
    std::string file{};                  ///< it was written to; "": to none
    bool pass() const { return (!expected || expected->pass) && (!reference || reference->pass); }
};

struct ModelRunReport {
    std::int64_t samples = 1;
    std::vector<std::string> steps;  ///< what the host did, one line each
    std::vector<std::string> notes;  ///< NaNs, infinities and overflows by place; outputs nothing is expected of
    std::vector<ModelOutput> outputs;
    double host_seconds = 0;     ///< measured: the host's steps before, between and behind the device's parts
    MultiplyAdds multiply_adds;  ///< of a sample
    bool all_on_host = false;    ///< the device computes nothing
    bool pass() const;
};

/// Runs the device on entries of queues; returns those of the queues of `from_device`.
using DeviceRun = std::function<Entries(const HostSteps& steps, Entries inputs, std::int64_t samples)>;
/// Values alone: the results of one part of the device. Parts come in order.
using PartRun = std::function<Entries(std::int64_t part, const Entries& inputs, std::int64_t samples)>;

/// An input may have one axis more than the model's in front: so many samples are run one after the other.
/// `device` runs all parts at once; what the host gives the later ones, and states that are fed back, is of results
/// that `part` computed before.
/// Throws Error(Input) for files and names that do not fit.
ModelRunReport run_model(const CompiledModel& model, const ModelRunOptions& options, const DeviceRun& device,
                         const PartRun& part = {});

}  // namespace ttsim::impl::ir
