// Runs a compiled result as a model: named inputs and outputs, with host steps before, between and after the device
// parts.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/host/feed_back.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/model/compiled_model.hpp"
#include "compiler/model/host_share.hpp"
#include "generated/model_run_values.hpp"

namespace ttsim::impl::ir {

/// The correlation that outputs of a compiled model must reach with golden, with the model in float32 and with expected
/// values, unless the user sets another.
inline const double default_least_pcc = ModelRunValues{}.least_pcc;
/// The minimum with golden and with the model in float32. A user's minimum for expected values may be higher, such as 1
/// for equal values; the results are still rounded.
inline double least_rounded_pcc(double least_pcc) { return std::min(least_pcc, default_least_pcc); }

struct ModelRunOptions : ModelRunValues {
    std::string place;       ///< folder or image of the model, for messages
    std::string inputs_dir;  ///< folder with NAME.npy for inputs; "" = none
    bool reference = true;   ///< compare with the model in float32, if stored
};

/// Agreement of an output with its expected values.
struct Agreement {
    double pcc = 0;  ///< correlation, or share of equal integers
    double max_error = 0;
    double least = 0;  ///< required `pcc`
    bool pass = true;
};

/// Correlation of floats, or share of equal integers. Constant values have no correlation; their error must be below
/// `flat_error` of their magnitude.
Agreement agreement(const Literal& have, const Literal& expected, double least = default_least_pcc,
                    double flat_error = 1e-2);

struct ModelOutput {
    std::string name;
    Literal value;                       ///< several samples have a new first axis
    std::optional<Agreement> expected;   ///< with --expect
    std::optional<Agreement> reference;  ///< with the model in float32
    std::string file{};                  ///< written file; "": none
    bool pass() const { return (!expected || expected->pass) && (!reference || reference->pass); }
};

struct ModelRunReport {
    std::int64_t samples = 1;
    std::vector<std::string> steps;  ///< host steps, one line each
    std::vector<std::string> notes;  ///< NaNs, infinities, overflows; outputs that were not compared
    std::vector<ModelOutput> outputs;
    double host_seconds = 0;     ///< wall time of all host steps
    MultiplyAdds multiply_adds;  ///< per sample
    bool all_on_host = false;    ///< the device computes nothing
    bool pass() const;
};

/// Runs the device on queue entries; returns the entries of `from_device` queues.
using DeviceRun = std::function<Entries(const HostSteps& steps, Entries inputs, std::int64_t samples)>;
/// Computes only the values of one device part. Parts run in order.
using PartRun = std::function<Entries(std::int64_t part, const Entries& inputs, std::int64_t samples)>;

/// An input with an additional leading axis has several samples, which run sequentially. `device` runs all parts
/// together; inputs of later parts and fed-back states are computed by `part` before. Throws Error(Input) for invalid
/// files and names.
ModelRunReport run_model(const CompiledModel& model, const ModelRunOptions& options, const DeviceRun& device,
                         const PartRun& part = {});

}  // namespace ttsim::impl::ir
