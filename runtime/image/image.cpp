#include "runtime/image/image.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "compiler/files/result_folder.hpp"
#include "compiler/files/training_file.hpp"
#include "netlist/text/reader.hpp"
#include "netlist/text/writer.hpp"
#include "runtime/image/archive.hpp"
#include "runtime/image/host_part.hpp"
#include "runtime/image/target.hpp"
#include "runtime/image/tensor_file.hpp"
#include "runtime/model.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::image {

namespace {

constexpr const char* netlist_file = "netlist.yaml";
constexpr std::uint64_t max_json = std::uint64_t{256} << 20, max_netlist = std::uint64_t{1} << 30,
                        max_tensor = std::uint64_t{16} << 30;

// --- writing -------------------------------------------------------------------------------------------------------

const Queue& queue_named(const ir::CompiledModel& model, const std::string& name) {
    const Queue* queue = model.netlist.find_queue(name);
    TT_CHECK(queue, "the netlist of the compiled model has no queue '{}'", name);
    return *queue;
}

std::vector<std::string> folder_names() { return {"brisc", "erisc", "nrisc", "hlks", "epoch_programs"}; }

/// Adds a boundary tensor to the record.
void describe(DeviceRecord& r, const ir::CompiledModel& model, const ir::BoundTensor& tensor, bool input) {
    const Queue& queue = queue_named(model, tensor.queue);
    (input ? r.inputs : r.outputs).push_back(tensor.queue);
    (input ? r.input_shapes : r.output_shapes).push_back(tensor.type.dims);
    const ir::HostProgram& host = model.host.program;
    (input ? r.input_programs : r.output_programs)
        .push_back((input ? host.boundary_value(tensor.name).part : host.part_of(tensor.name)) - 1);
    (input ? r.input_transforms : r.output_transforms).push_back({});
    if (input) r.input_tiles[tensor.queue] = queue.tile;
    if (!input) r.output_formats.emplace_back(to_string(queue.df));
}

DeviceRecord describe(const ir::CompiledModel& model, const Machine& machine, const ImageOptions& options) {
    DeviceRecord r;
    const ChipParams& chip = machine.chips.front().params;
    r.arch = arch_of_chip(chip.name);
    for (const ChipInstance& instance : machine.chips) {
        r.chip_ids.push_back(instance.id);
        r.harvested_rows.push_back(harvesting_mask(instance));
    }
    r.training = ir::is_trained(model);
    r.microbatch = r.microbatch_size = model.host.microbatch;
    r.microbatch_count = model.microbatch_count;
    r.grid_size = {static_cast<std::int64_t>(chip.worker_y.size()), static_cast<std::int64_t>(chip.worker_x.size())};
    r.graph_name = model.netlist.graphs.empty() ? "" : model.netlist.graphs.front().name;
    for (const ir::BoundTensor& tensor : model.host.to_device) describe(r, model, tensor, true);
    for (const ir::BoundTensor& tensor : model.host.from_device) {
        if (!ir::is_intermediate(tensor.name)) {
            describe(r, model, tensor, false);
            continue;
        }
        r.intermediates.emplace_back(tensor.name.substr(0, tensor.name.size() - ir::intermediate_suffix.size()),
                                     tensor.queue);
        r.intermediate_shapes.push_back(tensor.type.dims);
    }
    r.netlist = options.netlist.empty() ? std::string(image_folder) + "/" + builds_folder + "/" + netlist_file
                                        : std::string(image_folder) + "/" + options.netlist;
    r.release = options.release;
    r.devtype = options.device_type;
    r.name = options.device_name;
    return r;
}

/// Values of constants: queues with one entry, and rams.
void add_tensors(const ir::CompiledModel& model, const ImageOptions& options, std::int64_t alignment, DeviceRecord& r,
                 MemberSink& members) {
    for (const ir::QueueConstant& constant : model.constants) {
        Queue queue = queue_named(model, constant.queue);
        queue.alignment = alignment;
        const bool ram = queue.type == QueueType::Ram;
        const std::shared_ptr<const Tensor> held = constant.entry.tensor();
        const Tensor& entry = *held;
        TensorFile file = options.format == TensorFormat::Tilized
                              ? to_tbin(queue, entry, tensor_file_name(queue.name, ".tbin"), options.tilizer)
                              : to_bin(queue, entry, tensor_file_name(queue.name, ".bin"));
        members.add(file.stored.file, file.bytes);
        (ram ? r.parameters : r.constants).push_back(queue.name);
        (ram ? r.parameter_tiles : r.constant_tiles)[queue.name] = queue.tile;
        (ram ? r.parameter_values : r.constant_values)[queue.name] = std::move(file.stored);
    }
}

/// Adds host computations of a Python program.
void add_host_files(const ImageOptions& options, MemberSink& members) {
    for (const auto& [name, bytes] : options.host_files) {
        TT_CHECK(is_host_file(name), "'{}' is not a host part file", name);
        members.add("module_files/" + name, bytes);
    }
}

void refuse_own_chip(const ir::CompiledModel& model) {
    if (is_chip_path(model.host.device))
        fail_unsupported({model.host.device, 0, 0},
                         "an image cannot contain a user-defined chip; move its folder below chips/ of a folder "
                         "that TTSIM_CONFIG_DIR names, and compile for it by its name");
}

void check_device_type(const std::string& type, const std::string& file) {
    const std::vector<std::string>& types = device_types();
    if (std::find(types.begin(), types.end(), type) == types.end())
        fail_input({file, 0, 0}, "unknown device type '{}'; expected one of {}", type, fmt::join(types, ", "));
}

}  // namespace

bool is_image_name(const std::string& path) { return fs::path(path).extension() == image_extension; }

void write_image(const ir::CompiledModel& model, const std::string& file, const ImageOptions& options) {
    refuse_own_chip(model);
    write_image(model, runtime::machine_of(model), file, options);
}

void write_image(const ir::CompiledModel& model, const Machine& machine, const std::string& file,
                 const ImageOptions& options) {
    check_device_type(options.device_type, file);
    ArchiveWriter archive(file);
    MemberSink members(archive);
    DeviceRecord record = describe(model, machine, options);
    const bool tilized = options.format == TensorFormat::Tilized;
    if (tilized) record.dump_format = "BACKEND_TILIZED";
    members.add(options.netlist.empty() ? netlist_file : options.netlist,
                "# " + model.command + "\n" + write_netlist(model.netlist));
    members.add("compile_and_runtime_config.json",
                fmt::format("{{\n    \"{}\": \"1\"\n}}\n",
                            tilized ? "PYBUDA_TTI_BACKEND_TILIZED_FORMAT" : "PYBUDA_TTI_BACKEND_FORMAT"));
    for (const std::string& folder : folder_names()) archive.add_folder(std::string(builds_folder) + "/" + folder);
    write_target(machine, model.netlist, options.release, members.below(""));
    add_tensors(model, options, machine.chips.front().params.features.noc_alignment, record, members);
    members.add(record_file, device_json(record));
    archive.add_folder("module_files");
    add_host_files(options, members);
    // a user's device descriptor is in the image; its original path is useless to others
    write_host_part(model, members.below(own_folder), fs::path(model.host.device).filename().string());
    if (record.training) members.below(own_folder)(ir::training_file, ir::training_text(model));
    members.add_list(fs::path(machine.name).filename().string(), machine.chips.front().params.clock_mhz);
    archive.commit();
}

// --- reading -------------------------------------------------------------------------------------------------------

namespace {

/// The text of device.json.
std::string record_text(const Members& files) {
    if (!files.has(record_file))
        fail_input({files.place(record_file), 0, 0}, "it is not a device image: {} is missing", record_file);
    return files.read(record_file, max_json).text();
}

DeviceRecord read_record(const Members& files) {
    return read_device_json(record_text(files), files.place(record_file));
}

std::string command_of(const std::string& netlist) {
    return netlist.starts_with("# ") ? netlist.substr(2, netlist.find('\n') - 2) : "";
}

/// Validates the file now; decodes it on first use.
ir::ConstantEntry stored_entry(const Queue& queue, const StoredTensor& stored, const Members& files,
                               const std::string& name) {
    const SharedBytes data = files.read(name, max_tensor);
    check_file(queue, stored, data.size(), files.place(name));
    return {queue.shape().ct * queue.tile.w, [queue, stored, data] { return from_file(queue, stored, data); }};
}

void add_constants(DevicePart& part, const Members& files, const std::vector<std::string>& names,
                   const std::map<std::string, StoredTensor>& values) {
    const std::string place = files.place(record_file);
    const std::size_t before = part.constants.size();
    part.constants.resize(before + names.size());
    for (std::size_t n = 0; n < names.size(); ++n) {
        const std::string& name = names[n];
        const Queue* queue = part.netlist.find_queue(name);
        const bool stored = part.record.training && queue && queue->type == QueueType::Ram && queue->alias.empty();
        if (!queue || !(queue->host_fed() || stored))
            fail_input({place, 0, 0}, "it has values for '{}', but the netlist has no such queue that the host fills",
                       name);
        const auto found = values.find(name);
        if (found == values.end()) fail_input({place, 0, 0}, "the image has no values for the constant '{}'", name);
        const std::string& file = found->second.file;
        if (found->second.pickled)
            fail_unsupported(
                {place, 0, 0},
                "'{}': its values are in the Python pickle '{}', and reading a pickle runs code; write the "
                "image with PYBUDA_TTI_BACKEND_FORMAT=1",
                name, file);
        if (!files.has(file))
            fail_input({files.place(file), 0, 0}, "the image has no such file, with values of '{}'", name);
        part.constants[before + n] = {name, stored_entry(*queue, found->second, files, file), is_raw(queue->df)};
    }
}

/// Checks that every queue of the host steps exists, and that input queues have the expected format.
void check_bindings(const ir::CompiledModel& model, const std::string& place) {
    const auto check = [&](const ir::BoundTensor& tensor, bool input) {
        const Queue* queue = model.netlist.find_queue(tensor.queue);
        if (!queue)
            fail_input({place, 0, 0}, "'{}' is bound to queue '{}', which the netlist does not have", tensor.name,
                       tensor.queue);
        if (queue->host_fed() != input)
            fail_input({place, 0, 0}, "'{}' is bound to queue '{}', which is filled by the {}", tensor.name,
                       tensor.queue, input ? "device" : "host");
        if (input && queue->df != tensor.df)
            fail_input({place, 0, 0}, "'{}' has format {}, but its queue '{}' has {}", tensor.name,
                       to_string(tensor.df), tensor.queue, to_string(queue->df));
    };
    for (const ir::BoundTensor& tensor : model.host.to_device) check(tensor, true);
    for (const ir::BoundTensor& tensor : model.host.from_device) check(tensor, false);
}

}  // namespace

Members read_members(const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) return read_archive(path);
    Members members = read_tree(path);
    remove_run_reports(members);
    return members;
}

Summary read_summary(const std::string& path) {
    const Members files = read_members(path);
    (void)read_own_part(files);
    Summary summary;
    summary.record_text = record_text(files);
    summary.record = read_device_json(summary.record_text, files.place(record_file));
    summary.host = host_files(files);
    summary.unread = unread_members(files, summary.record);
    return summary;
}

DevicePart read_device_part(const Members& files) {
    DevicePart part;
    part.own = read_own_part(files);
    part.record = read_record(files);
    part.machine = read_target(files, part.record);
    const std::string name = fs::path(part.record.netlist).filename().string();
    if (name.empty()) fail_input({files.place(record_file), 0, 0}, "'netlist_filename' is empty or has no file name");
    part.text = files.read(name, max_netlist).text();
    part.netlist = read_netlist_text(part.text, files.place(name));
    set_chip(part.netlist, part.machine.chips.front().params.features);
    add_constants(part, files, part.record.constants, part.record.constant_values);
    add_constants(part, files, part.record.parameters, part.record.parameter_values);
    if (!part.own) return part;
    part.machine.name = part.own->device;
    for (ChipInstance& chip : part.machine.chips) chip.params.clock_mhz = part.own->clock_mhz;
    return part;
}

Image read_image(const Members& files) {
    DevicePart part = read_device_part(files);
    Image image;
    ir::CompiledModel& model = image.model;
    model.command = command_of(part.text);
    model.netlist = std::move(part.netlist);
    model.constants = std::move(part.constants);
    if (!part.record.training) model.programs = forward_programs(model.netlist);
    image.record = std::move(part.record);
    image.machine = std::move(part.machine);
    if (!part.own) {
        add_host_part(model, image.record, files.place(record_file));
        model.host.device = image.machine.name;
    } else {
        read_host_part(SubfolderFiles(files, own_folder), model);
        if (image.record.training) ir::read_training(SubfolderFiles(files, own_folder), model);
        model.host.device = fs::path(model.host.device).filename().string();
    }
    check_bindings(model, files.place(!part.own ? record_file : "ttsim/host_steps.json"));
    model.report.arch = image.machine.chips.front().params.name;
    model.report.constants = model.constants.size();
    for (const auto& [name, bytes] : files.bytes)
        if (const fs::path path(name); path.parent_path() == "module_files" && is_host_file(path.filename().string()))
            image.host_files.emplace(path.filename().string(), bytes);
    image.unread = unread_members(files, image.record);
    if (const std::string note = unread_note(image.unread); !note.empty()) model.report.notes.push_back(note);
    return image;
}

Image read_image(const std::string& path) { return read_image(read_members(path)); }

}  // namespace ttsim::impl::image
