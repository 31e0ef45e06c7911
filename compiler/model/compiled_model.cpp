#include "compiler/model/compiled_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error_codes.hpp"
#include "base/text.hpp"
#include "compiler/host/host_rounding.hpp"

namespace ttsim::impl::ir {

bool is_trained(const CompiledModel& model) {
    return std::any_of(model.programs.begin(), model.programs.end(),
                       [](const ModelProgram& program) { return program.role == ProgramRole::Backward; });
}

const ModelProgram& CompiledModel::forward() const {
    for (const ModelProgram& program : programs)
        if (program.role == ProgramRole::Forward) return program;
    fail_input({netlist.file, 0, 0}, "the compiled model has no program that runs it forward");
}

namespace {

bool equal(const QueueConstant& a, const QueueConstant& b) {
    const auto same = [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    };
    if (a.queue != b.queue || a.bits != b.bits) return false;
    const std::shared_ptr<const Tensor> x = a.entry.tensor(), y = b.entry.tensor();
    return x->z == y->z && x->rows == y->rows && x->cols == y->cols &&
           std::equal(x->data.begin(), x->data.end(), y->data.begin(), y->data.end(), same);
}

/// Files hold 16-bit floats as float32, so element types may differ.
bool equal(const Literal& a, const Literal& b) {
    if (a.dims() != b.dims()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (a.at(i) != b.at(i) && !(std::isnan(a.at(i)) && std::isnan(b.at(i)))) return false;
    return true;
}

bool equal(const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && equal(x.second, y.second); });
}

}  // namespace

const ModelParameter& find_parameter(const CompiledModel& model, const std::string& name) {
    std::vector<std::string> names;
    for (const ModelParameter& parameter : model.parameters) {
        if (parameter.name == name) return parameter;
        names.push_back(parameter.name);
    }
    fail_input_as(error_code::unknown_name, {model.netlist.file, 0, 0},
                  "the model has no parameter '{}' that can be replaced{}", name, did_you_mean(name, names));
}

/// The value as the host pushes it, padded to the entry, which may have more columns.
static Tensor entry_for(const Literal& value, const QueueConstant& constant, DataFormat df, const Multipliers& by) {
    const Tensor narrow = to_entry(value, df, by);
    Tensor entry(narrow.z, narrow.rows, constant.entry.cols());
    for (std::int64_t z = 0; z < narrow.z; ++z)
        for (std::int64_t r = 0; r < narrow.rows; ++r)
            std::copy_n(narrow.slice(z).row(r), narrow.cols, entry.slice(z).row(r));
    return entry;
}

/// The derived values. Throws Error(Input) if the compiled ops do not support them.
static Literal checked(const std::string& name, const Derivation& derivation, const Literal& value) {
    Literal made = apply_derivation(derivation, value);
    if (std::isinf(derivation.largest)) return made;
    for (const float element : made.floats())
        if (!(std::fabs(element) <= derivation.largest))
            fail(Fault::Input, {{}, error_code::needs_recompilation, {name}},
                 "parameter '{}': {:g} is beyond {:g}, for which the model must be compiled anew", name, element,
                 derivation.largest);
    return made;
}

const std::vector<ModelParameter::Use>& replace(CompiledModel& model, const std::string& name, const Literal& value) {
    const ModelParameter& known = find_parameter(model, name);
    ModelParameter& parameter = model.parameters[static_cast<std::size_t>(&known - model.parameters.data())];
    if (value.dims() != parameter.type.dims || value.dtype() != parameter.type.dtype)
        fail_input({model.netlist.file, 0, 0}, "parameter '{}' is {}, not {}", name, to_string(parameter.type),
                   to_string(Type{value.dtype(), value.dims(), {}}));
    std::vector<Literal> all;
    for (const ModelParameter::Use& use : parameter.uses) all.push_back(checked(name, *use.from, value));
    std::map<std::string, Multipliers> multipliers = multipliers_by_queue(model.netlist);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const ModelParameter::Use& use = parameter.uses[n];
        const Literal& made = all[n];
        for (QueueConstant& constant : model.constants)
            if (constant.queue == use.queue)
                constant.entry =
                    entry_for(made, constant, model.netlist.find_queue(use.queue)->df, multipliers[use.queue]);
        for (Node& node : model.host.program.graph.nodes)
            if (use.queue.empty() && node.name == use.host) node.literal = std::make_shared<Literal>(made);
    }
    parameter.value = std::make_shared<Literal>(value);
    return parameter.uses;
}

bool equal(const CompiledModel& a, const CompiledModel& b) {
    const auto constants = [](const QueueConstant& x, const QueueConstant& y) { return equal(x, y); };
    return equal(a.host, b.host) && equal(a.netlist, b.netlist) && a.programs == b.programs &&
           std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(), constants) &&
           equal(a.inputs, b.inputs) && a.reference.has_value() == b.reference.has_value() &&
           (!a.reference || equal(*a.reference, *b.reference)) && a.command == b.command;
}

}  // namespace ttsim::impl::ir
