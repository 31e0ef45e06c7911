// Models: compiled for a device, and executed on it with named inputs and outputs.
//
//   Graph --compile()--> CompiledModel --Model--> run(inputs) -> outputs                whole calls
//                          |        ^             push(inputs) ... get() -> outputs     a stream, sample by sample
//                    write_folder  read_folder          and the same for images: one file with the target
//
// Host steps before and after the device are part of a call and take no simulated time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ttsim/array.hpp>
#include <ttsim/compile_options.hpp>
#include <ttsim/graph.hpp>
#include <ttsim/netlist.hpp>
#include <ttsim/report.hpp>
#include <ttsim/session.hpp>

namespace ttsim {

/// A step that the host computes before or after the device, or between two parts of it.
struct HostStep {
    std::string name;
    std::string op;      ///< of model_ops(): "reshape", "gather", ...
    std::string origin;  ///< node of the model that it is a part of; "": made by the compiler
    std::string file;    ///< place of that node; "": unknown
    int line = 0;
    ArrayInfo result;                   ///< name, element type and shape
    std::vector<std::string> operands;  ///< names of steps, inputs, constants and device results
    double operations = 0;              ///< estimated operations per sample
    double multiply_adds = 0;           ///< per sample, of products and convolutions
};

/// An override without effect.
struct IgnoredOverride {
    std::string op;       ///< the name in the override
    std::string code;     ///< as in Problem::code: "unknown-name" or "cannot-stream"
    std::string nearest;  ///< the most similar name of an op; "": none is similar
    std::string message;
};

/// Result of a compilation.
struct CompileReport {
    std::string chip, device;
    bool validated = false;  ///< whether results of the chip were compared with measurements
    std::int64_t ops = 0, epochs = 0, constants = 0;
    double estimated_cycles = 0;   ///< clock cycles per sample
    std::int64_t saved_bytes = 0;  ///< of training: DRAM of values that the forward program saves for the backward one
    std::vector<std::string> notes;       ///< one line each
    std::vector<std::string> host_steps;  ///< host steps, one line each; as values: CompiledModel::host_steps()
    std::vector<IgnoredOverride> ignored_overrides;  ///< with CompileOptions::ignore_unknown, or LoweredOptions
    double pcc = 0;                                  ///< with target_pcc: PCC reached on the samples
    std::string format_rules;  ///< with target_pcc: the chosen rules, for CompileOptions::format_rules
};

/// A compiled model. A value type: copies are cheap and share the content.
class TTSIM_API CompiledModel {
public:
    std::vector<ArrayInfo> inputs() const;  ///< in the model's order
    std::vector<ArrayInfo> outputs() const;
    const Arrays& default_inputs() const;  ///< those of the options; missing ones are generated
    CompileReport report() const;          ///< for a model read from a folder: device and host steps only

    /// Writes a folder that `ttsim run` accepts. Throws Error(Input) when it cannot be written, or exists with other
    /// content.
    void write_folder(const std::string& folder) const;
    std::string netlist() const;               ///< text of the netlist, as in a folder's netlist.yaml
    Netlist layout() const;                    ///< the netlist as values: places of ops, buffers of queues, programs
    std::vector<HostStep> host_steps() const;  ///< in order
    /// Reads a folder. The model runs like the one that was written, but has no parameters(). Throws Error(Input) that
    /// names the missing or invalid file.
    static CompiledModel read_folder(const std::string& folder);

    /// Writes a device image (docs/tti.md), which includes the machine. `device_type`: Golden, Model, Versim, Emulation
    /// or Silicon. `host_files`: content of the caller's host parts by name (host_parts.json, host_parts.safetensors,
    /// host_parts.zip); ttsim stores them without reading them. Throws Error(Input) when the file cannot be written,
    /// for another device type, or for a custom chip.
    void write_image(const std::string& file, const std::string& device_type = "Silicon",
                     const std::string& device_name = "tt0",
                     const std::map<std::string, std::string>& host_files = {}) const;
    /// Reads an image, from the archive or from an unpacked folder. Throws Error(Input, Unsupported) that names the
    /// missing, damaged or incompatible member.
    static CompiledModel read_image(const std::string& path);
    /// The host files of the image by name. The views are valid as long as a copy of this model exists.
    std::map<std::string, std::string_view> host_files() const;

    struct Impl;
    explicit CompiledModel(std::shared_ptr<const Impl> impl);
    const Impl& impl() const { return *impl_; }

private:
    std::shared_ptr<const Impl> impl_;
};

/// An op of a lowered model, before elementwise ops are fused.
struct LoweredOp {
    std::string name;                   ///< as overrides refer to it
    std::string type;                   ///< in the netlist
    std::string origin;                 ///< node of the model that it is a part of
    std::vector<std::string> operands;  ///< names of ops, inputs and constants
};

/// Options that depend on the lowered model.
struct LoweredOptions {
    /// Chooses overrides by names and types of ops. Called once during the compilation with the ops of the lowered
    /// model, in order. Returns YAML as in CompileOptions::overrides, which it adds to; "": none. Under the name "*"
    /// dram_parameters of every op.
    std::function<std::string(const std::vector<LoweredOp>& ops)> overrides;
    /// Slices of overrides that an op cannot have are ignored and reported, instead of an Error(Input).
    bool ignore_impossible_slices = false;
    /// Uses fewer chips than CompileOptions::chips if the model has fewer epochs, instead of an Error(Input).
    bool fewer_chips = false;
};

/// Compiles a graph. Throws Error: Input for invalid options or inputs, Unsupported for ops that cannot be compiled.
TTSIM_API CompiledModel compile(const Graph& graph, const CompileOptions& options = {});
TTSIM_API CompiledModel compile(const Graph& graph, const CompileOptions& options, const LoweredOptions& lowered);

/// A compiled model with its own session. Not thread-safe.
class TTSIM_API Model {
public:
    /// Creates the session and writes the model's constants to its memory. Without device, chip and cluster in the
    /// options it uses the machine for which the model was compiled. Throws Error(Input, Unsupported) when the model
    /// does not fit the machine, and Error(Input) for an image on another machine.
    explicit Model(const CompiledModel& model, const SessionOptions& options = {});
    ~Model();
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;

    /// Runs the model and returns its outputs by name. Inputs have the shapes of CompiledModel::inputs(), or one more
    /// leading axis of samples; outputs then have it too. Outputs are empty with Engine::Timing. Throws Error(Input)
    /// with all wrong names, shapes and types. After Error(Hang) the model cannot be used any more. `feed_back`: pairs
    /// {output, input}; the output of a sample becomes the input of the next sample, as for the state of a streaming
    /// model. Samples run in sequence, and the given input is the initial value. Throws Error(Input) for pairs of
    /// different shape or type, and for a microbatch of several samples.
    Arrays run(const Arrays& inputs, const std::map<std::string, std::string>& feed_back = {});
    Arrays run(Arrays&& inputs, const std::map<std::string, std::string>& feed_back = {});  ///< without a copy

    /// Pushes one sample of a stream. A microbatch starts when all its samples were pushed. Throws Error(Hang) when the
    /// device has no room because outputs were not read; nothing is pushed then.
    void push(const Arrays& inputs);
    void push(Arrays&& inputs);  ///< without a copy
    void flush();                ///< completes the current microbatch, so that all pushed samples run
    /// Returns and removes the outputs of the oldest sample. Throws Error(Input) when there is none, or its microbatch
    /// is incomplete.
    Arrays get();
    std::int64_t in_flight() const;  ///< pushed samples whose outputs were not read by get()

    /// Constants whose values can be replaced: those that are used once and did not affect decisions of the compiler.
    std::vector<ArrayInfo> parameters() const;
    Array parameter(const std::string& name) const;  ///< throws Error(Input) for an unknown name
    /// Replaces a constant, and everything that was folded from it, for later runs. Throws Error(Input) for an unknown
    /// name, another shape or type, values that need another compilation, or while samples are in flight.
    void set_parameter(const std::string& name, const Array& value);
    void set_parameter(const std::string& name, Array&& value);  ///< without a copy

    std::uint64_t now() const;        ///< clock cycles since construction; 0 without a clock
    RunReport report() const;         ///< report of all runs so far
    const std::string& chip() const;  ///< name of the chip that it runs on

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ttsim
