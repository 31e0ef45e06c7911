// What `ttsim run` does beyond netlists: compiled models, and pages of runs. Both need the compiler, so the program
// ttsim-netlist has neither.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "generated/model_run_values.hpp"
#include "sim/run.hpp"
#include "tools/common/output.hpp"

namespace ttsim::impl::cli {

/// The result of a compiled model.
class ModelResult {
public:
    virtual ~ModelResult() = default;
    virtual const sim::RunReport& device() const = 0;
    virtual bool pass() const = 0;
    /// The report, limited to `width` columns.
    virtual std::string text(std::optional<std::size_t> width) const = 0;
    virtual std::string json() const = 0;
};

/// What `ttsim run` has for its page.
struct RunForPage {
    std::string trace;   ///< file of the trace
    std::string input;   ///< netlist, folder or image that ran
    std::string report;  ///< JSON of the run's report
};

class BeyondNetlists {
public:
    virtual ~BeyondNetlists() = default;
    /// `options.netlist` is the folder or the image. `given`: what the command line sets.
    virtual std::unique_ptr<ModelResult> run_model(const ir::ModelRunValues& given,
                                                   const sim::RunOptions& options) const = 0;
    /// Throws Error(Input) if the template of pages is missing.
    virtual void check_page() const = 0;
    /// Writes the page of a run.
    virtual void write_page(const OutputFile& out, const RunForPage& run) const = 0;
};

/// Of the full program.
const BeyondNetlists& models_and_pages();

}  // namespace ttsim::impl::cli
