// The compiler as one function: a model in, a folder out that `ttsim run` takes.
//
//   read -> passes -> schedule -> netlist -> OUT/netlist.yaml, OUT/manifest.json, OUT/*.npy, OUT/host_steps.json
#pragma once

#include <functional>
#include <string>

#include "compiler/backend/emit.hpp"
#include "compiler/onnx/read.hpp"
#include "compiler/pass.hpp"
#include "isa/fidelity.hpp"

namespace tt::ir {

struct CompileOptions {
    std::string model;                          ///< .onnx, or a graph as text
    std::string device = "wh_n150";             ///< product, or a soc descriptor file
    std::string out;                            ///< folder
    std::map<std::string, std::string> inputs;  ///< values of inputs: name -> .pb or .npy file
    std::map<std::string, std::string> constants;
    std::map<std::string, Dims> shapes;
    DataFormat default_df = DataFormat::Float16_b;
    Fidelity fidelity = Fidelity::HiFi4;
    std::optional<DataFormat> accumulate_df;
    std::vector<FormatRule> rules;  ///< of mixed precision, in order
    bool stable_softmax = true;
    bool host_fallback = true;        ///< false: what would run on the host is refused
    std::vector<int> harvested_rows;  ///< NoC rows the device lacks
    bool auto_fusing = true, t_streaming = true;
    std::optional<std::int64_t> conv_fracture;  ///< parts of every convolution; none: where it pays
    Fusing fuse_gelu = Fusing::WherePays;
    Overrides overrides;       ///< by op of the netlist
    ScheduleOptions schedule;  ///< its overrides are those above
    EmitOptions emit;
    std::int64_t microbatch = 1;  ///< inputs of one execute
    std::uint32_t seed = 0;       ///< of inputs that are not given
    std::string command;          ///< for the netlist's first line
    /// Cycles of one execute of a netlist on the device; the simulated policy needs it.
    std::function<double(const Netlist& netlist, const CompileOptions& options)> simulate;
};

struct CompileReport {
    std::size_t ops = 0, epochs = 0, constants = 0;
    double estimated_cycles = 0;  ///< per input
    std::string arch;
    std::vector<Decision> decisions;      ///< per op, when the schedule's options ask for them
    std::string variant;                  ///< the simulated policy: what was quickest
    std::vector<std::string> notes;       ///< what was cut into parts, one line each
    std::vector<std::string> host_steps;  ///< what the host does, one line each
};

/// Throws Error: Input (2), Unsupported (4). Nothing is written unless all is.
CompileReport compile(const CompileOptions& options);

/// Reads .onnx or text. Values of `options.constants` are read from their files.
Graph read_model(const CompileOptions& options);

}  // namespace tt::ir
