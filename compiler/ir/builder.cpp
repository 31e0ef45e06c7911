#include "compiler/ir/builder.hpp"

#include <algorithm>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/derived_constants.hpp"
#include "compiler/ir/integers.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "compiler/ir/netlist_name.hpp"

namespace ttsim::impl::ir {

std::string Builder::unique_name(const std::string& stem) {
    std::string clean = netlist_name(stem);
    if (clean.empty() || (clean[0] >= '0' && clean[0] <= '9')) clean = "v" + clean;
    return uniquify(clean);
}

std::string Builder::uniquify(const std::string& clean) {
    for (; named_nodes_ < graph_.nodes.size(); ++named_nodes_) names_.emplace(graph_.nodes[named_nodes_].name, 0);
    if (names_.emplace(clean, 0).second) return clean;
    int& next = names_[clean];
    for (;;) {
        std::string name = fmt::format("{}_{}", clean, ++next);
        if (names_.emplace(name, 0).second) return name;
    }
}

Builder::Builder(Graph& graph, const Graph& source) : graph_(graph) {
    for (const Node& node : source.nodes)
        if (node.literal) model_elements_ += node.literal->size();
}

ValueId Builder::push(Node node) {
    if (node.origin.empty()) node.origin = origin_;
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
}

std::vector<Literal> Builder::folded(const Node& node, const OpInfo& info) {
    if (!folds_ || (!info.has_value() && !host_values_) || node.inputs.empty() || node.type.format) return {};
    std::vector<const Literal*> in;
    std::int64_t input_elements = 0;
    for (const Edge& edge : node.inputs) {
        in.push_back(literal(edge.value));
        if (!in.back()) return {};
        input_elements += in.back()->size();
    }
    if (count(node.type.dims) > std::max(max_constant_elements, input_elements)) return {};
    constexpr std::int64_t most = std::int64_t{1} << 31;  // multiplications per model: a few seconds
    if (!info.has_value()) return host_values_(node, in);
    if (info.work && info.work(node, in) > most - folding_steps_) return {};
    if (info.work) folding_steps_ += info.work(node, in);
    if (info.eval_all) return info.eval_all(node, in);
    std::string how = node.op.text() + " " + to_string(node.type);
    for (const auto& [key, value] : node.attrs) how += fmt::format(" {}={}", key, to_string(value));
    return {cached(
        how, in, [&] { return info.eval(node, in); }, count(node.type.dims))};
}

Literal Builder::cached(const std::string& how, std::span<const Literal* const> of,
                        const std::function<Literal()>& make, std::int64_t elements) const {
    return graph_.derived_constants ? graph_.derived_constants->get(how, of, make, elements) : make();
}

ValueId Builder::add_edges(OpId op, std::vector<Edge> inputs, Attrs attrs, std::optional<DataFormat> format) {
    Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.attrs = std::move(attrs);
    node.type.format = format;
    node.loc = loc_;
    node.phase = phase_;
    const std::string stem(op.base_name());
    node.name = origin_.empty() ? stem : origin_ + "_" + stem;
    node.kind = kind_;
    infer_types(graph_, node);
    if (std::vector<Literal> known = folded(node, *find_op(op)); !known.empty()) {
        std::vector<ValueId> ids;
        for (Literal& value : known) {
            ids.push_back(constant(std::move(value)));
            graph_.nodes[ids.back()].derivation = derive(graph_, node, ids.size() - 1);
        }
        if (ids.size() > 1) set_results(ids.front(), {ids.begin() + 1, ids.end()});
        return ids.front();
    }
    node.name = unique_name(node.name);
    return push(std::move(node));
}

/// A splat constant is replaced by a scalar if another operand has its dims: a scalar takes less memory.
void Builder::narrow_splats(std::vector<Edge>& operands) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const ValueId id = operands[k].value;
        const Literal* filled = literal(id);
        if (!filled || !filled->is_filled() || filled->size() == 0) continue;
        const bool covered = std::any_of(operands.begin(), operands.end(), [&](const Edge& other) {
            const Dims &wide = dims(other.value), &own = filled->dims();
            if (other.value == id || wide.size() < own.size()) return false;
            const auto from = wide.end() - std::ssize(own);
            return std::equal(own.begin(), own.end(), from, [](auto a, auto b) { return a == b || a == 1; });
        });
        if (!covered) continue;
        Literal one(filled->dtype(), {});
        one.copy(0, *filled, 0);
        operands[k].value = constant(std::move(one));
    }
}

ValueId Builder::add(OpId op, const std::vector<ValueId>& inputs, Attrs attrs) {
    std::vector<Edge> edges;
    for (const ValueId id : inputs) edges.push_back({id, {}});
    if (const OpInfo* info = find_op(op); info && info->elementwise) narrow_splats(edges);
    return add_edges(op, std::move(edges), std::move(attrs));
}

ValueId Builder::result(ValueId node, std::int64_t index) {
    const auto replaced = results_.find(node);
    if (replaced == results_.end()) {
        Node made;
        made.op = op::result;
        made.inputs = {{node, {}}};
        made.attrs = {attr::index(index)};
        made.loc = loc_;
        made.kind = kind_;
        made.phase = graph_.nodes[node].phase;
        made.name = uniquify(fmt::format("{}_{}", graph_.nodes[node].name, index));
        infer_types(graph_, made);
        return push(std::move(made));
    }
    return replaced->second.at(static_cast<std::size_t>(index - 1));
}

ValueId Builder::input(const std::string& name, Type type) {
    Node node;
    node.op = op::input;
    node.name = unique_name(name);
    node.type = std::move(type);
    node.origin = name;
    node.phase = phase_;
    return push(std::move(node));
}

ValueId Builder::constant(Literal literal) {
    // A small model can ask for many large constants. The limit on derived constants grows with the model's own.
    derived_elements_ += literal.stored_elements();
    elements_by_origin_[origin_] += literal.stored_elements();
    if (derived_elements_ > 4 * max_constant_elements + 16 * model_elements_) fail_too_many_constants();
    return add_constant_node(std::move(literal));
}

/// Refuses the op with the most derived elements, not the last op that added a constant.
void Builder::fail_too_many_constants() const {
    const auto most = std::max_element(elements_by_origin_.begin(), elements_by_origin_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    throw LegalizationError(
        Error(Fault::Unsupported, loc_,
              fmt::format("the constants derived from the model have more than {} elements, {} of them for '{}'; "
                          "smaller inputs need less",
                          derived_elements_, most->second, most->first)),
        {most->first});
}

ValueId Builder::model_constant(Literal literal) {
    model_elements_ += literal.size();
    return add_constant_node(std::move(literal));
}

ValueId Builder::add_constant_node(Literal literal) {
    Node node;
    node.op = op::constant;
    node.name = unique_name(origin_.empty() ? "constant" : origin_ + "_constant");
    node.type = {literal.dtype(), literal.dims(), {}};
    node.literal = std::make_shared<Literal>(std::move(literal));
    return push(std::move(node));
}

ValueId Builder::device_constant(Literal literal, DataFormat format) {
    Dims tiles = literal.dims();
    TT_CHECK(tiles.size() == 3 && tiles[1] % tile_edge == 0 && tiles[2] % tile_edge == 0,
             "a device constant must have whole tiles");
    tiles[1] /= tile_edge;
    tiles[2] /= tile_edge;
    const ValueId id = constant(std::move(literal));
    graph_.nodes[id].type = {DType::F32, tiles, format};
    return id;
}

ValueId Builder::copy(const Node& node, std::vector<Edge> inputs) {
    if (node.is_result() && results_.count(inputs.at(0).value) != 0)
        return result(inputs[0].value, node.get(attr::index));
    if (node.literal) model_elements_ += node.literal->size();
    Node out = node;
    out.inputs = std::move(inputs);
    out.name = uniquify(dotted_name(node.name));
    return push(std::move(out));
}

ValueId Builder::reshape(ValueId x, Dims dims) {
    if (dims == this->dims(x)) return x;
    return add(op::reshape, {x}, {attr::dims(std::move(dims))});
}

ValueId Builder::transpose(ValueId x, std::vector<std::int64_t> perm) {
    bool same = perm.size() == dims(x).size();
    for (std::size_t k = 0; same && k < perm.size(); ++k) same = perm[k] == static_cast<std::int64_t>(k);
    if (same) return x;
    return add(op::transpose, {x}, {attr::perm(std::move(perm))});
}

ValueId Builder::map_axis(ValueId x, std::int64_t axis, Literal matrix) {
    if (is_identity(matrix)) return x;
    return add(op::map_axis, {x, constant(std::move(matrix))}, {attr::axis(axis)});
}

ValueId Builder::reduce_sum(ValueId x, std::int64_t axis) {
    const std::int64_t n = dims(x)[static_cast<std::size_t>(axis)];
    if (n == 1) return x;
    Literal ones(DType::F32, {1, n});
    std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
    return map_axis(x, axis, std::move(ones));
}

ValueId Builder::integer(std::int64_t value, DType dtype) {
    Literal literal(dtype, {});
    literal.set_integer(0, value);
    return constant(std::move(literal));
}

ValueId Builder::mean_of(ValueId x, std::int64_t count) {
    const DType type = this->type(x).dtype;
    if (is_float(type)) return add(op::multiply, {x, scalar(1.0 / static_cast<double>(count), type)});
    const DType wide = type == DType::U64 ? DType::U64 : DType::I64;
    const bool fits = integers::less(count, most_of(type), type == DType::U64 ? type : DType::I64);
    if (count == 0) return add(op::divide, {x, integer(0, type)});
    if (fits) return add(op::divide, {x, integer(count, type)});
    return cast(add(op::divide, {cast(x, wide), integer(count, wide)}), type);
}

ValueId Builder::reversed(ValueId x) {
    const DType type = this->type(x).dtype;
    if (is_float(type)) return add(op::neg, {x});
    return add(op::subtract, {integer(least_of(type) + most_of(type), type), x});
}

ValueId Builder::broadcast_to(ValueId x, Dims to) {
    const Dims from = dims(x);
    Dims padded(to.size() - from.size(), 1);
    padded.insert(padded.end(), from.begin(), from.end());
    x = reshape(x, padded);
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (dims(x)[i] == to[i]) continue;
        Literal ones(DType::F32, {to[i], 1});
        std::fill(ones.floats().begin(), ones.floats().end(), 1.0F);
        x = map_axis(x, static_cast<std::int64_t>(i), std::move(ones));
    }
    return x;
}

ValueId Builder::cast(ValueId x, DType to) {
    return type(x).dtype == to ? x : add(op::cast, {x}, {attr::to(std::string(to_string(to)))});
}

Literal zero_matrix(std::int64_t rows, std::int64_t cols, const SourceLoc& loc, const std::string& who) {
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (count({rows, cols}) > most)
        fail_unsupported(loc, "{}it needs a dense matrix of {} x {} elements; at most {} are allowed",
                         who.empty() ? "" : who + ": ", rows, cols, most);
    return Literal(DType::F32, {rows, cols});
}

Literal identity(std::int64_t n) {
    Literal matrix = zero_matrix(n, n);
    for (std::int64_t i = 0; i < n; ++i) matrix.set(i * n + i, 1);
    return matrix;
}

bool is_identity(const Literal& matrix) {
    if (matrix.dims().size() != 2 || matrix.dims()[0] != matrix.dims()[1]) return false;
    const std::int64_t n = matrix.dims()[0];
    for (std::int64_t i = 0; i < n * n; ++i)
        if (matrix.at(i) != (i % (n + 1) == 0 ? 1 : 0)) return false;
    return true;
}

bool keeps_order(const Dims& dims, const std::vector<std::int64_t>& perm) {
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (dims[static_cast<std::size_t>(axis)] == 1) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

}  // namespace ttsim::impl::ir
