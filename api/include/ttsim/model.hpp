// Models: compiled for a device, and run there with inputs and outputs under their names.
//
//   Graph --compile()--> CompiledModel --Model--> run(inputs) -> outputs                whole calls
//                          |        ^             push(inputs) ... get() -> outputs     a stream, sample by sample
//                    write_folder  read_folder          and the same for images: one file with the target
//
// What the host does before and behind the device is part of a call and takes no simulated time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ttsim/array.hpp>
#include <ttsim/graph.hpp>
#include <ttsim/report.hpp>
#include <ttsim/session.hpp>

namespace ttsim {

/// As `ttsim compile` has them (docs/compiler.md).
struct CompileOptions {
    std::string device = "wh_n150";  ///< product, soc descriptor file, or path of a chip's folder
    std::string format;              ///< of tensors; "": Float16_b, with amp 2 Float16
    std::string accumulate_format;   ///< of Dst; "": the compiler's choice
    std::string fidelity = "HiFi4";
    std::string policy = "balanced";      ///< how ops share the device
    int effort = 1;                       ///< 0 to 3: schedules that are tried; from 2 on on the simulated chip
    std::string optimize = "throughput";  ///< or "latency": one sample at a time
    int amp = 0;                          ///< automatic mixed precision: 0, 1 or 2
    std::int64_t microbatch = 1;          ///< samples that go through each epoch before the next
    std::int64_t chips = 1;
    std::vector<int> harvested_rows;  ///< NoC rows the device lacks
    bool host_fallback = true;        ///< false: what would run on the host is refused
    bool device_comparisons = false;  ///< the device compares, and the host takes no op to spare the way alone
    std::string cluster;              ///< descriptor file of chips and their links; "": the product's own

    /// Formats and fidelities op by op, the cheapest with which outputs have this correlation with the model in float32
    /// for `inputs`, which may have several samples, one axis more in front; found by simulating. 0: as said above
    double target_pcc = 0;
    std::int64_t trials = 24;  ///< most simulations of that

    int amp_light = 0;            ///< weights of products only: 0 to 3
    std::string format_rules;     ///< YAML text of mixed precision op by op, after those of amp and amp_light
    std::string overrides;        ///< YAML text of what is decided for single ops, by their names in the netlist
    bool keep_names = false;      ///< ops of the netlist are called as those of the model; parts of one NAME.dc.TYPE.N
    bool ignore_unknown = false;  ///< overrides of ops that are not there become notes
    std::vector<std::string> intermediates;  ///< ops whose results are outputs too, as OP_intermediate_output

    bool stable_softmax = true, auto_fusing = true, t_streaming = true;
    std::int64_t conv_fracture = 0;  ///< parts of every convolution's kernel rows; 0: where it pays
    bool prestride = true;           ///< the host may lay out the windows of a first convolution
    std::string loops;  ///< of equal turns: "programs" that loop, "unrolled"; "": programs where that spares much
    bool round_constants = true;  ///< false: constants and inputs are pushed unrounded, for runs in float32
    bool bias_correction = true;  ///< biases make up for what rounding takes from weights, in the mean
    bool host_inputs = false, host_outputs = false;  ///< queues of inputs, of outputs lie in the host's memory
    std::string self_cut;  ///< what goes through DRAM where grids do not go together; "": the default
    std::map<std::string, std::int64_t> queue_channels;  ///< DRAM channel of single queues
    std::string dram_placement;                          ///< channels of queues; "": the default

    Arrays inputs;           ///< to run with by default; others are generated
    std::uint32_t seed = 0;  ///< of those
};

/// What was decided.
struct CompileReport {
    std::string chip, device;
    std::int64_t ops = 0, epochs = 0, constants = 0;
    double estimated_cycles = 0;          ///< per sample
    std::vector<std::string> notes;       ///< one line each
    std::vector<std::string> host_steps;  ///< what the host does, one line each
    double pcc = 0;                       ///< with target_pcc: reached on the samples
    std::string format_rules;             ///< with target_pcc: what was chosen, for CompileOptions::format_rules
};

/// A value: copies are cheap and share what was compiled.
class TTSIM_API CompiledModel {
public:
    std::vector<ArrayInfo> inputs() const;  ///< in the model's order
    std::vector<ArrayInfo> outputs() const;
    const Arrays& default_inputs() const;  ///< those of the options, the others made up
    CompileReport report() const;          ///< of a folder: device and host steps only

    /// A folder that `ttsim run` takes. Throws Error(Input) when it cannot be written, or something else is there.
    void write_folder(const std::string& folder) const;
    std::string netlist() const;  ///< its text, as a folder's netlist.yaml
    /// Runs as the model that was written; its parameters() are not kept. Throws Error(Input) at the file that is
    /// missing or does not fit.
    static CompiledModel read_folder(const std::string& folder);

    /// A device image (docs/tti.md), which holds the machine as well, and says that it is for a device of this type:
    /// Golden, Model, Versim, Emulation or Silicon. Throws Error(Input) when it cannot be written, for another type, or
    /// when the device is a chip of your own.
    /// `host_files`: what a program of yours computes around the device (host_parts.json, host_parts.safetensors,
    /// host_parts.zip); ttsim keeps them and does not read them.
    void write_image(const std::string& file, const std::string& device_type = "Silicon",
                     const std::string& device_name = "tt0",
                     const std::map<std::string, std::string>& host_files = {}) const;
    /// Of an archive, or of the folder into which one was unpacked. Throws Error (Input, Unsupported) at the member
    /// that is missing, damaged or does not fit.
    static CompiledModel read_image(const std::string& path);
    /// Those that the image has, for as long as a copy of this lives.
    std::map<std::string, std::string_view> host_files() const;

    struct Impl;
    explicit CompiledModel(std::shared_ptr<const Impl> impl);
    const Impl& impl() const { return *impl_; }

private:
    std::shared_ptr<const Impl> impl_;
};

/// Throws Error: Input for options and inputs that do not fit, Unsupported.
TTSIM_API CompiledModel compile(const Graph& graph, const CompileOptions& options = {});

/// A compiled model on a session of its own. For one thread at a time.
class TTSIM_API Model {
public:
    /// Without a device, chip or cluster in the options: on the machine it was compiled for. An image runs on no other,
    /// Error(Input). Writes the model's
    /// constants into the session's memory. Throws Error(Input, Unsupported) when it does not fit the machine.
    explicit Model(const CompiledModel& model, const SessionOptions& options = {});
    ~Model();
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;

    /// Shapes are those of CompiledModel::inputs(); with one axis more in front an input holds so many samples, and so
    /// do the outputs where there are several. Outputs are empty with Engine::Timing. Throws Error(Input) with all
    /// names, shapes and types that are wrong. After Error(Hang) the model must be made anew.
    /// `feed_back`: outputs of a sample that are inputs of the next, {output, input}, as the states of a model that
    /// listens: samples run one after the other, and such an input holds what the first begins with. Throws
    /// Error(Input) for pairs of another shape or type, and for a microbatch of several samples.
    Arrays run(const Arrays& inputs, const std::map<std::string, std::string>& feed_back = {});

    /// One sample of a stream. Its microbatch starts when it is whole. Throws Error(Hang) when the device has no room
    /// because outputs were not taken; nothing was pushed then.
    void push(const Arrays& inputs);
    void flush();  ///< fills the microbatch up, so that all that was pushed is run
    /// Outputs of the oldest sample that was pushed. Throws Error(Input) when there is none, or its microbatch is not
    /// whole.
    Arrays get();
    std::int64_t in_flight() const;  ///< samples pushed that get() has not given

    /// Constants of the model whose values can be replaced: each used once, and not by what was decided.
    std::vector<ArrayInfo> parameters() const;
    Array parameter(const std::string& name) const;
    /// For the runs to come, and all that is computed of it. Throws Error(Input) for a name that parameters() lacks,
    /// another shape or type, values that need another compilation, or while samples are in flight.
    void set_parameter(const std::string& name, const Array& value);

    std::uint64_t now() const;  ///< cycles since the model was made; 0 without a clock
    RunReport report() const;   ///< what was done so far
    const std::string& chip() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim
