// train-parameters: makes trained constants parameters, whose values the optimizer replaces. They are inputs that stay
// on the device, so no later pass folds them.
//
//   %w = constant [...]                  ->  %w = input, with that initial value
//   %y = take %w, %ids {axis = 0}        ->  %h = one hot rows of %ids, on the host
//                                            %y = matmul %h, %w
//
// Summed gradients are held in L1 while an epoch adds to them. A table whose sum would not fit becomes several
// parameters, each of some rows, whose products are added:
//
//                                            %y = add (matmul %h0, %w.rows_0), (matmul %h1, %w.rows_5120)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ir/training.hpp"
#include "isa/tile.hpp"

namespace ttsim::impl::ir {

namespace {

/// Per node: whether an op reads it that takes constants only, such as the positions of a gather as a matrix.
std::vector<bool> fixed_operands(const Graph& graph) {
    std::vector<bool> fixed(graph.nodes.size(), false);
    for (const Node& node : graph.nodes)
        if (node.op == op::map_axis) fixed[node.inputs[1].value] = true;
    return fixed;
}

/// Whether a constant is trained if the request names none.
bool is_trained_by_default(const Node& node) { return !node.type.dims.empty() && count(node.type.dims) > 0; }

void make_parameters(Graph& graph, const TrainingRequest& request) {
    const bool others = !request.frozen.contains("*");
    std::set<std::string> missing = request.parameters;
    missing.insert(request.frozen.begin(), request.frozen.end());
    missing.erase("*");
    std::vector<std::string> names;
    const std::vector<bool> fixed = fixed_operands(graph);
    for (ValueId id = 0; id < graph.nodes.size(); ++id) {
        Node& node = graph.nodes[id];
        if (!node.is_constant() || fixed[id] || !is_float(node.type.dtype)) continue;
        const std::string name = parameter_name(node);
        names.push_back(name);
        missing.erase(name);
        const bool wanted =
            request.parameters.empty() ? others && is_trained_by_default(node) : request.parameters.contains(name);
        if (!wanted || request.frozen.contains(name)) continue;
        node.op = op::input;
        node.origin = name;
        node.initial = std::move(node.literal);
        node.literal = nullptr;
    }
    if (!missing.empty())
        fail_input({}, "the model has no constant of floats called '{}'{}", *missing.begin(),
                   did_you_mean(*missing.begin(), names));
}

/// Some rows of a table.
struct Rows {
    ValueId value = 0;
    std::int64_t first = 0, count = 0;
};

/// Rows of each part of a table, whole tiles; 0: its summed gradient fits. `sum_bytes`: L1 of all cores for it.
std::int64_t rows_of_part(const Dims& table, std::int64_t sum_bytes) {
    const std::int64_t width = (count(table) / table[0] + tile_edge - 1) / tile_edge;
    const std::int64_t most = sum_bytes / (width * tile_edge * tile_edge * std::int64_t{sizeof(float)});
    if (most == 0 || table[0] <= most * tile_edge) return 0;
    constexpr std::int64_t grid_rows = 8;  // divisible by most grids
    return (most < grid_rows ? most : most / grid_rows * grid_rows) * tile_edge;
}

/// Look-ups in trained tables, for a rewrite of the graph.
class LookUps {
public:
    LookUps(const Graph& graph, const PassOptions& options) {
        const OptimizerKind kind = options.training->optimizer.kind;
        if (kind == OptimizerKind::Lamb || kind == OptimizerKind::Lars) return;  // their ratios are of whole tensors
        std::set<ValueId> read_otherwise;
        for (const Node& node : graph.nodes)
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (k > 0 || !is_look_up(graph, node)) read_otherwise.insert(node.inputs[k].value);
        for (const Output& output : graph.outputs) read_otherwise.insert(output.value);
        for (ValueId id = 0; id < graph.nodes.size(); ++id) {
            const Node& node = graph.nodes[id];
            if (!node.is_parameter() || read_otherwise.contains(id) || count(node.type.dims) == 0) continue;
            if (const std::int64_t rows = rows_of_part(node.type.dims, options.sum_bytes)) divided_[node.name] = rows;
        }
    }

    std::optional<ValueId> replace(Builder& build, const Node& node, std::span<const ValueId> in) {
        if (const auto rows = divided_.find(node.name); rows != divided_.end())
            return divide(build, node, rows->second);
        if (node.op != op::take || node.get(attr::axis) != 0) return std::nullopt;
        const auto parts = parts_.find(in[0]);
        if (parts != parts_.end()) return look_up(build, node, parts->second, in[1]);
        if (!build.graph().nodes[in[0]].is_parameter()) return std::nullopt;
        const std::vector<Rows> whole{{in[0], 0, build.dims(in[0])[0]}};
        return look_up(build, node, whole, in[1]);
    }

private:
    static bool is_look_up(const Graph& graph, const Node& node) {
        return node.op == op::take && node.get(attr::axis) == 0 && graph.nodes[node.inputs[0].value].is_parameter();
    }

    /// The parts of a table as parameters of their own. Returns the first.
    ValueId divide(Builder& build, const Node& table, std::int64_t rows) {
        const std::vector<float> values = table.initial->copied_floats();
        const std::int64_t all = table.type.dims[0], width = count(table.type.dims) / all;
        std::vector<Rows> parts;
        for (std::int64_t first = 0; first < all; first += rows) {
            Type type = table.type;
            type.dims[0] = std::min(rows, all - first);
            const auto begin = values.begin() + first * width;
            const std::string name = fmt::format("{}.rows_{}", parameter_name(table), first);
            const ValueId id = build.input(name, type);
            Node& part = build.graph().nodes[id];
            part.origin = name;
            part.set(attr::rows_of, parameter_name(table));
            part.set(attr::first_row, first);
            part.set(attr::row_count, type.dims[0]);
            part.initial = std::make_shared<Literal>(
                Literal::of_floats(type.dtype, type.dims, {begin, begin + type.dims[0] * width}));
            part.derivation =
                std::make_shared<Derivation>(Derivation{.of = {name}, .steps = {}, .type = type, .placement = {}});
            parts.push_back({id, first, type.dims[0]});
        }
        return parts_.emplace(parts.front().value, std::move(parts)).first->first;
    }

    /// The table of a `take` is a parameter, so the device multiplies it by one-hot rows, which the host makes: they
    /// are exact for every number of rows.
    static ValueId look_up(Builder& build, const Node& node, std::span<const Rows> table, ValueId ids) {
        const Attrs host{attr::host(true)};
        const auto on_host = [&](OpId op, std::vector<ValueId> of, Attrs attrs = {}) {
            attrs.insert(host.begin(), host.end());
            return build.add(op, of, std::move(attrs));
        };
        const DType type = build.type(ids).dtype;
        const std::int64_t rows = table.back().first + table.back().count, size = count(build.dims(ids));
        const ValueId below = on_host(op::less, {ids, build.integer(0, type)});
        const ValueId added =
            on_host(op::multiply,
                    {on_host(op::cast, {below}, {attr::to(std::string(to_string(type)))}), build.integer(rows, type)});
        const ValueId index = on_host(op::reshape, {on_host(op::add, {ids, added})}, {attr::dims({size, 1})});
        std::optional<ValueId> sum;
        for (const Rows& part : table) {
            Literal numbers(type, {part.count});
            for (std::int64_t k = 0; k < part.count; ++k) numbers.set(k, static_cast<double>(part.first + k));
            const ValueId hit = on_host(op::equal, {index, build.constant(std::move(numbers))});
            const ValueId one_hot = on_host(op::cast, {hit}, {attr::to(std::string("f32"))});
            const Dims flat{part.count, count(build.dims(part.value)) / part.count};
            const ValueId product = build.add(op::matmul, {one_hot, build.reshape(part.value, flat)});
            sum = sum ? build.add(op::add, {*sum, product}) : product;
        }
        return build.reshape(*sum, node.type.dims);
    }

    std::map<std::string, std::int64_t> divided_;  // rows of a part, by table
    std::map<ValueId, std::vector<Rows>> parts_;   // by the first one
};

void run_train_parameters(Graph& graph, const PassOptions& options) {
    if (!options.training) return;
    make_parameters(graph, *options.training);
    LookUps look_ups(graph, options);
    rewrite(graph, [&](Builder& build, const Node& node, std::span<const ValueId> in) {
        return look_ups.replace(build, node, in);
    });
}

}  // namespace

extern const Pass train_parameters;
const Pass train_parameters{.name = "train-parameters",
                            .summary = "constants that are trained become parameters on the device",
                            .run = run_train_parameters};

}  // namespace ttsim::impl::ir
