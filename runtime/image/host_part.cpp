#include "runtime/image/host_part.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "compiler/ir/builder.hpp"
#include "compiler/model/compile.hpp"
#include "runtime/image/host_shapes.hpp"

namespace ttsim::impl::image {

namespace {

const Queue& queue_of(const ir::CompiledModel& model, const std::string& name, bool input, const std::string& place) {
    const Queue* queue = model.netlist.find_queue(name);
    if (!queue) fail_input({place, 0, 0}, "it names the queue '{}', which the netlist lacks", name);
    if (queue->host_fed() != input)
        fail_input({place, 0, 0}, "it names '{}' among the {}, but the queue is {}", name, input ? "inputs" : "outputs",
                   input ? "filled by an op" : "filled by the host");
    return *queue;
}

ir::DType dtype_of(const Queue& queue) {
    return is_integer(queue.df) || is_raw(queue.df) ? ir::DType::I32 : ir::DType::F32;
}

ir::ValueId add_named(ir::Graph& graph, const std::string& name, const ir::Type& type) {
    ir::Node node;
    node.name = node.origin = name;
    node.op = ir::op::input;
    node.type = type;
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
}

/// Gathers the value's elements in the order of `from`, with fillers between, into a tensor of that shape.
ir::ValueId gather_elements(ir::Graph& graph, ir::ValueId value, const std::vector<std::int64_t>& from,
                            const Shape& to) {
    ir::Builder b(graph);
    b.set_origin(graph.nodes[value].origin);
    if (!from.empty()) {
        const ir::DType dtype = b.type(value).dtype;
        const Shape size{static_cast<std::int64_t>(from.size())};
        ir::Literal indices(ir::DType::I64, size), is_filler(ir::DType::Bool, size), filler(dtype, size);
        bool any = false;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            indices.set(at, static_cast<double>(std::max<std::int64_t>(0, from[i])));
            is_filler.set(at, from[i] < 0 ? 1 : 0);
            filler.set(at, from[i] == HostShapes::ones ? -1 : 0);
            any = any || from[i] < 0;
        }
        value = b.add(ir::op::take, {b.reshape(value, {ir::extent(b.dims(value))}), b.constant(std::move(indices))});
        if (any) value = b.add(ir::op::where, {b.constant(std::move(is_filler)), b.constant(std::move(filler)), value});
    }
    return b.dims(value) == to ? value : b.reshape(value, to);
}

void add_input(ir::CompiledModel& model, const Queue& queue, const HostShapes& shapes) {
    ir::HostProgram& program = model.host.program;
    const ir::DType dtype = dtype_of(queue);
    const ir::ValueId given = add_named(program.graph, queue.name, {dtype, shapes.outside, {}});
    program.to_device.push_back({queue.name, gather_elements(program.graph, given, shapes.from, shapes.inside)});
    model.host.to_device.push_back({queue.name, queue.name, {dtype, shapes.inside, {}}, queue.df});
}

/// Adds an output and returns its value, for the caller to make it an output of the model.
ir::ValueId add_output(ir::CompiledModel& model, const Queue& queue, const HostShapes& shapes) {
    ir::Graph& graph = model.host.program.graph;
    const ir::Type type{dtype_of(queue), shapes.inside, {}};
    const ir::ValueId result = add_named(graph, queue.name, type);
    graph.nodes[result].set(ir::attr::device, 1);
    model.host.from_device.push_back({queue.name, queue.name, type, queue.df});
    return gather_elements(graph, result, shapes.from, shapes.outside);
}

/// The k-th element of a list, or nullptr.
template <class T>
const T* at(const std::vector<T>& all, std::size_t k) {
    return k < all.size() ? &all[k] : nullptr;
}

struct ConcatPart {
    std::string name;
    ir::ValueId value = 0;
    std::int64_t index = 0, axis = 0;
};

/// Concatenates values along an axis by gather and select.
ir::ValueId concatenate(ir::Builder& b, const std::vector<ConcatPart>& parts, std::size_t axis, const Shape& whole) {
    std::optional<ir::ValueId> all;
    std::int64_t begin = 0;
    for (const ConcatPart& part : parts) {
        const std::int64_t length = b.dims(part.value)[axis];
        Shape along(whole.size(), 1);
        along[axis] = whole[axis];
        ir::Literal place(ir::DType::I64, {whole[axis]}), is_inside(ir::DType::Bool, along);
        for (std::int64_t i = 0; i < whole[axis]; ++i) {
            place.set(i, static_cast<double>(std::clamp<std::int64_t>(i - begin, 0, length - 1)));
            is_inside.set(i, i >= begin && i < begin + length ? 1 : 0);
        }
        const ir::ValueId spread = b.add(ir::op::take, {part.value, b.constant(std::move(place))},
                                         {ir::attr::axis(static_cast<std::int64_t>(axis))});
        all = all ? b.add(ir::op::where, {b.constant(std::move(is_inside)), spread, *all}) : spread;
        begin += length;
    }
    return *all;
}

/// Concatenates the outputs of a group along an axis by their index; the first determines the name.
void add_concatenated(ir::Graph& graph, std::vector<ConcatPart> parts, const std::string& place) {
    std::sort(parts.begin(), parts.end(), [](const ConcatPart& a, const ConcatPart& b) { return a.index < b.index; });
    ir::Builder b(graph);
    Shape whole = b.dims(parts.front().value);
    const auto rank = static_cast<std::int64_t>(whole.size());
    const std::int64_t axis = parts.front().axis < 0 ? parts.front().axis + rank : parts.front().axis;
    if (axis < 0 || axis >= rank)
        fail_input({place, 0, 0}, "'{}': outputs are to be joined along axis {} of [{}]", parts.front().name,
                   parts.front().axis, fmt::join(whole, ", "));
    const auto a = static_cast<std::size_t>(axis);
    whole[a] = 0;
    for (const ConcatPart& part : parts) {
        Shape same = b.dims(part.value);
        const std::int64_t length = same.size() == whole.size() ? same[a] : 0;
        if (length > 0) same[a] = whole[a];
        if (same != whole || part.axis != parts.front().axis)
            fail_input({place, 0, 0}, "'{}' and '{}' are to be joined along axis {} and differ in others",
                       parts.front().name, part.name, axis);
        whole[a] += length;
    }
    graph.outputs.push_back({parts.front().name, concatenate(b, parts, a, whole), {}});
}

void add_outputs(ir::CompiledModel& model, const DeviceRecord& record, const std::string& place) {
    ir::Graph& graph = model.host.program.graph;
    std::map<std::int64_t, std::vector<ConcatPart>> groups;
    for (std::size_t k = 0; k < record.outputs.size(); ++k) {
        const Queue& queue = queue_of(model, record.outputs[k], false, place);
        const TensorTransform* given = at(record.output_transforms, k);
        const TensorTransform transform = given ? *given : TensorTransform{};
        const auto stack = record.host_stacks.find(queue.name);
        const HostStack* stacked = stack == record.host_stacks.end() ? nullptr : &stack->second;
        const ir::ValueId value =
            add_output(model, queue, output_shapes(queue, transform, stacked, at(record.output_shapes, k), place));
        if (transform.type == "Concatenate")
            groups[transform.group].push_back({queue.name, value, transform.index, transform.axis});
        else
            graph.outputs.push_back({queue.name, value, {}});
    }
    for (auto& [_, parts] : groups) add_concatenated(graph, std::move(parts), place);
}

/// Adds generated input values up to the compiler's limit in total; a run generates the others.
void add_values(ir::CompiledModel& model) {
    std::int64_t left = ir::max_constant_elements;
    std::uint32_t seed = 0;
    for (const ir::Node& node : model.host.program.graph.nodes) {
        if (!node.is_input() || node.has(ir::attr::device)) continue;
        ++seed;
        const std::int64_t elements = ir::extent(node.type.dims);
        if (elements < 0 || elements > left) continue;
        left -= elements;
        model.inputs.emplace(node.name, ir::random_values(node.type, seed));
    }
}

/// The parameter with the program's loop count; "" if it has none.
std::string loop_parameter(const Netlist& netlist, const Program& program) {
    std::vector<std::string> names;
    for (const Instruction& step : program.instructions)
        if (step.kind == Instruction::Kind::Param)
            for (const auto& [name, value] : step.variables) names.push_back(name);
    if (names.empty()) return "";
    const std::string default_name = "$p_loop_count";
    if (std::find(names.begin(), names.end(), default_name) != names.end()) return default_name;
    if (names.size() > 1)
        fail_unsupported({netlist.file, 0, 0}, "program '{}' has {} parameters and none is {}", program.name,
                         names.size(), default_name);
    return names.front();
}

/// The name without merge prefixes: "model_3_run_fwd_0" becomes "run_fwd_0".
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
    std::map<std::string_view, std::size_t> programs, forward;  // per merged model
    const auto model_of = [](const Program& program) {
        return std::string_view(program.name).substr(0, program.name.size() - without_prefixes(program.name).size());
    };
    for (const Program& program : netlist.programs) {
        ++programs[model_of(program)];
        if (without_prefixes(program.name).starts_with(prefix)) ++forward[model_of(program)];
    }
    std::vector<ir::ModelProgram> all;
    for (const Program& program : netlist.programs) {
        const std::string_view own = without_prefixes(program.name), model = model_of(program);
        const bool named = own.starts_with(prefix), only = programs[model] == 1;
        if (!named && !only && forward[model] == 0)
            fail_input({netlist.file, 0, 0}, "it has {} programs, and none is called {}run_fwd_0", programs[model],
                       model);
        if (!named && !only) continue;
        std::int64_t index = static_cast<std::int64_t>(all.size());
        if (named) std::from_chars(own.data() + prefix.size(), own.data() + own.size(), index);
        all.push_back({ir::ProgramRole::Forward, index, program.name, loop_parameter(netlist, program)});
    }
    if (all.empty()) fail_input({netlist.file, 0, 0}, "it has no programs");
    return all;
}

void add_host_part(ir::CompiledModel& model, const DeviceRecord& record, const std::string& place) {
    if (record.training)
        fail_unsupported({place, 0, 0}, "the image is compiled for training; images for inference are run");
    if (!model.netlist.graphs.empty()) model.host.microbatch = model.netlist.graphs.front().input_count;
    for (std::size_t k = 0; k < record.inputs.size(); ++k) {
        const Queue& queue = queue_of(model, record.inputs[k], true, place);
        const TensorTransform* transform = at(record.input_transforms, k);
        add_input(model, queue,
                  input_shapes(queue, transform ? *transform : TensorTransform{}, at(record.input_shapes, k), place));
    }
    add_outputs(model, record, place);
    for (std::size_t k = 0; k < record.intermediates.size(); ++k) {
        const Queue& queue = queue_of(model, record.intermediates[k].second, false, place);
        const ir::ValueId value =
            add_output(model, queue, output_shapes(queue, {}, nullptr, at(record.intermediate_shapes, k), place));
        model.host.program.graph.outputs.push_back({queue.name, value, {}});
    }
    add_values(model);
}

}  // namespace ttsim::impl::image
