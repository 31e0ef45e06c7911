#include "runtime/image/host_part.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.hpp"
#include "compiler/compile.hpp"
#include "compiler/lower/lowering.hpp"

namespace tt::image {

namespace {

const Queue& queue_of(const ir::CompiledModel& model, const std::string& name, bool input, const std::string& place) {
    const Queue* queue = model.netlist.find_queue(name);
    if (!queue) fail_input({place, 0, 0}, "it names the queue '{}', which the netlist lacks", name);
    if (queue->host_fed() != input)
        fail_input({place, 0, 0}, "it names '{}' among the {}, but the queue is {}", name, input ? "inputs" : "outputs",
                   input ? "filled by an op" : "filled by the host");
    return *queue;
}

std::int64_t entry_datums(const Queue& queue) {
    return ir::extent({queue.shape().z, queue.shape().rt, queue.tile.h, queue.shape().ct, queue.tile.w});
}

/// Whether a tensor of that shape, filled up to tiles, is an entry of the queue.
bool fills(const Shape& dims, const Queue& queue) {
    if (const std::int64_t datums = ir::extent(dims); datums < 0 || datums > entry_datums(queue)) return false;
    const ir::Form form = ir::form_of(dims);
    return form.z == queue.shape().z && form.full_rows() == queue.shape().rt * queue.tile.h &&
           form.full_cols() == queue.shape().ct * queue.tile.w;
}

/// A tensor as the user has it, and as it fills the queue.
struct Shapes {
    Shape outside, inside;
};

/// What the transform makes of the record's shape; without one, that where it fills the queue, else the entry's.
/// Throws for transforms that are not done, and for shapes that do not fit together.
Shapes shapes_of(const Queue& queue, const TensorTransform& transform, const Shape* recorded, bool input,
                 const std::string& place) {
    const Shape entry{queue.shape().z, queue.shape().rt * queue.tile.h, queue.shape().ct * queue.tile.w};
    Shapes shapes;
    if (transform.type == "NoTransform") {
        shapes.inside = recorded && fills(*recorded, queue) ? *recorded : entry;
        shapes.outside = shapes.inside;
        return shapes;
    }
    if (transform.type == "ReinterpretShape") {
        shapes.inside = transform.reinterpreted;
        shapes.outside = input || !recorded ? transform.original : *recorded;
    } else if (transform.type == "Unpad" && !input) {
        shapes.outside = shapes.inside = transform.unpadded;
    } else {
        fail_unsupported({place, 0, 0}, "'{}': the tensor transform {} is not done; {} are", queue.name, transform.type,
                         "NoTransform, ReinterpretShape and, of outputs, Unpad");
    }
    if (!fills(shapes.inside, queue) || ir::extent(shapes.outside) != ir::extent(shapes.inside))
        fail_input({place, 0, 0}, "'{}': {} makes [{}] of [{}]; an entry of the queue has [{}]", queue.name,
                   transform.type, fmt::join(shapes.inside, ", "), fmt::join(shapes.outside, ", "),
                   fmt::join(entry, ", "));
    return shapes;
}

ir::DType dtype_of(const Queue& queue) {
    return is_integer(queue.df) || is_raw(queue.df) ? ir::DType::I32 : ir::DType::F32;
}

/// The value in another shape, where it is another.
ir::ValueId reshaped(ir::Graph& graph, ir::ValueId value, const Shape& to) {
    if (graph.type(value).dims == to) return value;
    ir::Node node;
    node.op = "reshape";
    node.name = graph.nodes[value].name + "_reshaped";
    node.inputs = {{value, {}}};
    node.attrs["dims"] = to;
    node.type = graph.type(value);
    node.type.dims = to;
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
}

ir::ValueId add_named(ir::Graph& graph, const std::string& name, const ir::Type& type) {
    ir::Node node;
    node.name = node.origin = name;
    node.op = "input";
    node.type = type;
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
}

void add_input(ir::CompiledModel& model, const Queue& queue, const Shapes& shapes) {
    ir::HostProgram& program = model.host.program;
    const ir::DType dtype = dtype_of(queue);
    const ir::ValueId given = add_named(program.graph, queue.name, {dtype, shapes.outside, {}});
    program.to_device.push_back({queue.name, reshaped(program.graph, given, shapes.inside)});
    model.host.to_device.push_back({queue.name, queue.name, {dtype, shapes.inside, {}}, queue.df});
}

void add_output(ir::CompiledModel& model, const Queue& queue, const Shapes& shapes) {
    ir::Graph& graph = model.host.program.graph;
    const ir::Type type{dtype_of(queue), shapes.inside, {}};
    const ir::ValueId result = add_named(graph, queue.name, type);
    graph.nodes[result].attrs["device"] = std::int64_t{1};
    graph.outputs.push_back({queue.name, reshaped(graph, result, shapes.outside), {}});
    model.host.from_device.push_back({queue.name, queue.name, type, queue.df});
}

/// Of the k-th tensor of a list.
template <class T>
const T* at(const std::vector<T>& all, std::size_t k) {
    return k < all.size() ? &all[k] : nullptr;
}

/// Made-up values of all inputs that together are no more than the compiler makes; a run asks for the others.
void add_values(ir::CompiledModel& model) {
    std::int64_t left = ir::most_made;
    std::uint32_t seed = 0;
    for (const ir::Node& node : model.host.program.graph.nodes) {
        if (!node.is_input() || node.has("device")) continue;
        ++seed;
        const std::int64_t datums = ir::extent(node.type.dims);
        if (datums < 0 || datums > left) continue;
        left -= datums;
        model.inputs.emplace(node.name, ir::generated(node.type, seed));
    }
}

/// The parameter that says how often the program loops; "" when it has none.
std::string loop_parameter(const Netlist& netlist, const Program& program) {
    std::vector<std::string> names;
    for (const Instruction& step : program.instructions)
        if (step.kind == Instruction::Kind::Param)
            for (const auto& [name, unused] : step.variables) names.push_back(name);
    if (names.empty()) return "";
    const std::string usual = "$p_loop_count";
    if (std::find(names.begin(), names.end(), usual) != names.end()) return usual;
    if (names.size() > 1)
        fail_unsupported({netlist.file, 0, 0}, "program '{}' has {} parameters and none is {}", program.name,
                         names.size(), usual);
    return names.front();
}

/// The name before a merge: "model_3_run_fwd_0" was "run_fwd_0".
std::string_view without_prefixes(std::string_view name) {
    constexpr std::string_view begin = "model_", digits = "0123456789";
    while (name.starts_with(begin)) {
        const std::size_t end = name.find_first_not_of(digits, begin.size());
        if (end == std::string_view::npos || end == begin.size() || name[end] != '_') break;
        name.remove_prefix(end + 1);
    }
    return name;
}

}  // namespace

std::vector<ir::ModelProgram> forward_programs(const Netlist& netlist) {
    const std::string prefix = "run_fwd_";
    std::vector<ir::ModelProgram> all;
    for (const Program& program : netlist.programs) {
        const std::string_view own = without_prefixes(program.name);
        if (!own.starts_with(prefix)) continue;
        const std::string_view number = own.substr(prefix.size());
        std::int64_t index = static_cast<std::int64_t>(all.size());
        std::from_chars(number.data(), number.data() + number.size(), index);
        all.push_back({ir::ProgramRole::Forward, index, program.name, loop_parameter(netlist, program)});
    }
    if (all.empty() && netlist.programs.size() == 1) {
        const Program& only = netlist.programs.front();
        all.push_back({ir::ProgramRole::Forward, 0, only.name, loop_parameter(netlist, only)});
    }
    if (all.empty())
        fail_input({netlist.file, 0, 0}, "it has {} programs, and none is called run_fwd_0", netlist.programs.size());
    return all;
}

void add_host_part(ir::CompiledModel& model, const DeviceRecord& record, const std::string& place) {
    if (record.training)
        fail_unsupported({place, 0, 0}, "the image is compiled for training; images for inference are run");
    if (!model.netlist.graphs.empty()) model.host.microbatch = model.netlist.graphs.front().input_count;
    const auto add = [&](const std::string& name, const TensorTransform* transform, const Shape* shape, bool input) {
        const Queue& queue = queue_of(model, name, input, place);
        const Shapes shapes = shapes_of(queue, transform ? *transform : TensorTransform{}, shape, input, place);
        (input ? add_input : add_output)(model, queue, shapes);
    };
    for (std::size_t k = 0; k < record.inputs.size(); ++k)
        add(record.inputs[k], at(record.input_transforms, k), at(record.input_shapes, k), true);
    for (std::size_t k = 0; k < record.outputs.size(); ++k)
        add(record.outputs[k], at(record.output_transforms, k), at(record.output_shapes, k), false);
    for (std::size_t k = 0; k < record.intermediates.size(); ++k)
        add(record.intermediates[k].second, nullptr, at(record.intermediate_shapes, k), false);
    add_values(model);
}

}  // namespace tt::image
