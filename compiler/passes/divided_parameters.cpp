#include "compiler/passes/divided_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/training.hpp"
#include "isa/tile.hpp"

namespace ttsim::impl::ir {

namespace {

std::int64_t tiles(std::int64_t elements) { return (elements + tile_edge - 1) / tile_edge; }

/// Rows of each part of a tensor, whole tiles, so that its sum is at most `sum_bytes` in all cores.
std::int64_t rows_that_fit(const Dims& dims, std::int64_t sum_bytes) {
    constexpr std::int64_t grid_rows = 8;  // divisible by most grids
    const std::int64_t width = tiles(count(dims) / dims[0]);
    const std::int64_t most = sum_bytes / (width * tile_edge * tile_edge * std::int64_t{sizeof(float)});
    if (most == 0) return tile_edge;
    return (most < grid_rows ? most : most / grid_rows * grid_rows) * tile_edge;
}

/// Rows of each of some parts, whole tiles.
std::int64_t equal_rows(std::int64_t rows, std::int64_t parts) { return (tiles(rows) + parts - 1) / parts * tile_edge; }

/// How the ops of a graph read a parameter.
struct Readers {
    bool look_ups = false, products = false, others = false;
};

bool is_look_up(const Node& node) { return node.op == op::take && node.get(attr::axis) == 0; }
bool is_matrix_transpose(const Node& node) {
    return node.op == op::transpose && node.get(attr::perm) == std::vector<std::int64_t>{1, 0};
}

/// By value.
std::vector<Readers> readers_of(const Graph& graph) {
    std::vector<Readers> found(graph.nodes.size());
    for (const Output& output : graph.outputs) found[output.value].others = true;
    for (ValueId id = graph.nodes.size(); id-- > 0;) {
        const Node& node = graph.nodes[id];
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            Readers& readers = found[node.inputs[k].value];
            const bool matrix = graph.type(node.inputs[k].value).dims.size() == 2;
            if (k == 0 && is_look_up(node))
                readers.look_ups = true;
            else if (k == 1 && node.op == op::matmul && matrix)
                readers.products = true;
            else if (is_matrix_transpose(node) && graph.nodes[node.inputs[k].value].is_parameter() &&
                     !found[id].look_ups && !found[id].others)
                readers.products = true;
            else
                readers.others = true;
        }
    }
    return found;
}

/// The last two axes swapped.
ValueId turned(Builder& build, ValueId x) {
    std::vector<std::int64_t> perm(build.dims(x).size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return build.transpose(x, perm);
}

ValueId added(Builder& build, std::optional<ValueId> sum, ValueId more) {
    return sum ? build.add(op::add, {*sum, more}) : more;
}

/// The positions of some rows, for gathers.
ValueId positions(Builder& build, const Rows& rows) {
    Literal numbers(DType::I32, {1, rows.count});
    for (std::int64_t k = 0; k < rows.count; ++k) numbers.set(k, static_cast<double>(rows.first + k));
    return build.constant(std::move(numbers));
}

/// Sum of products of columns of x with the rows of the matrix.
ValueId product_of_rows(Builder& build, ValueId x, std::span<const Rows> matrix) {
    const ValueId columns = turned(build, x);
    std::optional<ValueId> sum;
    for (const Rows& part : matrix) {
        Dims dims = build.dims(columns);
        dims[dims.size() - 2] = part.count;
        const ValueId own =
            build.reshape(build.add(op::gather_rows, {columns, positions(build, part)}), std::move(dims));
        sum = added(build, sum, build.add(op::matmul, {turned(build, own), part.value}));
    }
    return *sum;
}

/// Products of x with the transposes of the rows, side by side.
ValueId product_with_transpose(Builder& build, ValueId x, std::span<const Rows> matrix) {
    const std::int64_t all = matrix.back().first + matrix.back().count;
    std::optional<ValueId> sum;
    for (const Rows& part : matrix) {
        const ValueId columns = turned(build, build.add(op::matmul, {x, turned(build, part.value)}));
        Dims dims = build.dims(columns);
        dims.insert(dims.end() - 2, 1);
        const ValueId rows = build.reshape(columns, std::move(dims));
        sum = added(build, sum, build.add(op::scatter_rows, {rows, positions(build, part)}, {attr::rows(all)}));
    }
    return turned(build, *sum);
}

/// A look-up in a trained table: the device multiplies it by one-hot rows, which the host makes. They are exact for
/// every number of rows.
ValueId look_up(Builder& build, const Node& node, std::span<const Rows> table, ValueId ids) {
    const Attrs host{attr::host(true)};
    const auto on_host = [&](OpId op, std::vector<ValueId> of, Attrs attrs = {}) {
        attrs.insert(host.begin(), host.end());
        return build.add(op, of, std::move(attrs));
    };
    const DType type = build.type(ids).dtype;
    const std::int64_t rows = table.back().first + table.back().count, size = count(build.dims(ids));
    const ValueId below = on_host(op::less, {ids, build.integer(0, type)});
    const ValueId more = on_host(op::multiply, {on_host(op::cast, {below}, {attr::to(std::string(to_string(type)))}),
                                                build.integer(rows, type)});
    const ValueId index = on_host(op::reshape, {on_host(op::add, {ids, more})}, {attr::dims({size, 1})});
    std::optional<ValueId> sum;
    for (const Rows& part : table) {
        Literal numbers(type, {part.count});
        for (std::int64_t k = 0; k < part.count; ++k) numbers.set(k, static_cast<double>(part.first + k));
        const ValueId hit = on_host(op::equal, {index, build.constant(std::move(numbers))});
        const ValueId one_hot = on_host(op::cast, {hit}, {attr::to(std::string("f32"))});
        const Dims flat{part.count, count(build.dims(part.value)) / part.count};
        sum = added(build, sum, build.add(op::matmul, {one_hot, build.reshape(part.value, flat)}));
    }
    if (const std::int64_t padding = node.get(attr::padding_index); padding >= 0) {
        const ValueId trained = on_host(op::not_, {on_host(op::equal, {index, build.integer(padding, type)})});
        sum = build.add(op::scale_gradient, {*sum, on_host(op::cast, {trained}, {attr::to(std::string("f32"))})});
    }
    return build.reshape(*sum, node.type.dims);
}

}  // namespace

DividedParameters::DividedParameters(const Graph& graph, std::int64_t sum_bytes,
                                     const std::map<std::string, std::int64_t>& divided) {
    const std::vector<Readers> all = readers_of(graph);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        const Dims& dims = node.type.dims;
        if (!node.is_parameter() || all[id].others || dims.empty() || count(dims) == 0) continue;
        const std::int64_t rows = rows_that_fit(dims, sum_bytes);
        if (all[id].look_ups && !all[id].products && rows < dims[0])  // costs nothing, so before it is needed
            rows_[node.name] = rows;
        else if (const auto parts = divided.find(parameter_name(node)); parts != divided.end())
            rows_[node.name] = equal_rows(dims[0], parts->second);
    }
}

std::optional<ValueId> DividedParameters::replace(Builder& build, const Node& node, std::span<const ValueId> in) {
    if (const auto rows = rows_.find(node.name); rows != rows_.end()) return divide(build, node, rows->second);
    if (is_look_up(node)) {
        if (const auto parts = parts_.find(in[0]); parts != parts_.end())
            return look_up(build, node, parts->second, in[1]);
        if (!build.graph().nodes[in[0]].is_parameter()) return std::nullopt;
        return look_up(build, node, Parts{{in[0], 0, build.dims(in[0])[0]}}, in[1]);
    }
    if (node.op == op::matmul) return product(build, in[0], in[1]);
    if (is_matrix_transpose(node) && parts_.contains(in[0]))
        return transposed_.emplace(turned(build, in[0]), in[0]).first->first;
    return std::nullopt;
}

std::optional<ValueId> DividedParameters::product(Builder& build, ValueId x, ValueId matrix) {
    if (const auto parts = parts_.find(matrix); parts != parts_.end()) return product_of_rows(build, x, parts->second);
    if (const auto first = transposed_.find(matrix); first != transposed_.end())
        return product_with_transpose(build, x, parts_.at(first->second));
    return std::nullopt;
}

/// The parts of a tensor as parameters of their own. Returns the first.
ValueId DividedParameters::divide(Builder& build, const Node& whole, std::int64_t rows) {
    const std::vector<float> values = whole.initial->copied_floats();
    const std::int64_t all = whole.type.dims[0], width = count(whole.type.dims) / all;
    Parts parts;
    for (std::int64_t first = 0; first < all; first += rows) {
        Type type = whole.type;
        type.dims[0] = std::min(rows, all - first);
        const auto begin = values.begin() + first * width;
        const std::string name = fmt::format("{}.rows_{}", parameter_name(whole), first);
        const ValueId id = build.input(name, type);
        Node& part = build.graph().nodes[id];
        part.origin = name;
        part.set(attr::rows_of, parameter_name(whole));
        part.set(attr::first_row, first);
        part.set(attr::row_count, type.dims[0]);
        part.initial =
            std::make_shared<Literal>(Literal::of_floats(type.dtype, type.dims, {begin, begin + type.dims[0] * width}));
        part.derivation =
            std::make_shared<Derivation>(Derivation{.of = {name}, .steps = {}, .type = type, .placement = {}});
        parts.push_back({id, first, type.dims[0]});
    }
    return parts_.emplace(parts.front().value, std::move(parts)).first->first;
}

}  // namespace ttsim::impl::ir
