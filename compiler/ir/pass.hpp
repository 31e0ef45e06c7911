// Passes and their options. A pass is one file in passes/, which the build finds. Pipelines: pass_table.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/builder.hpp"
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ir/overrides.hpp"
#include "compiler/ir/tiling.hpp"
#include "generated/pass_values.hpp"

namespace ttsim::impl::ir {

struct HostProgram;      // compiler/host/host_program.hpp
struct TrainingRequest;  // compiler/ir/training.hpp

/// Whether a pass fuses: where the estimate improves, everywhere possible, or nowhere.
enum class Fusing : std::uint8_t { IfProfitable, Always, Never };

/// How loops with equal iterations are compiled: as a device program that loops if that saves many ops, as such a
/// program wherever possible, or unrolled.
enum class Loops : std::uint8_t { IfProfitable, Programs, Unrolled };
/// "programs" or "unrolled".
std::optional<Loops> parse_loops(std::string_view name);

/// Options of all passes. Those of the schema (compiler/options/compile_options.toml) have its defaults.
struct PassOptions : PassValues {
    DataFormat default_df = DataFormat::Float16_b;
    bool stable_softmax = true;
    bool host_fallback = true;                ///< false: mark-host rejects ops instead of marking them
    HostProgram* host = nullptr;              ///< if not null, receives the ops that cut-host removes
    std::optional<DataFormat> accumulate_df;  ///< of Dst; none: the family's 16-bit format, Float32 for Float32
    std::vector<FormatRule> rules;            ///< for mixed-precision, in order
    bool auto_fusing = true;                  ///< enables fuse-ops
    bool t_streaming = true;                  ///< large results may be streamed in slices by rows
    Overrides overrides;                      ///< by op of the netlist; passes use t, nops, fuse
    std::int64_t conv_fracture = 1;           ///< number of parts of convolutions that have no override
    bool prestride = true;                    ///< enables host-windows
    Fusing fuse_gelu = Fusing::IfProfitable;
    Loops loops = Loops::IfProfitable;
    /// Estimated cycles an input of a device-level graph takes, for passes that compare alternatives. Null: passes
    /// assume that their rewrite is profitable.
    std::function<double(const Graph&)> estimate;
    std::vector<std::string> intermediates;     ///< ops whose results keep-intermediates makes outputs
    bool keep_names = false;                    ///< ops have the names of the model's ops (keep-names)
    Tiling tiling{};                            ///< used by lower-to-buda, splice-columns, split-products
    unsigned threads = 0;                       ///< threads of one pass; 0: one per processor
    bool wide_results = false;                  ///< small results are Float32 (with wide_dest) or Float16
    bool device_comparisons = false;            ///< mark-host leaves comparisons on the device
    const TrainingRequest* training = nullptr;  ///< null: for inference only
    std::int64_t saved_entries = 1;             ///< inputs whose values a forward program saves
};

/// The override with `fracture` for a convolution of the model, by its name or its node's in the model; or nullptr.
const OpOverride* convolution_override(const Overrides& overrides, const Node& node);

struct Pass {
    std::string_view name;     ///< as in `ttsim-opt --passes`
    std::string_view summary;  ///< one line, for --list-passes
    void (*run)(Graph&, const PassOptions&);
    bool optional = false;  ///< --skip-passes may leave it out of a compilation: it only makes the result better
};

std::span<const Pass* const> all_passes();
const Pass* find_pass(std::string_view name);  ///< nullptr when unknown

struct Pipeline {
    std::string_view name, summary;
    std::vector<std::string_view> passes;
};
std::span<const Pipeline> all_pipelines();

/// Runs passes in order. `verify` checks the graph after each; `after` is called with each pass and the resulting
/// graph.
void run_passes(Graph& graph, std::span<const Pass* const> passes, const PassOptions& options, bool verify,
                const std::function<void(const Pass&, const Graph&)>& after = {});

/// Copies the nodes in order into a new graph. `rule` gets the operands in the new graph and returns the value that
/// replaces the node's, or nothing to keep the node. Constants are folded on the way.
using Rule = std::function<std::optional<ValueId>(Builder& build, const Node& node, std::span<const ValueId> in)>;
void rewrite(Graph& graph, const Rule& rule);

}  // namespace ttsim::impl::ir
