#include "compiler/ir/derivation.hpp"

#include <algorithm>
#include <array>

#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

std::string parameter_name(const Node& node) { return node.origin.empty() ? node.name : node.origin; }

void begin_derivations(Graph& graph) {
    for (Node& node : graph.nodes)
        if (node.is_constant())
            node.derivation = std::make_shared<Derivation>(
                Derivation{.of = {parameter_name(node)}, .steps = {}, .type = node.type, .placement = {}});
}

DerivationPtr derive(const Graph& graph, const Node& node, std::size_t result) {
    auto made = std::make_shared<Derivation>();
    made->type = result == 0 ? node.type : node.more_types.at(result - 1);
    Derivation::Step step{node, {}, result};
    for (const Edge& edge : node.inputs) {
        const Node& operand = graph.nodes[edge.value];
        step.operands.push_back(operand.derivation ? nullptr : operand.literal);
        if (!operand.derivation) continue;
        if (made->of.empty()) made->steps = operand.derivation->steps;
        made->fixed = made->fixed || operand.derivation->fixed;
        made->of.insert(made->of.end(), operand.derivation->of.begin(), operand.derivation->of.end());
    }
    if (made->of.empty()) return nullptr;
    if (made->of.size() > 1)
        made->steps.clear();
    else
        made->steps.push_back(std::move(step));
    return made;
}

DerivationPtr as_fixed(const DerivationPtr& derivation) {
    if (!derivation) return nullptr;
    auto fixed = std::make_shared<Derivation>(*derivation);
    fixed->fixed = true;
    return fixed;
}

Derivation::Placement identity_placement(const Type& type, const Dims& tensor) {
    const Dims& dims = type.dims;
    const std::int64_t cols = dims.empty() ? 1 : dims.back(), rows = dims.size() < 2 ? 1 : dims[dims.size() - 2];
    return {tensor, [rows, cols](std::int64_t z, std::int64_t r, std::int64_t c) {
                return r < rows && c < cols ? (z * rows + r) * cols + c : std::int64_t{-1};
            }};
}

static Literal placed(const Derivation::Placement& placement, const Literal& value) {
    Literal out(DType::F32, placement.dims, max_read_elements);
    float* element = out.floats().data();
    for (std::int64_t z = 0; z < placement.dims[0]; ++z)
        for (std::int64_t r = 0; r < placement.dims[1]; ++r)
            for (std::int64_t c = 0; c < placement.dims[2]; ++c, ++element)
                if (const std::int64_t at = placement.from(z, r, c); at >= 0)
                    *element = static_cast<float>(value.at(at));
    return out;
}

std::vector<std::int64_t> stored_elements(const Derivation& derivation, const Dims& model) {
    Literal index(DType::I64, model);
    for (std::int64_t i = 0; i < index.size(); ++i) index.set_integer(i, i);
    for (const Derivation::Step& step : derivation.steps) {
        const std::array<const Literal*, 1> operands{&index};
        TT_CHECK(step.operands.size() == 1, "a step of '{}' has operands", derivation.of.front());
        Node move = step.node;
        move.type.dtype = DType::I64;
        index = find_op(move.op)->eval(move, operands);
    }
    TT_CHECK(derivation.placement && index.size() == count(model), "'{}' is not stored whole", derivation.of.front());
    const Dims& dims = derivation.placement->dims;
    std::vector<std::int64_t> elements;
    elements.reserve(static_cast<std::size_t>(count(dims)));
    for (std::int64_t z = 0; z < dims[0]; ++z)
        for (std::int64_t r = 0; r < dims[1]; ++r)
            for (std::int64_t c = 0; c < dims[2]; ++c) {
                const std::int64_t from = derivation.placement->from(z, r, c);
                elements.push_back(from < 0 ? -1 : index.integer(from));
            }
    return elements;
}

Literal undo_derivation(const Derivation& derivation, const Type& model, std::span<const float> stored) {
    const std::vector<std::int64_t> elements = stored_elements(derivation, model.dims);
    TT_CHECK(stored.size() == elements.size(), "'{}' is stored with other dims", derivation.of.front());
    Literal value(model.dtype, model.dims);
    for (std::size_t at = 0; at < stored.size(); ++at)
        if (elements[at] >= 0) value.set(elements[at], static_cast<double>(stored[at]));
    return value;
}

Literal apply_derivation(const Derivation& derivation, const Literal& value) {
    Literal now = value;
    for (const Derivation::Step& step : derivation.steps) {
        std::vector<const Literal*> operands;
        for (const LiteralPtr& operand : step.operands) operands.push_back(operand ? operand.get() : &now);
        now = find_op(step.node.op)->values(step.node, operands).at(step.result);
    }
    return derivation.placement ? placed(*derivation.placement, now) : now;
}

}  // namespace ttsim::impl::ir
