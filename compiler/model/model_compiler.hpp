// Compiles one model for one device: lowers its graph to device ops and checks the result.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/compile.hpp"
#include "compiler/model/compile_caches.hpp"
#include "compiler/schedule/conv_fracture.hpp"
#include "compiler/schedule/model_scheduler.hpp"
#include "netlist/device/device.hpp"

namespace ttsim::impl::ir {

/// The chip of a product, chip folder or soc descriptor, as the name for chip(). Throws Error(Input).
std::string chip_of_device(const std::string& device);
/// The passes of the default pipeline.
const std::vector<std::string_view>& passes_for(bool training);
/// Names of a graph's device ops.
std::vector<std::string> device_ops(const Graph& graph);

class ModelCompiler {
public:
    /// Keeps a reference to `options`. Throws Error(Input) for an invalid device.
    explicit ModelCompiler(const CompileOptions& options);
    const std::string& arch() const { return chip_.name; }
    const ChipParams& chip() const { return chip_; }

    /// Lowers the model to device ops. Convolutions are fractured by overrides, or if that is profitable.
    Lowered lower(const Graph& model) const;

    /// lower() without searches and checks: the passes run once. `before`: stops before this pass; "": runs all.
    Lowered lower_once(const Graph& model, const std::string& before = "") const;

    bool keeps_passes() const { return options_.keep_passes; }
    /// The graphs after the passes that lower() ran.
    std::vector<PassGraph> passes(const Graph& model, const Overrides& overrides, const Tiling& tiling) const;

    /// lower() with only this many passes.
    Lowered lower_until(const Graph& model, std::size_t passes) const;

    Scheduled schedule(const Graph& graph) const { return scheduler_.schedule(graph); }
    /// Simulated cycles of an execute if there is a simulator, else estimated cycles per input.
    double cycles(const Scheduled& made) const {
        return options_.simulate ? scheduler_.run(made) : made.schedule.estimated_cycles;
    }
    /// The fastest of the given schedule and a few others.
    Scheduled quickest_of_few(const Graph& graph, Scheduled made) const {
        return scheduler_.quickest_of_few(graph, std::move(made));
    }

    /// Warnings of integers that the device's formats do not hold.
    std::vector<std::string> warnings(const Lowered& lowered) const;

    /// Per op: least core cycles per input over its grids.
    std::map<std::string, double> core_cycles(const Graph& graph) const;

    /// Validates the netlist; errors are internal errors of the compiler.
    void check(const EmittedModel& emitted) const;
    /// Checks that queues with channel overrides exist; with ignore_unknown missing ones become notes.
    void check_channels(const EmittedModel& emitted, std::vector<std::string>& notes) const;

private:
    static constexpr std::size_t all_passes = ~std::size_t{0};
    static constexpr int most_tilings = 4;

    /// Lowers with padding of axes and division of parameters whose ops fit on no grid otherwise, and with padding
    /// that is profitable.
    Lowered lower_padded(const Graph& model, const std::vector<std::string>& convolutions) const;
    /// Lowers again with another tiling and the same fractures.
    Lowered retiled(const Graph& model, Lowered&& lowered, const Tiling& tiling) const;
    /// Applies another tiling if the estimate improves enough.
    void pad_where_it_pays(const Graph& model, const Tiling& tiling, Lowered& lowered) const;
    /// Splits products over few rows, likewise; each estimate is work on `ops` ops.
    void split_where_it_pays(const Graph& model, std::size_t ops, SearchBudget& work, Lowered& lowered) const;
    Lowered lower_in_parts(const Graph& model, const std::vector<std::string>& convolutions,
                           const Tiling& tiling) const;
    /// `most`: limit of passes. Without limit and record it begins after the passes that an earlier call ran equally.
    Lowered run_pipeline(const Graph& model, const Overrides& overrides, const Tiling& tiling = {},
                         std::size_t most = all_passes, PassRecord* record = nullptr) const;
    PassOptions options_of_passes(const Graph& model, const Overrides& overrides, const Tiling& tiling) const;
    /// The estimated cycles of a lowering, which it then knows.
    double estimate(Lowered& lowered) const;

    const CompileOptions& options_;
    Machine machine_;
    const ChipParams& chip_;
    DeviceGrid grid_;
    std::shared_ptr<CompileCaches> caches_;
    OpBudget budget_;
    ScheduleOptions scheduling_;
    EmitOptions emit_;
    ModelScheduler scheduler_;
};

}  // namespace ttsim::impl::ir
