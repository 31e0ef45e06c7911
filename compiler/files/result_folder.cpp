#include "compiler/files/result_folder.hpp"

#include <filesystem>
#include <fstream>

#include "base/file_set.hpp"
#include "base/new_file.hpp"
#include "base/parallel.hpp"
#include "base/phase_times.hpp"
#include "base/read_file.hpp"
#include "compiler/host/reference.hpp"
#include "compiler/host/samples.hpp"
#include "compiler/onnx/value_file.hpp"
#include "netlist/device/device.hpp"
#include "netlist/files/manifest.hpp"
#include "netlist/files/npy.hpp"
#include "netlist/text/reader.hpp"
#include "netlist/text/writer.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::ir {

namespace {

constexpr const char* netlist_file = "netlist.yaml";

void write_text(const fs::path& file, const std::string& text) {
    write_new_file(file.string(), FileKind::Text, [&](std::ostream& out) { out << text; });
}

/// `entries`: how many equal ones.
void write_array(const fs::path& file, const Tensor& tensor, std::int64_t entries = 1) {
    write_npy(file.string(), {false, entries, tensor.z, tensor.rows, tensor.cols}, [&](const auto& use) {
        for (std::int64_t entry = 0; entry < entries; ++entry) use(tensor.data);
    });
}

void write_constant(const fs::path& file, const QueueConstant& constant) {
    constant.entry.in_pieces([&](std::int64_t z, std::int64_t rows, std::int64_t cols, const FloatPieces& pieces) {
        write_npy(file.string(), {constant.bits, 1, z, rows, cols}, pieces);
    });
}

/// Writes the default values of inputs; returns their files.
InputFiles write_inputs(const CompiledModel& model, const FileSink& sink) {
    InputFiles files;
    for (const Node& node : model.host.program.graph.nodes) {
        const auto value = model.inputs.find(boundary_name(node));
        if (!node.is_input() || node.has(attr::device) || value == model.inputs.end()) continue;
        const std::string file = "input_" + npy_name(node.name);
        sink(file, npy_bytes(value->second));
        files[value->first] = file;
    }
    return files;
}

/// Writes the entries of host queues; returns their files.
std::vector<ManifestEntry> write_queues(const CompiledModel& model, const fs::path& folder, unsigned threads) {
    std::vector<ManifestEntry> files;
    // inputs of later parts depend on results of the first part; loops have many entries
    // 'ttsim run NETLIST --inputs FOLDER' of a model that is trained runs one execute, with the same sample throughout
    const std::int64_t samples = is_trained(model) ? model.host.microbatch : 1;
    const Values crossing = HostRun(model.host.program, model.inputs).device_inputs(1);
    for (const BoundTensor& input : inputs_of_part(model.host, 1))
        if (input.iterations == 0) {
            files.push_back({input.queue, npy_name(input.queue), 0});
            write_array(folder / files.back().file, to_entry(crossing.at(input.name), input), samples);
        }
    if (is_trained(model))
        for (const BoundTensor& input : inputs_of_part(model.host, 2)) {
            files.push_back({input.queue, npy_name(input.queue), 0});
            write_array(folder / files.back().file, to_entry(model.inputs.at(input.name), input), samples);
        }
    // a ram that ops write is 0 before a run unless the manifest has a file for it
    const auto is_stored = [&](const QueueConstant& constant) {
        return !constant.entry.is_zeros() || model.netlist.find_queue(constant.queue)->from_host();
    };
    for (const QueueConstant& constant : model.constants)
        if (is_stored(constant)) files.push_back({constant.queue, npy_name(constant.queue), 0});
    parallel_for(threads, model.constants.size(), [&](std::size_t i) {
        const QueueConstant& constant = model.constants[i];
        if (is_stored(constant)) write_constant(folder / npy_name(constant.queue), constant);
    });
    return files;
}

}  // namespace

std::string netlist_text(const CompiledModel& model) {
    return "# " + model.command + "\n" + write_netlist(model.netlist);
}

void write_host_part(const CompiledModel& model, const FileSink& sink, const std::string& device) {
    HostSteps steps = model.host;
    steps.device = device;
    write_host_steps(steps, write_inputs(model, sink), sink);
    if (model.reference) sink(reference_file, print_graph(*model.reference));
}

void read_host_part(const FileSet& files, CompiledModel& model) {
    StoredSteps stored = read_host_steps(files);
    model.host = std::move(stored.steps);
    for (const auto& [name, file] : stored.inputs) model.inputs.emplace(name, read_npy_of(files, file));
    model.reference = read_reference(files);
    model.report.host_steps = host_step_lines(model.host);
}

void write_folder(const CompiledModel& model, const std::string& path, unsigned threads) {
    NewFolder result(path, compiled_folder());
    const fs::path folder(result.temporary());
    Manifest manifest;
    manifest.netlist = netlist_file;
    manifest.arch = model.netlist.archs.front();
    for (const ModelProgram& program : model.programs) {
        manifest.programs.push_back(program.name);
        for (const std::string& parameter : {program.executes, program.zero})
            if (!parameter.empty()) manifest.params[parameter] = 1;
    }
    {
        const TimedPhase timed("constants");
        manifest.inputs = write_queues(model, folder, threads);
    }
    write_manifest(folder.string(), manifest);
    {
        const TimedPhase timed("netlist");
        write_text(folder / netlist_file, netlist_text(model));
    }
    const TimedPhase timed("host steps and graphs of passes");
    write_host_part(
        model, [&](const std::string& name, const std::string& bytes) { write_text(folder / name, bytes); },
        model.host.device);
    if (!model.passes.empty()) fs::create_directory(folder / "passes");
    for (const PassGraph& pass : model.passes) write_text(folder / "passes" / (pass.name + ".json"), pass.json);
    result.commit();
}

namespace {

constexpr std::string_view comment = "# ";

/// The first line of the netlist without the comment marker.
std::string read_command(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line.starts_with(comment) ? line.substr(comment.size()) : "";
}

std::vector<ModelProgram> programs_of(const Manifest& manifest, const std::string& folder) {
    if (is_of_training(manifest))
        fail_input({(fs::path(folder) / "manifest.json").string(), 0, 0},
                   "it was compiled for training; run a step with 'ttsim run {0}/netlist.yaml --inputs {0}'", folder);
    if (manifest.programs.empty() || manifest.params.size() != 1)
        fail_input({(fs::path(folder) / "manifest.json").string(), 0, 0},
                   "it names {} programs with {} parameters; a compiled model has programs with one parameter",
                   manifest.programs.size(), manifest.params.size());
    std::vector<ModelProgram> programs;
    for (const std::string& name : manifest.programs)
        programs.push_back({ProgramRole::Forward, std::ssize(programs), name, manifest.params.begin()->first});
    return programs;
}

QueueConstant read_constant(const Queue& queue, const std::string& file) {
    const bool bits = is_raw(queue.df);
    QueueArray array = read_npy(file, bits);
    if (array.entries.size() != 1)
        fail_input({file, 0, 0}, "it has {} entries; queue '{}' is constant and has one", array.entries.size(),
                   queue.name);
    const Tensor& entry = array.entries.front();
    const Tensor shape(TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
    if (entry.z != queue.shape().z || entry.rows != shape.rows || entry.cols != shape.cols)
        fail_input({file, 0, 0}, "entries are [{}, {}, {}]; queue '{}' needs [{}, {}, {}]", entry.z, entry.rows,
                   entry.cols, queue.name, queue.shape().z, shape.rows, shape.cols);
    if (array.integer != (is_integer(queue.df) || bits))
        fail_input({file, 0, 0}, "dtype is {}; queue '{}' of format {} needs {}", array.integer ? "int32" : "float32",
                   queue.name, to_string(queue.df), array.integer ? "float32" : "int32");
    return {queue.name, std::move(array.entries.front()), bits};
}

/// Entries of queues that host steps do not fill.
std::vector<QueueConstant> read_constants(const CompiledModel& model, const Manifest& manifest,
                                          const std::string& folder) {
    std::vector<QueueConstant> constants;
    for (const ManifestEntry& entry : manifest.inputs) {
        const auto filled = [&](const BoundTensor& tensor) { return tensor.queue == entry.queue; };
        if (std::any_of(model.host.to_device.begin(), model.host.to_device.end(), filled)) continue;
        const Queue* queue = model.netlist.find_queue(entry.queue);
        if (!queue)
            fail_input({(fs::path(folder) / "manifest.json").string(), 0, 0},
                       "it has a file for '{}', which is not a queue of the netlist", entry.queue);
        constants.push_back(read_constant(*queue, resolve_inside(folder, entry.file)));
    }
    return constants;
}

}  // namespace

static CompiledModel read_folder(const std::string& folder, const Manifest& manifest) {
    const std::string netlist = resolve_inside(folder, netlist_file);
    CompiledModel model;
    read_host_part(FolderFiles(folder), model);
    (void)device_chip(model.host.device);  // registers a chip given by its path, for the netlist
    (void)chip(manifest.arch);
    model.netlist = read_netlist(netlist);
    model.command = read_command(netlist);
    model.programs = programs_of(manifest, folder);
    model.report.arch = manifest.arch;
    return model;
}

CompiledModel read_folder(const std::string& folder) {
    const Manifest manifest = read_manifest(folder);
    CompiledModel model = read_folder(folder, manifest);
    model.constants = read_constants(model, manifest, folder);
    model.report.constants = model.constants.size();
    return model;
}

CompiledModel read_without_constants(const std::string& folder) { return read_folder(folder, read_manifest(folder)); }

}  // namespace ttsim::impl::ir
