#include "compiler/host/host_steps.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/host/host_rounding.hpp"
#include "compiler/host/host_value.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/lower/lowering.hpp"
#include "compiler/onnx/value_file.hpp"
#include "netlist/files/manifest.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace ttsim::impl::ir {

// --- tensors and queue entries ------------------------------------------------------------------------------------

static Tensor to_entry(const Literal& value, const Form& form, DataFormat df, const Multipliers& by) {
    Tensor tensor(form.z, form.full_rows(), form.full_cols());
    for (std::int64_t z = 0; z < form.z; ++z)
        for (std::int64_t r = 0; r < form.rows; ++r) {
            float* row = tensor.slice(z).row(r);
            const std::int64_t from = (z * form.rows + r) * form.cols;
            for (std::int64_t c = 0; c < form.cols; ++c) row[c] = static_cast<float>(value.at(from + c));
        }
    round_for_push(df, tensor.data, by);
    return tensor;
}

Tensor to_entry(const Literal& value, DataFormat df, const Multipliers& by) {
    return to_entry(value, form_of(value.dims()), df, by);
}

Tensor to_entry(const Literal& value, const BoundTensor& input) {
    Form form = form_of(value.dims());
    form.more_rt = std::max<std::int64_t>(0, input.rt - form.rt());
    form.more_ct = std::max<std::int64_t>(0, input.ct - form.ct());
    return to_entry(value, form, input.df, {});
}

Literal from_entry(const Tensor& entry, const Type& type) {
    const Form form = form_of(type.dims);
    // an entry may have slices of columns, or streamed slices of rows, and padding
    const std::int64_t beside = form.z > 0 && entry.cols < form.cols ? entry.z / form.z : 1;
    const std::int64_t rows = form.z > 0 ? entry.z * entry.rows / (form.z * beside) : 0;
    if (rows * form.z * beside != entry.z * entry.rows || rows < form.rows || entry.cols * beside < form.cols)
        fail_input({}, "a queue with entries of {} x {} x {} cannot hold {}", entry.z, entry.rows, entry.cols,
                   to_string(type));
    Literal out(type.dtype, type.dims, max_read_elements);
    const bool integers = !is_float(type.dtype) && type.dtype != DType::Bool;
    for (std::int64_t z = 0; z < form.z; ++z)
        for (std::int64_t r = 0; r < form.rows; ++r)
            for (std::int64_t c = 0; c < form.cols; ++c) {
                const std::int64_t row = z * rows + r;
                const std::int64_t slice = beside > 1 ? z * beside + c / entry.cols : row / entry.rows;
                const auto value = static_cast<double>(entry.slice(slice).at(row % entry.rows, c % entry.cols));
                out.set((z * form.rows + r) * form.cols + c, integers ? std::nearbyint(value) : value);
            }
    return out;
}

// --- writing ------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* steps_file = "host_steps.json";

ordered_json attrs_json(const Attrs& attrs) {
    ordered_json out = ordered_json::object();
    for (const auto& attr : attrs) std::visit([&](const auto& value) { out[attr.first] = value; }, attr.second);
    return out;
}

ordered_json type_json(ordered_json item, const Type& type) {
    item["dtype"] = std::string(to_string(type.dtype));
    item["dims"] = type.dims;
    return item;
}

ordered_json node_json(const Graph& graph, const Node& node, const InputFiles& inputs, const FileSink& sink) {
    ordered_json item{{"name", node.name}, {"op", node.op.name()}};
    if (node.is_input()) {
        item["op"] = node.has(attr::device) ? "device" : "input";
        item["of"] = boundary_name(node);
        if (node.has(attr::device)) item["part"] = node.get(attr::device);
        const auto file = inputs.find(boundary_name(node));
        if (!node.has(attr::device) && file != inputs.end()) item["file"] = file->second;
    } else if (node.is_constant()) {
        const std::string file = "host_" + npy_name(node.name);
        sink(file, npy_bytes(*node.literal));
        item["file"] = file;
        if (!node.origin.empty()) item["of"] = node.origin;
    } else {
        item["operands"] = ordered_json::array();
        for (const Edge& edge : node.inputs) item["operands"].push_back(graph.nodes[edge.value].name);
        item["attrs"] = attrs_json(node.attrs);
        item["of"] = node.origin;
    }
    return type_json(std::move(item), node.type);
}

/// The name in "host" of a boundary value.
std::string value_name(const HostProgram& program, const BoundTensor& tensor, bool input) {
    if (input) return program.graph.nodes[program.boundary_value(tensor.name).value].name;
    for (const Node& node : program.graph.nodes)
        if (node.has(attr::device) && node.origin == tensor.name) return node.name;
    TT_CHECK(false, "the host has no value for the device's '{}'", tensor.name);
}

ordered_json bound_json(const HostProgram& program, const BoundTensor& tensor, bool input) {
    const Form form = form_of(tensor.type.dims);
    ordered_json item =
        type_json({{"value", value_name(program, tensor, input)}, {"queue", tensor.queue}}, tensor.type);
    if (input) item["part"] = program.boundary_value(tensor.name).part;
    if (tensor.iterations > 0) item["iterations"] = tensor.iterations;
    item["matrix"] = {form.z, form.rows, form.cols};
    if (tensor.rt > form.rt() || tensor.ct > form.ct()) item["tiles"] = {tensor.rt, tensor.ct};
    item["df"] = std::string(to_string(tensor.df));
    item["steps"] = input ? std::vector<std::string>{"round to the data format", "fill up to tiles"}
                          : std::vector<std::string>{"cut to the matrix", "convert to the element type"};
    return item;
}

/// `part`: 0 if the device runs in one part.
std::string bound_line(const BoundTensor& tensor, bool input, std::int64_t part) {
    const Form form = form_of(tensor.type.dims);
    const std::string tiles = tensor.rt > form.rt() || tensor.ct > form.ct()
                                  ? fmt::format("{} x {} tiles", tensor.rt, tensor.ct)
                                  : "whole tiles";
    return fmt::format("{} '{}' {}: {} queue '{}' as {} x {} x {} elements {} {}{}", input ? "input" : "output",
                       tensor.name, to_string(tensor.type), input ? "into" : "from", tensor.queue, form.z, form.rows,
                       form.cols, input ? "filled up to" : "cut from", tiles,
                       (tensor.iterations == 0 ? "" : fmt::format(", {} iterations", tensor.iterations)) +
                           (part == 0 ? "" : fmt::format(", {} part {}", input ? "for" : "of", part)));
}

}  // namespace

void write_host_steps(const HostSteps& steps, const InputFiles& inputs, const FileSink& sink) {
    const Graph& graph = steps.program.graph;
    ordered_json all{{"device", steps.device}, {"microbatch", steps.microbatch}};
    for (const char* key : {"host", "to_device", "from_device", "outputs"}) all[key] = ordered_json::array();
    for (const Node& node : graph.nodes) all["host"].push_back(node_json(graph, node, inputs, sink));
    for (const BoundTensor& tensor : steps.to_device)
        all["to_device"].push_back(bound_json(steps.program, tensor, true));
    for (const BoundTensor& tensor : steps.from_device)
        all["from_device"].push_back(bound_json(steps.program, tensor, false));
    for (const Output& output : graph.outputs)
        all["outputs"].push_back(
            {{"name", output.name}, {"value", graph.nodes[output.value].name}, {"file", npy_name(output.name)}});
    sink(steps_file, all.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

HostSteps with_value_names(HostSteps steps) {
    for (BoundTensor& tensor : steps.to_device) tensor.name = value_name(steps.program, tensor, true);
    for (BoundTensor& tensor : steps.from_device) tensor.name = value_name(steps.program, tensor, false);
    for (HostProgram::BoundaryValue& crossing : steps.program.to_device)
        crossing.name = steps.program.graph.nodes[crossing.value].name;
    for (Node& node : steps.program.graph.nodes)
        if (node.has(attr::device)) node.origin = node.name;
    return steps;
}

bool equal(const HostSteps& a, const HostSteps& b) {
    const HostSteps x = with_value_names(a), y = with_value_names(b);
    const auto same_part = [](const auto& p, const auto& q) { return p.part == q.part; };
    return x.device == y.device && x.microbatch == y.microbatch && equal(x.program.graph, y.program.graph) &&
           x.to_device == y.to_device && x.from_device == y.from_device &&
           std::equal(a.program.to_device.begin(), a.program.to_device.end(), b.program.to_device.begin(),
                      b.program.to_device.end(), same_part);
}

std::vector<std::string> host_step_lines(const HostSteps& steps) {
    std::vector<std::string> lines;
    for (const Node& node : steps.program.graph.nodes)
        if (!node.is_input() && !node.is_constant() && !node.is_result())
            lines.push_back(
                fmt::format("step '{}' of '{}': {} -> {}", node.name, node.origin, node.op, types_text(node)));
    const bool parts = steps.program.parts() > 1;
    for (const BoundTensor& tensor : steps.to_device)
        lines.push_back(bound_line(tensor, true, parts ? steps.program.boundary_value(tensor.name).part : 0));
    for (const BoundTensor& tensor : steps.from_device)
        lines.push_back(bound_line(tensor, false, parts ? steps.program.part_of(tensor.name) : 0));
    return lines;
}

std::string parts_line(const HostSteps& steps) {
    const std::int64_t parts = steps.program.parts();
    if (parts == 1) return "";
    const Graph& graph = steps.program.graph;
    std::vector<bool> early(graph.nodes.size(), true);  // computed before the device runs
    std::set<std::string> between;
    for (ValueId id = 0; id < early.size(); ++id) {
        const Node& node = graph.nodes[id];
        early[id] = !node.has(attr::device);
        for (const Edge& edge : node.inputs) early[id] = early[id] && early[edge.value];
        if (!early[id] && !node.is_input() && !node.is_result()) between.insert(node.op.text());
    }
    std::int64_t elements = 0;
    for (const HostProgram::BoundaryValue& crossing : steps.program.to_device)
        if (crossing.part > 1) elements += count(graph.type(crossing.value).dims);
    const std::string line = fmt::format(
        "the device runs in {} parts; later parts read {} elements per input from the host", parts, elements);
    if (between.empty()) return line;  // such as the gradients of outputs, in training
    return fmt::format("{}, which computes {} between and after them", line, fmt::join(between, ", "));
}

std::vector<std::string> loop_lines(const HostSteps& steps) {
    std::map<std::int64_t, std::int64_t> iterations;
    for (const HostProgram::BoundaryValue& crossing : steps.program.to_device)
        if (crossing.iterations > 0) iterations[crossing.part] = crossing.iterations;
    std::vector<std::string> lines;
    for (const auto& [part, own] : iterations)
        lines.push_back(
            fmt::format("part {} of the device is a program that loops: {} iterations per input", part, own));
    return lines;
}

// --- reading ------------------------------------------------------------------------------------------------------

namespace {

class StepsReader {
public:
    explicit StepsReader(const FileSet& files) : files_(files), loc_{files.place(steps_file), 0, 0} {}

    StoredSteps read() {
        if (!files_.has(steps_file))
            fail_input(loc_, "there is no such file; folders written by 'ttsim compile' have it");
        constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
        const SharedBytes text = files_.read(steps_file, most_bytes);
        try {
            const json all = json::parse(text.view());
            steps_.device = all.at("device").get<std::string>();
            steps_.microbatch = all.at("microbatch").get<std::int64_t>();
            if (steps_.microbatch < 1) fail_input(loc_, "microbatch is {}; it must be 1 or more", steps_.microbatch);
            for (const json& item : all.at("host")) add_node(item);
            for (const json& item : all.at("to_device")) {
                steps_.to_device.push_back(input(item));
                parts_.push_back(part(item));
            }
            for (const json& item : all.at("from_device")) steps_.from_device.push_back(bound(item));
            for (const json& item : all.at("outputs"))
                graph().outputs.push_back({item.at("name").get<std::string>(), value(item.at("value")), {}});
        } catch (const json::exception& error) {
            fail_input(loc_, "it is not a list of host steps: {}", error.what());
        }
        connect();
        return {std::move(steps_), std::move(inputs_)};
    }

private:
    Graph& graph() { return steps_.program.graph; }

    ValueId value(const json& name) const {
        const auto found = known_.find(name.get<std::string>());
        if (found == known_.end()) fail_input(loc_, "'{}' is defined by no earlier step", name.get<std::string>());
        return found->second;
    }

    Type type(const json& item) const {
        const auto name = item.at("dtype").get<std::string>();
        const auto dtype = parse_dtype(name);
        if (!dtype) fail_input(loc_, "'{}' is not an element type", name);
        Type type{*dtype, item.at("dims").get<Dims>(), {}};
        if (const std::int64_t elements = extent(type.dims); elements < 0 || elements > std::int64_t{1} << 33)
            fail_input(loc_, "the size {} cannot be right", to_string(type));
        return type;
    }

    Attrs attrs(const json& items) const {
        Attrs attrs;
        for (const auto& [key, v] : items.items()) {
            if (v.is_number_integer())
                attrs[key] = v.get<std::int64_t>();
            else if (v.is_number())
                attrs[key] = v.get<double>();
            else if (v.is_string())
                attrs[key] = v.get<std::string>();
            else
                attrs[key] = v.get<std::vector<std::int64_t>>();
        }
        return attrs;
    }

    /// A file name in the folder.
    std::string file_of(const json& item) const {
        const auto name = item.at("file").get<std::string>();
        if (name.empty() || fs::path(name).filename() != name)
            fail_input(loc_, "'{}' is not a file of the folder", name);
        return name;
    }

    void add_node(const json& item) {
        Node node;
        node.name = item.at("name").get<std::string>();
        const auto op = item.at("op").get<std::string>();
        node.op = op_named(op);
        node.type = type(item);
        node.loc = loc_;
        if (known_.count(node.name)) fail_input(loc_, "'{}' is defined twice", node.name);
        if (node.op == op::input || op == "device") {
            node.origin = item.at("of").get<std::string>();
            if (op == "device") node.set(attr::device, part(item));
            if (item.contains("file")) inputs_[node.origin] = file_of(item);
            node.op = op::input;
        } else if (node.op == op::constant) {
            node.literal = std::make_shared<Literal>(constant(file_of(item), node.type));
            node.origin = item.value("of", "");
        } else {
            add_op(node, op, item);
        }
        known_[node.name] = graph().nodes.size();
        graph().nodes.push_back(std::move(node));
    }

    Literal constant(const std::string& file, const Type& type) const {
        Literal read = read_npy_of(files_, file);
        if (read.dims() != type.dims)
            fail_input({files_.place(file), 0, 0}, "its shape is [{}]; it must be {}", fmt::join(read.dims(), ", "),
                       to_string(type));
        if (read.dtype() == type.dtype) return read;
        Literal out(type.dtype, type.dims, max_read_elements);
        for (std::int64_t i = 0; i < out.size(); ++i) out.copy(i, read, i);
        return out;
    }

    void add_op(Node& node, const std::string& op, const json& item) {
        if (!has_host_value(node)) fail_input(loc_, "'{}': the host has no op '{}'", node.name, op);
        for (const json& name : item.at("operands")) node.inputs.push_back({value(name), {}});
        node.attrs = attrs(item.at("attrs"));
        node.origin = item.at("of").get<std::string>();
        const Type given = node.type;
        infer_types(graph(), node);
        if (given != node.type)
            fail_input(loc_, "'{}' is {}; its operands yield {}", node.name, to_string(given), to_string(node.type));
    }

    /// Device part, from 1.
    std::int64_t part(const json& item) const {
        const std::int64_t part = item.value("part", std::int64_t{1});
        constexpr std::int64_t most = 1 << 20;
        if (part < 1 || part > most) fail_input(loc_, "the device has no part {}", part);
        return part;
    }

    /// An input binding with the tiles of an entry's slice.
    BoundTensor input(const json& item) const {
        BoundTensor tensor = bound(item);
        const Form form = form_of(tensor.type.dims);
        const auto tiles = item.value("tiles", std::vector<std::int64_t>{form.rt(), form.ct()});
        constexpr std::int64_t most = 1 << 20;
        if (tiles.size() != 2 || tiles[0] < form.rt() || tiles[1] < form.ct() || std::max(tiles[0], tiles[1]) > most)
            fail_input(loc_, "'{}' does not fit into [{}] tiles", tensor.name, fmt::join(tiles, ", "));
        tensor.rt = tiles[0];
        tensor.ct = tiles[1];
        return tensor;
    }

    BoundTensor bound(const json& item) const {
        const auto name = item.at("df").get<std::string>();
        const auto df = parse_format(name);
        if (!df) fail_input(loc_, "'{}' is not a data format", name);
        BoundTensor tensor{item.at("value").get<std::string>(), item.at("queue").get<std::string>(), type(item), *df};
        tensor.iterations = item.value("iterations", std::int64_t{0});
        constexpr std::int64_t most = 1 << 20;
        if (tensor.iterations < 0 || tensor.iterations > most)
            fail_input(loc_, "'{}' has {} iterations", tensor.name, tensor.iterations);
        return tensor;
    }

    /// Checks that every boundary value exists on both sides. The file names tensors by host values; device results get
    /// their boundary names back.
    void connect() {
        std::map<std::string, int> times;  // a value may go to several parts
        for (std::size_t k = 0; k < steps_.to_device.size(); ++k) {
            BoundTensor& tensor = steps_.to_device[k];
            const ValueId value = boundary_value(tensor, false);
            check_order(value, parts_[k], tensor.name);
            if (const int time = ++times[tensor.name]; time > 1) tensor.name += fmt::format(" {}", time);
            steps_.program.to_device.push_back({tensor.name, value, parts_[k], tensor.iterations});
        }
        std::set<std::string> names;
        for (BoundTensor& tensor : steps_.from_device) {
            tensor.name = boundary_name(graph().nodes[boundary_value(tensor, true)]);
            if (!names.insert(tensor.name).second)
                fail_input(loc_, "the device has the result '{}' twice", tensor.name);
        }
        std::size_t results = 0;
        for (const Node& node : graph().nodes) results += node.has(attr::device) ? 1U : 0U;
        if (results != steps_.from_device.size())
            fail_input(loc_, "the host reads {} results of the device, which has {}", results,
                       steps_.from_device.size());
    }
    /// Checks that inputs of a part do not depend on the part's own results.
    void check_order(ValueId value, std::int64_t part, const std::string& name) {
        if (waits_.empty())
            for (const Node& node : graph().nodes) {
                waits_.push_back(node.get(attr::device));
                if (node.is_input() || node.is_constant()) continue;
                for (const Edge& edge : node.inputs) waits_.back() = std::max(waits_.back(), waits_[edge.value]);
            }
        if (waits_[value] >= part)
            fail_input(loc_, "'{}' is read by part {} of the device and depends on part {}", name, part, waits_[value]);
    }
    ValueId boundary_value(const BoundTensor& tensor, bool from_device) {
        const auto found = known_.find(tensor.name);
        if (found == known_.end() || (from_device && !graph().nodes[found->second].has(attr::device)) ||
            graph().nodes[found->second].type != tensor.full_type())
            fail_input(loc_, "'{}' {} is a boundary value but no value of the host", tensor.name,
                       to_string(tensor.type));
        return found->second;
    }

    const FileSet& files_;
    SourceLoc loc_;
    HostSteps steps_;
    InputFiles inputs_;
    std::map<std::string, ValueId> known_;
    std::vector<std::int64_t> parts_;  ///< of to_device
    std::vector<std::int64_t> waits_;  ///< per node: the last part it needs
};

}  // namespace

StoredSteps read_host_steps(const FileSet& files) { return StepsReader(files).read(); }

}  // namespace ttsim::impl::ir
