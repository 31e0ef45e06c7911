// A pass is one file in passes/ plus its name in pass_table.cpp.
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

namespace ttsim::impl::ir {

struct HostProgram;  // compiler/host/host_program.hpp

/// Whether a pass fuses: where the estimate says it pays, everywhere it can, or nowhere.
enum class Fusing : std::uint8_t { WherePays, Always, Never };

/// What becomes of a loop whose turns are all alike: a program that loops where that spares much, wherever it can be
/// one, or nowhere.
enum class Loops : std::uint8_t { WherePays, Programs, Unrolled };
/// "programs" or "unrolled".
std::optional<Loops> parse_loops(std::string_view name);

/// What passes may depend on.
struct PassOptions {
    DataFormat default_df = DataFormat::Float16_b;
    bool stable_softmax = true;
    bool host_fallback = true;                ///< false: mark-host refuses instead of marking
    HostProgram* host = nullptr;              ///< cut-host leaves what it takes out there, if given
    std::optional<DataFormat> accumulate_df;  ///< of Dst; none: 16 bits of the result's family, Float32 for Float32
    std::vector<FormatRule> rules;            ///< of mixed-precision, in order
    bool auto_fusing = true;                  ///< fuse-ops does its work
    bool t_streaming = true;                  ///< large results may go in slices of rows
    Overrides overrides;                      ///< by op of the netlist; passes heed t, nops, fuse
    std::int64_t conv_fracture = 1;           ///< parts that convolutions are cut into, where overrides say nothing
    bool prestride = true;                    ///< host-windows does its work
    Fusing fuse_gelu = Fusing::WherePays;
    Loops loops = Loops::WherePays;
    /// Cycles an input of a graph on device level would take; passes that choose ask it. None: what they do pays.
    std::function<double(const Graph&)> estimate;
    std::int64_t slice_bytes = 200 * 1024;   ///< of L1 for a core's part of a slice that streams
    std::vector<std::string> intermediates;  ///< ops whose results keep-intermediates keeps
    bool wide_dest = false;   ///< Dst may hold 32 bits where sums and clamped lines need them (data-formats)
    bool keep_names = false;  ///< ops are called as those of the model (keep-names)
    std::int64_t l1_bytes = 1260 * 1024;  ///< of a core, for all buffers of an op
    Tiling tiling{};                      ///< of lower-to-buda, splice-columns, split-products
    unsigned threads = 0;                 ///< of one pass; 0: one per processor
    bool wide_results = false;            ///< with wide_dest: results of a few numbers are Float32
    bool fp16_quantizers = true;          ///< without it: quantizers may be in Float16
    bool device_comparisons = false;      ///< mark-host leaves comparisons
};

/// The override of a convolution of the model that says `fracture`, by its name or its node's in the model; nullptr.
const OpOverride* convolution_override(const Overrides& overrides, const Node& node);

struct Pass {
    std::string_view name;     ///< as `ttsim-opt --passes` spells it
    std::string_view summary;  ///< one line, for --list-passes
    void (*run)(Graph&, const PassOptions&);
};

std::span<const Pass* const> all_passes();
const Pass* find_pass(std::string_view name);  ///< nullptr when unknown

struct Pipeline {
    std::string_view name, summary;
    std::vector<std::string_view> passes;
};
std::span<const Pipeline> all_pipelines();

/// Runs passes in order, verifying after each; `after` is called with each pass and the graph it left.
void run_passes(Graph& graph, std::span<const Pass* const> passes, const PassOptions& options, bool verify,
                const std::function<void(const Pass&, const Graph&)>& after = {});

/// Walks the nodes in order into a new graph. `rule` gets the operands in the new graph and returns the value that
/// replaces the node's, or nothing to keep the node. Constants are folded on the way.
using Rule = std::function<std::optional<ValueId>(Builder& build, const Node& node, std::span<const ValueId> in)>;
void rewrite(Graph& graph, const Rule& rule);

}  // namespace ttsim::impl::ir
