// One model on one device: its graph taken down to device ops, with what the result is checked for.
#pragma once

#include <string>
#include <vector>

#include "compiler/backend/choice_cache.hpp"
#include "compiler/model/compile.hpp"
#include "compiler/schedule/conv_fracture.hpp"
#include "compiler/schedule/model_scheduler.hpp"
#include "netlist/device/device.hpp"

namespace ttsim::impl::ir {

/// The passes of the default pipeline.
const std::vector<std::string_view>& default_passes();
/// Names of a graph's ops on device level.
std::vector<std::string> device_ops(const Graph& graph);

class ModelCompiler {
public:
    /// `options` are kept by reference. Throws Error(Input) for a device that does not fit.
    explicit ModelCompiler(const CompileOptions& options);
    const std::string& arch() const { return chip_.name; }

    /// Takes the model down to device ops; convolutions in parts as the user says, or where that pays.
    Lowered lower(const Graph& model) const;

    bool keeps_passes() const { return options_.keep_passes; }
    /// Every graph on the way that lower() went.
    std::vector<PassGraph> passes(const Graph& model, const Overrides& overrides, const Tiling& tiling) const;

    /// The same by so many passes.
    Lowered lower_until(const Graph& model, std::size_t passes) const;

    Scheduled schedule(const Graph& graph) const { return scheduler_.schedule(graph); }
    /// What it takes: of an execute on the simulated chip where there is one, else what is estimated of an input.
    double cycles(const Scheduled& made) const {
        return options_.simulate ? scheduler_.run(made) : made.schedule.estimated_cycles;
    }
    /// The same, or a quicker one of a few others.
    Scheduled quickest_of_few(const Graph& graph, Scheduled made) const {
        return scheduler_.quickest_of_few(graph, std::move(made));
    }

    /// Of each op: clocks of all its cores together for an input, on the grid where these are least.
    std::map<std::string, double> core_cycles(const Graph& graph) const;

    /// Whatever the validator finds now is a mistake of the compiler.
    void check(const EmittedModel& emitted) const;
    /// Queues whose channel the user says are there; with ignore_unknown a note says which are not.
    void check_channels(const EmittedModel& emitted, std::vector<std::string>& notes) const;

private:
    static constexpr std::size_t all_of_them = ~std::size_t{0};
    static constexpr int most_paddings = 3;

    /// With more tiles where an op fits nowhere else, or where that pays. What then fits nowhere still is as large as
    /// it is.
    Lowered lower_padded(const Graph& model, const std::vector<std::string>& convolutions) const;
    /// Anew with another tiling, convolutions in the same parts.
    Lowered retiled(const Graph& model, Lowered&& lowered, const Tiling& tiling) const;
    /// With another tiling, if the estimate is much lower then.
    void pad_where_it_pays(const Graph& model, const Tiling& tiling, Lowered& lowered) const;
    /// Products over few rows in parts, likewise; `tries`: so often at most.
    void split_where_it_pays(const Graph& model, std::size_t tries, Lowered& lowered) const;
    Lowered lower_in_parts(const Graph& model, const std::vector<std::string>& convolutions,
                           const Tiling& tiling) const;
    /// `most`: so many passes are run.
    Lowered run_pipeline(Graph graph, const Overrides& overrides, const Tiling& tiling = {},
                         std::size_t most = all_of_them, PassRecord* record = nullptr) const;

    const CompileOptions& options_;
    Machine machine_;
    const ChipParams& chip_;
    DeviceGrid grid_;
    ChoiceCache cache_;
    OpBudget budget_;
    ScheduleOptions scheduling_;
    EmitOptions emit_;
    ModelScheduler scheduler_;
};

}  // namespace ttsim::impl::ir
