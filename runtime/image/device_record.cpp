#include "runtime/image/device_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_object.hpp"
#include "base/text.hpp"
#include "isa/tile.hpp"

using nlohmann::json;
using Ordered = nlohmann::ordered_json;

namespace ttsim::impl::image {

// --- names ---------------------------------------------------------------------------------------------------------

std::string chip_of_arch(const std::string& arch) { return to_lower(arch); }

std::string arch_of_chip(const std::string& chip) {
    std::string arch = chip;
    bool first = true;
    for (char& c : arch) {
        if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        first = c == '_';
    }
    return arch;
}

// --- writing -------------------------------------------------------------------------------------------------------

namespace {

Ordered shape_json(const Shape& shape) { return {{"valid_", !shape.empty()}, {"type_", "FREE"}, {"dims_", shape}}; }

Ordered transforms_json(const std::vector<TensorTransform>& transforms) {
    Ordered list = Ordered::array();
    for (const TensorTransform& t : transforms)
        list.push_back({{"type", t.type},
                        {"original_shape", shape_json(t.original)},
                        {"reinterpreted_shape", shape_json(t.reinterpreted)},
                        {"unpadded_shape", shape_json(t.unpadded)},
                        {"stride_height", t.stride},
                        {"stride_width", t.stride},
                        {"kernel_height", t.kernel},
                        {"kernel_width", t.kernel},
                        {"concat_group", t.group},
                        {"concat_index", t.index},
                        {"concat_dim", t.axis}});
    return list;
}

Ordered tiles_json(const std::map<std::string, TileDim>& tiles) {
    Ordered map = Ordered::object();
    for (const auto& [name, tile] : tiles) map[name] = {tile.h, tile.w};
    return map;
}

Ordered stacks_json(const std::map<std::string, HostStack>& stacks) {
    Ordered map = Ordered::object();
    for (const auto& [queue, stack] : stacks)
        map[queue] = {{"hstack_factor", stack.h}, {"vstack_factor", stack.v}, {"row_major", stack.row_major}};
    return map;
}

Ordered tensors_json(const std::map<std::string, StoredTensor>& tensors) {
    Ordered map = Ordered::object();
    for (const auto& [name, t] : tensors) {
        Ordered item{{"bin", t.file},        {"itemsize", t.itemsize}, {"shape", t.shape},
                     {"strides", t.strides}, {"dim", t.dim},           {"format", std::string(to_string(t.format))}};
        if (t.tilized) {
            item["num_buffers"] = t.num_buffers;
            item["buf_size_bytes"] = t.buffer_bytes;     // key written by the vendor's compiler
            item["buffer_size_bytes"] = t.buffer_bytes;  // key read by the vendor's runtime
        }
        map[name] = std::move(item);
    }
    return map;
}

Ordered intermediates_json(const DeviceRecord& r) {
    Ordered list = Ordered::array();
    for (const auto& [op, queue] : r.intermediates) list.push_back({op, queue});
    return list;
}

Ordered state_json(const DeviceRecord& r) {
    const auto none = Ordered::array();
    const auto each = [](std::size_t n, const Ordered& value) { return Ordered(std::vector<Ordered>(n, value)); };
    Ordered state;
    state["microbatch"] = r.microbatch;
    state["graph_name"] = r.graph_name;
    state["ordered_input_names"] = r.inputs;
    state["ordered_output_names"] = r.outputs;
    state["ordered_input_gradient_names"] = none;
    state["ordered_output_gradient_names"] = none;
    state["ordered_target_names"] = none;
    state["ordered_constant_node_names"] = r.constants;
    state["ordered_parameter_node_names"] = r.parameters;
    state["ordered_intermediate_activation_names"] = intermediates_json(r);
    state["ordered_input_subgraph_indices"] = r.input_programs;
    state["ordered_output_subgraph_indices"] = r.output_programs;
    state["ordered_target_subgraph_indices"] = none;
    state["ordered_input_tile_broadcast_dims"] = each(r.inputs.size(), none);
    state["ordered_target_tile_broadcast_dims"] = none;
    state["ordered_bw_input_tile_broadcast_dims"] = none;
    state["ordered_input_runtime_tensor_transforms"] = transforms_json(r.input_transforms);
    state["ordered_output_runtime_tensor_transforms"] = transforms_json(r.output_transforms);
    state["input_to_tile_dims"] = tiles_json(r.input_tiles);
    state["parameter_to_tile_dims"] = tiles_json(r.parameter_tiles);
    state["constant_to_tile_dims"] = tiles_json(r.constant_tiles);
    state["ordered_input_requires_grad"] = each(r.inputs.size(), false);
    state["ordered_output_requires_grad"] = each(r.outputs.size(), false);
    state["ordered_input_shapes"] = r.input_shapes;
    state["ordered_output_shapes"] = r.output_shapes;
    state["ordered_target_shapes"] = r.target_shapes;
    state["ordered_intermediate_shapes"] = r.intermediate_shapes;
    state["ordered_output_data_formats"] = r.output_formats;
    state["netlist_filename"] = r.netlist;
    state["output_host_tms"] = stacks_json(r.host_stacks);
    state["consteval_trace"] = Ordered::object();
    state["post_const_eval_constants"] = tensors_json(r.constant_values);
    state["post_const_eval_parameters"] = tensors_json(r.parameter_values);
    state["optimizer_param_info"] = Ordered::object();
    state["cpueval_outputs"] = nullptr;
    state["has_cache_buffers"] = false;
    return state;
}

/// Compiler options with an effect here; paths are relative to the folder of the archive.
Ordered compiler_json(const DeviceRecord& r) {
    const std::string builds = "unzipped_tti/backend_build_binaries";
    Ordered cfg;
    cfg["compile_depth"] = "FULL";
    cfg["default_math_fidelity"] = r.fidelity.empty() ? Ordered(nullptr) : Ordered(r.fidelity);
    cfg["performance_trace"] = "NONE";
    cfg["device_mode"] = "CompileAndRun";
    cfg["tti_dump_format"] = r.dump_format;
    cfg["backend_opt_level"] = 4;
    cfg["harvesting_mask"] = r.harvested_rows.empty() ? 0 : r.harvested_rows.front();
    cfg["op_intermediates_to_save"] = Ordered::array();
    for (const auto& [op, queue] : r.intermediates) cfg["op_intermediates_to_save"].push_back(op);
    cfg["loopback_outputs"] = Ordered::object();
    cfg["backend_output_dir"] = builds;
    cfg["backend_device_descriptor_path"] = builds + "/device_desc.yaml";
    cfg["backend_cluster_descriptor_path"] = builds + "/cluster_desc.yaml";
    cfg["backend_runtime_params_path"] = "";
    return cfg;
}

}  // namespace

const std::vector<std::string>& device_types() {
    static const std::vector<std::string> all{"Golden", "Model", "Versim", "Emulation", "Silicon"};
    return all;
}

std::string device_json(const DeviceRecord& r) {
    const auto known = [](const std::string& text) { return text.empty() ? Ordered(nullptr) : Ordered(text); };
    Ordered all;
    all["version"] = r.version;
    all["device_image_name"] = r.name;
    all["arch"] = r.arch;
    all["devtype"] = r.devtype;
    all["chip_ids"] = r.chip_ids;
    all["fp32_fallback"] = r.fp32_fallback;
    all["optimizer"] = nullptr;
    all["training"] = r.training;
    all["microbatch_size"] = r.microbatch_size;
    all["microbatch_count"] = r.microbatch_count;
    all["grid_size"] = r.grid_size;
    all["harvested_rows"] = r.harvested_rows;
    all["compiled_graph_state"] = state_json(r);
    all["verify_cfg"] = nullptr;
    all["compiler_cfg"] = compiler_json(r);
    all["loss_module"] = nullptr;
    all["module_name_to_metadata"] = Ordered::object();
    all["pybuda_pip_version_id"] = known(r.release);
    all["pybuda_commit_hash"] = known(r.commit);
    all["budabackend_commit_hash"] = known(r.backend_commit);
    return all.dump(4, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

// --- reading -------------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 48;

/// "Silicon", "BackendType.Silicon", {"__enum__": "BackendType.Silicon"} -> "Silicon".
std::string enum_name(const JsonObject& in, const std::string& key) {
    const json* value = &in.need(key);
    if (value->is_object() && value->contains("__enum__")) value = &(*value)["__enum__"];
    if (!value->is_string()) in.fail(key, "an enumerated name is wanted");
    const auto word = value->get<std::string>();
    return word.substr(word.rfind('.') + 1);
}

std::vector<std::int64_t> numbers(const JsonObject& in, const json& list, const std::string& key) {
    if (!list.is_array()) in.fail(key, "a list is wanted");
    std::vector<std::int64_t> all;
    for (const json& item : list) {
        all.push_back(in.integer(item, key, 0));
        if (all.back() > largest) in.fail(key, fmt::format("it is {}, which cannot be right", all.back()));
    }
    return all;
}

std::vector<std::int64_t> numbers_or_empty(const JsonObject& in, const std::string& key) {
    const json* found = in.find(key);
    return found && !found->is_null() ? numbers(in, *found, key) : std::vector<std::int64_t>{};
}

/// Chip ids, or positions (x, y, rack, shelf) of which only the count is used.
std::vector<std::int64_t> chip_ids(const JsonObject& in) {
    std::vector<std::int64_t> ids;
    const json* found = in.find("chip_ids");
    if (!found || found->is_null()) return ids;
    for (const json& item : in.list("chip_ids"))
        ids.push_back(item.is_array() ? static_cast<std::int64_t>(ids.size()) : in.integer(item, "chip_ids", 0));
    return ids;
}

std::vector<std::string> names(const JsonObject& in, const std::string& key) {
    std::vector<std::string> all;
    for (const json& item : in.list(key)) {
        if (!item.is_string() || item.get<std::string>().empty()) in.fail(key, "a list of names is wanted");
        all.push_back(item.get<std::string>());
    }
    return all;
}

std::vector<Shape> shapes(const JsonObject& in, const std::string& key) {
    std::vector<Shape> all;
    if (const json* found = in.find(key); found && !found->is_null())
        for (const json& item : in.list(key)) all.push_back(numbers(in, item, key));
    return all;
}

std::int64_t integer_or(const JsonObject& in, const std::string& key, std::int64_t otherwise) {
    const json* found = in.find(key);
    return found && !found->is_null() ? in.integer(*found, key, 0) : otherwise;
}

std::string text_or(const JsonObject& in, const std::string& key, const std::string& otherwise) {
    const json* found = in.find(key);
    return found && !found->is_null() ? in.text(key) : otherwise;
}

Shape transform_shape(const JsonObject& in, const std::string& key) {
    const json* found = in.find(key);
    if (!found || !found->is_object()) return {};
    const json valid = found->value("valid_", json(false));
    if (!valid.is_boolean() || !valid.get<bool>()) return {};
    return found->contains("dims_") ? numbers(in, (*found)["dims_"], key) : Shape{};
}

/// Numbers that the type does not use are uninitialized in the vendor's files and ignored.
TensorTransform transform(const json& item, const std::string& path, const std::string& place) {
    const JsonObject in(item, path, place);
    TensorTransform t;
    t.type = enum_name(in, "type");
    t.original = transform_shape(in, "original_shape");
    t.reinterpreted = transform_shape(in, "reinterpreted_shape");
    t.unpadded = transform_shape(in, "unpadded_shape");
    if (t.type == "Concatenate") {
        t.group = in.integer(in.need("concat_group"), "concat_group", 0);
        t.index = in.integer(in.need("concat_index"), "concat_index", 0);
        t.axis = in.integer(in.need("concat_dim"), "concat_dim", -8);
    }
    if (t.type != "Prestride") return t;
    t.stride = in.integer(in.need("stride_height"), "stride_height", 1);
    if (in.integer(in.need("stride_width"), "stride_width", 1) != t.stride)
        in.fail("stride_width", "it differs from stride_height, and strides of a Prestride are equal");
    t.kernel = integer_or(in, "kernel_height", t.stride);
    return t;
}

std::vector<TensorTransform> transforms(const JsonObject& in, const std::string& key, const std::string& place) {
    std::vector<TensorTransform> all;
    if (const json* found = in.find(key); found && !found->is_null())
        for (const json& item : in.list(key)) all.push_back(transform(item, key, place));
    return all;
}

std::map<std::string, HostStack> host_stacks(const JsonObject& in, const std::string& place) {
    std::map<std::string, HostStack> all;
    const json* found = in.find("output_host_tms");
    if (!found || !found->is_object()) return all;
    for (const auto& [queue, item] : found->items()) {
        const JsonObject tms(item, "output_host_tms", place);
        HostStack& stack = all[queue];
        stack.h = tms.integer(tms.need("hstack_factor"), "hstack_factor", 1);
        stack.v = tms.integer(tms.need("vstack_factor"), "vstack_factor", 1);
        const json& rows = tms.need("row_major");
        if (!rows.is_boolean()) tms.fail("row_major", "true or false is wanted");
        stack.row_major = rows.get<bool>();
    }
    return all;
}

StoredTensor stored_tensor(const json& item, const std::string& path, const std::string& place) {
    if (item.is_string()) {
        StoredTensor pickle;
        pickle.file = item.get<std::string>();
        pickle.pickled = true;
        return pickle;
    }
    const JsonObject in(item, path, place);
    StoredTensor t;
    t.file = in.text("bin");
    if (t.file.starts_with("unzipped_tti/")) t.file.erase(0, std::string("unzipped_tti/").size());
    if (!is_path_inside(t.file)) in.fail("bin", fmt::format("'{}' leaves the folder of the image", t.file));
    t.itemsize = in.integer(in.need("itemsize"), "itemsize", 1);
    if (t.itemsize != 1 && t.itemsize != 2 && t.itemsize != 4) in.fail("itemsize", "1, 2 or 4 is wanted");
    const auto four = [&](const std::string& key, std::array<std::int64_t, 4>& to) {
        const std::vector<std::int64_t> list = numbers(in, in.need(key), key);
        if (list.size() != to.size()) in.fail(key, "four numbers are wanted");
        std::copy(list.begin(), list.end(), to.begin());
    };
    four("shape", t.shape);
    four("strides", t.strides);
    t.dim = in.integer(in.need("dim"), "dim", 0);
    const std::string format = enum_name(in, "format");
    const auto known = parse_format(format);
    if (!known) in.fail("format", fmt::format("'{}' is not a data format", format));
    t.format = *known;
    const json* bytes = in.find("buffer_size_bytes");
    if (!bytes) bytes = in.find("buf_size_bytes");
    t.tilized = in.find("num_buffers") != nullptr || bytes != nullptr;
    if (!t.tilized) return t;
    t.num_buffers = in.integer(in.need("num_buffers"), "num_buffers", 1);
    if (!bytes) in.fail("buf_size_bytes", "the key is missing");
    t.buffer_bytes = in.integer(*bytes, "buf_size_bytes", 1);
    if (t.num_buffers > largest || t.buffer_bytes > largest) in.fail("buf_size_bytes", "it cannot be right");
    return t;
}

std::map<std::string, StoredTensor> tensors(const JsonObject& in, const std::string& key, const std::string& place) {
    const json& found = in.need(key);
    if (!found.is_object()) in.fail(key, "an object is wanted");
    std::map<std::string, StoredTensor> all;
    for (const auto& [name, item] : found.items()) all.emplace(name, stored_tensor(item, key + "." + name, place));
    return all;
}

void read_state(const json& value, const std::string& place, DeviceRecord& r) {
    const JsonObject in(value, "compiled_graph_state", place);
    r.microbatch = std::max<std::int64_t>(1, integer_or(in, "microbatch", 1));
    r.graph_name = text_or(in, "graph_name", "");
    r.inputs = names(in, "ordered_input_names");
    r.outputs = names(in, "ordered_output_names");
    r.constants = names(in, "ordered_constant_node_names");
    r.parameters = names(in, "ordered_parameter_node_names");
    if (const json* found = in.find("ordered_intermediate_activation_names"); found && found->is_array())
        for (const json& pair : *found) {
            if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
                in.fail("ordered_intermediate_activation_names", "pairs of op and queue are wanted");
            r.intermediates.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
        }
    r.input_programs = numbers_or_empty(in, "ordered_input_subgraph_indices");
    r.output_programs = numbers_or_empty(in, "ordered_output_subgraph_indices");
    (void)in.need("ordered_input_runtime_tensor_transforms");
    r.input_transforms = transforms(in, "ordered_input_runtime_tensor_transforms", place);
    r.output_transforms = transforms(in, "ordered_output_runtime_tensor_transforms", place);
    r.host_stacks = host_stacks(in, place);
    r.input_shapes = shapes(in, "ordered_input_shapes");
    r.output_shapes = shapes(in, "ordered_output_shapes");
    r.target_shapes = shapes(in, "ordered_target_shapes");
    r.intermediate_shapes = shapes(in, "ordered_intermediate_shapes");
    r.netlist = in.text("netlist_filename");
    r.constant_values = tensors(in, "post_const_eval_constants", place);
    r.parameter_values = tensors(in, "post_const_eval_parameters", place);
}

}  // namespace

DeviceRecord read_device_json(const std::string& text, const std::string& place) {
    const json document = parse_json(text, place);
    const JsonObject in(document, "", place);
    DeviceRecord r;
    r.version = text_or(in, "version", r.version);
    if (r.version != DeviceRecord{}.version)
        fail_unsupported({place, 0, 0}, "its version is {}; version {} is read. The image must be compiled again",
                         r.version, DeviceRecord{}.version);
    r.name = text_or(in, "device_image_name", r.name);
    r.arch = enum_name(in, "arch");
    r.devtype = enum_name(in, "devtype");
    const std::vector<std::string>& devices = device_types();
    if (std::find(devices.begin(), devices.end(), r.devtype) == devices.end())
        in.fail("devtype", fmt::format("'{}' is not a kind of device{}", r.devtype, did_you_mean(r.devtype, devices)));
    r.chip_ids = chip_ids(in);
    if (const json* training = in.find("training"); training && training->is_boolean())
        r.training = training->get<bool>();
    r.microbatch_size = integer_or(in, "microbatch_size", 1);
    r.microbatch_count = integer_or(in, "microbatch_count", 1);
    r.grid_size = numbers_or_empty(in, "grid_size");
    r.harvested_rows = numbers_or_empty(in, "harvested_rows");
    r.release = text_or(in, "pybuda_pip_version_id", "");
    r.commit = text_or(in, "pybuda_commit_hash", "");
    r.backend_commit = text_or(in, "budabackend_commit_hash", "");
    read_state(in.need("compiled_graph_state"), place, r);
    return r;
}

}  // namespace ttsim::impl::image
