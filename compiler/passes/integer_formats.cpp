// Lowers ops to the integer ops of the chip:
//
//   add, maximum, nop, splice     Int8 or Int32, the same for all operands
//   subtract, multiply, products  Int8; the bias of a product is Int32
//   maxima (reduce)               one format throughout
//
// They accumulate in Int32 and multiply with all phases (HiFi4). A result has the format of its rule, if any. Without a
// rule a product is Int32; other results are Int32 unless an op that needs Int8 reads them. Int8 saturates at +-127.
//
//   %y = buda.exp %whole      ->   %f = buda.dequantization %whole, %one : Float32     and exp of that
//   %y = buda.nop %x : Int8   ->   %w = buda.nop %x : Float32; %y = buda.quantization %w, %one : Int8
//
// A relu that the packer of integers does not support runs on a float nop after the op.
//
// An op with only integer operands and no such form is moved to the host, which computes it exactly.
#include "compiler/passes/integer_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "compiler/ir/builder.hpp"
#include "compiler/ir/legalization_error.hpp"
#include "isa/fidelity.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr double most_int8 = 127;
constexpr double most_int32 = 2147483647;

bool is_quantization(const Node& node) { return node.op.is_any_of({op::buda::quantization, op::buda::dequantization}); }
bool is_integer_type(const Type& type) { return type.format && is_integer(*type.format); }
bool is_product(const Node& node) {
    return node.op.is_any_of({op::buda::matmul, op::buda::depthwise, op::buda::sparse});
}

/// Whether operand k must be Int8.
bool needs_int8(const Node& node, std::size_t k) {
    const auto transposes = [](const Tm& tm) { return tm.kind == Tm::Kind::Transpose; };
    const std::vector<Tm>& tms = node.inputs[k].tms;
    return (is_product(node) && k < 2) || node.op.is_any_of({op::buda::subtract, op::buda::multiply}) ||
           std::any_of(tms.begin(), tms.end(), transposes);
}

/// The largest magnitude if all elements are integers.
std::optional<double> largest_integer(const Literal& literal) {
    double most = 0;
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double value = literal.at(i);
        if (value != std::floor(value)) return std::nullopt;
        most = std::max(most, std::fabs(value));
    }
    return most;
}

/// Whether each row (or column) of a matrix {z, rows, columns} has at most one element, of magnitude 1, so that a
/// product only moves elements.
bool moves_elements(const Literal& matrix, bool by_row) {
    const std::int64_t rows = matrix.dims()[1], cols = matrix.dims()[2], lines = by_row ? rows : cols;
    std::vector<int> found(static_cast<std::size_t>(matrix.dims()[0] * lines), 0);
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
        const double value = std::fabs(matrix.at(i));
        if (value == 0) continue;
        const std::int64_t z = i / (rows * cols), line = by_row ? i / cols % rows : i % cols;
        if (value != 1 || ++found[static_cast<std::size_t>(z * lines + line)] > 1) return false;
    }
    return true;
}

class IntegerFormats {
public:
    explicit IntegerFormats(Graph& graph) : graph_(graph), read_as_int8_(graph.nodes.size(), false) {
        for (const Node& node : graph.nodes)
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (needs_int8(node, k)) read_as_int8_[node.inputs[k].value] = true;
    }

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build_.set_origin(node.origin);
            build_.set_phase(node.phase);
            build_.set_kind(node.kind);
            build_.set_loc(node.loc);
            moved_.push_back(lowered(node, id));
        }
        problems_.throw_if_any();
        if (!rejected_.empty()) throw LegalizationError(rejected_);
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        result_.erase_unused();
        restore_constant_names();
        graph_ = std::move(result_);
    }

private:
    ValueId lowered(const Node& node, ValueId id) {
        std::vector<Edge> inputs = node.inputs;
        for (Edge& edge : inputs) edge.value = moved_[edge.value];
        if (!node.op.on_device()) return build_.copy(node, std::move(inputs));
        if (is_quantization(node)) {
            if (node.op == op::buda::quantization) inputs[0].value = as_float(inputs[0].value);
            return build_.copy(node, std::move(inputs));
        }
        const bool ruled = is_integer_type(node.type), all = all_integers(inputs);
        if (ruled || (all && !node.has(attr::float_result))) {
            if (is_supported(node, inputs)) return integer_op(node, id, std::move(inputs));
            if (!ruled && node.has(attr::relu) && is_supported(without_relu(node), inputs))
                return with_float_relu(node, id, std::move(inputs));
            if (ruled && node.op.is_any_of({op::buda::nop})) return quantized(node, inputs[0]);
            if (all && has_integers(node) && !node.origin.empty()) {
                reject(node);
                return build_.copy(floats(node), as_floats(std::move(inputs)));
            }
            if (ruled)
                problems_.error(node.loc,
                                "'{}' is {} by a rule, but {} does not compute with integers here; use a float "
                                "output_df, or exclude the op from the rule",
                                node.name, to_string(*node.type.format), node.op.base_name());
        }
        return build_.copy(floats(node), as_floats(std::move(inputs)));
    }

    const Node& result_node(ValueId id) const { return result_.nodes[id]; }
    bool is_table(ValueId id) const { return !result_node(id).type.format; }

    /// Whether all computed operands and inputs are integers and all constants hold integers.
    bool all_integers(const std::vector<Edge>& inputs) const {
        bool any = false;
        for (const Edge& edge : inputs) {
            const Node& from = result_node(edge.value);
            if (is_table(edge.value) || from.is_constant()) {
                any = any || is_integer_type(from.type);
                if (from.is_constant() && !largest_integer(*from.literal)) return false;
                continue;
            }
            if (!is_integer_type(from.type)) return false;
            any = true;
        }
        return any;
    }

    /// The format that operand k must have.
    DataFormat operand_format(const Node& node, const std::vector<Edge>& inputs, std::size_t k) const {
        if (is_product(node)) return k < 2 ? DataFormat::Int8 : DataFormat::Int32;
        if (node.op.is_any_of({op::buda::subtract, op::buda::multiply})) return DataFormat::Int8;
        for (const Edge& edge : inputs)
            if (own_format(edge.value) == DataFormat::Int32) return DataFormat::Int32;
        return DataFormat::Int8;
    }

    /// The integer format of a value; for a float the one it is converted to.
    DataFormat own_format(ValueId id) const {
        const Node& from = result_node(id);
        if (is_integer_type(from.type)) return *from.type.format;
        if (!from.is_constant()) return DataFormat::Int8;
        return largest_integer(*from.literal).value_or(0) <= most_int8 ? DataFormat::Int8 : DataFormat::Int32;
    }

    /// Whether the chip has the op for some integer formats.
    static bool has_integers(const Node& node) {
        return is_product(node) ||
               node.op.is_any_of({op::buda::nop, op::buda::add, op::buda::subtract, op::buda::multiply,
                                  op::buda::maximum, op::buda::splice, op::buda::reduce});
    }
    /// Whether the chip has the op for these operands, without loss.
    bool is_supported(const Node& node, const std::vector<Edge>& inputs) const {
        if (!has_integers(node) ||
            (node.op.is_any_of({op::buda::nop}) && !is_integer_type(result_node(inputs[0].value).type)))
            return false;
        if (node.has(attr::relu) && !is_supported_relu(node)) return false;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            if (is_table(inputs[k].value)) continue;
            const bool bytes = needs_int8(node, k) || operand_format(node, inputs, k) == DataFormat::Int8;
            if (bytes && own_format(inputs[k].value) == DataFormat::Int32) return false;
            if (needs_int8(node, k) && operand_format(node, inputs, k) == DataFormat::Int32) return false;
        }
        return true;
    }

    /// Whether the packer supports this relu for integers.
    static bool is_supported_relu(const Node& node) {
        const double threshold = node.get(attr::threshold);
        if (node.get(attr::relu) == "min" && threshold == 0) return true;
        return node.type.format == DataFormat::Int8 && std::fabs(threshold) < most_int8 &&
               threshold == std::floor(threshold);
    }

    ValueId integer_op(const Node& node, ValueId id, std::vector<Edge> inputs) {
        Node computed = node;
        std::vector<DataFormat> formats;
        for (std::size_t k = 0; k < inputs.size(); ++k) formats.push_back(operand_format(node, inputs, k));
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (!is_table(inputs[k].value)) inputs[k].value = converted(inputs[k].value, formats[k]);
        if (!is_integer_type(node.type)) computed.type.format = result_format(node, id, inputs);
        if (node.op == op::buda::reduce) computed.type.format = result_node(inputs[0].value).type.format;
        computed.erase(attr::float_result);
        const std::string int32(to_string(DataFormat::Int32));
        const auto between = parse_format(node.get(attr::intermed_df));
        if (!between || !is_integer(*between)) computed.set(attr::intermed_df, int32);
        if (node.op == op::buda::reduce) computed.erase(attr::intermed_df);
        computed.set(attr::acc_df, int32);
        computed.set(attr::fidelity, std::string(to_string(Fidelity::HiFi4)));
        return build_.copy(computed, std::move(inputs));
    }

    static Node without_relu(const Node& node) {
        Node plain = node;
        plain.erase(attr::relu);
        plain.erase(attr::threshold);
        return plain;
    }
    /// A relu that the packer does not support for integers runs as a float nop after the op.
    ValueId with_float_relu(const Node& node, ValueId id, std::vector<Edge> inputs) {
        Node plain = without_relu(node);
        if (node.op.is_any_of({op::buda::add, op::buda::subtract, op::buda::multiply}))
            plain.type.format = DataFormat::Int32;
        const ValueId result = as_float(integer_op(plain, id, std::move(inputs)));
        Attrs relu{attr::acc_df(std::string(to_string(DataFormat::Float32)))};
        copy(attr::relu, node.attrs, relu);
        copy(attr::threshold, node.attrs, relu);
        return build_.add_edges(op::buda::nop, {{result, {}}}, relu, *node.type.format);
    }

    DataFormat result_format(const Node& node, ValueId id, const std::vector<Edge>& inputs) const {
        if (node.op.is_any_of({op::buda::nop, op::buda::splice, op::buda::maximum}))
            return *result_node(inputs[0].value).type.format;
        if (node.op == op::buda::matmul && inputs.size() == 2)
            for (std::size_t k = 0; k < 2; ++k)
                if (const Node& matrix = result_node(inputs[k].value);
                    matrix.is_constant() && inputs[k].tms.empty() && moves_elements(*matrix.literal, k == 0))
                    return DataFormat::Int8;
        if (node.op == op::buda::sparse && inputs.size() == 2) return DataFormat::Int8;
        return !is_product(node) && read_as_int8_[id] ? DataFormat::Int8 : DataFormat::Int32;
    }

    /// The value, converted to an integer format.
    ValueId converted(ValueId id, DataFormat df) {
        const Node& from = result_node(id);
        if (from.type.format == df) return id;
        if (const auto found = converted_.find({id, df}); found != converted_.end()) return found->second;
        return converted_[{id, df}] = from.is_constant() ? constant_as(id, df) : computed_as(id, df);
    }
    ValueId computed_as(ValueId id, DataFormat df) {
        if (is_integer_type(result_node(id).type)) {
            const std::string int32(to_string(DataFormat::Int32));
            return build_.add_edges(op::buda::nop, {{id, {}}}, {attr::acc_df(int32)}, df);
        }
        const ValueId bytes = quantization({as_float(id), {}});
        return df == DataFormat::Int8 ? bytes : converted(bytes, df);
    }
    /// A copy of a constant in another format. The original stays if other ops read it.
    ValueId constant_as(ValueId id, DataFormat df) {
        Node same = result_node(id);
        same.type.format = df;
        same.name += fmt::format("_as_{}", to_string(df));
        copies_.emplace(same.name, result_node(id).name);
        return build_.copy(same, {});
    }
    /// A copy gets the name of its original if the original is unused.
    void restore_constant_names() {
        std::set<std::string> names;
        for (const Node& node : result_.nodes) names.insert(node.name);
        for (Node& node : result_.nodes)
            if (const auto copy = copies_.find(node.name); copy != copies_.end() && names.insert(copy->second).second)
                node.name = copy->second;
    }

    ValueId quantized(const Node& node, Edge x) {
        x.value = as_float(x.value);
        const ValueId bytes = quantization(x);
        const ValueId result = node.type.format == DataFormat::Int8 ? bytes : converted(bytes, *node.type.format);
        result_.nodes[result].name = node.name;
        return result;
    }
    ValueId quantization(Edge x) {
        if (!x.tms.empty()) x = {build_.add_edges(op::buda::nop, {x}, {}, DataFormat::Float32), {}};
        return build_.add_edges(op::buda::quantization, {x, ones(result_node(x.value).type.dims)}, scaling(),
                                DataFormat::Int8);
    }
    static Attrs scaling() { return {attr::zero_point(0.0), attr::acc_df(std::string(to_string(DataFormat::Int32)))}; }

    /// One tile of ones, broadcast to the dims.
    Edge ones(Dims dims) {  // by value: adding a node may reallocate the nodes
        Literal literal(DType::F32, {1, tile_edge, tile_edge});
        std::fill(literal.floats().begin(), literal.floats().end(), 1.0F);
        Edge edge{build_.device_constant(std::move(literal), DataFormat::Float32), {}};
        const Tm::Kind kinds[] = {Tm::Kind::BroadcastZ, Tm::Kind::BroadcastR, Tm::Kind::BroadcastC};
        for (const std::size_t axis : std::array<std::size_t, 3>{1, 2, 0}) {
            if (dims[axis] == 1) continue;
            Tm tm;
            tm.kind = kinds[axis];
            tm.n = dims[axis];
            edge.tms.push_back(tm);
        }
        return edge;
    }

    /// The value, converted to Float32.
    ValueId as_float(ValueId id) {
        const DataFormat df = DataFormat::Float32;
        const Type type = result_node(id).type;
        if (type.format == df || is_table(id)) return id;
        if (const auto found = converted_.find({id, df}); found != converted_.end()) return found->second;
        if (result_node(id).is_constant()) return converted_[{id, df}] = constant_as(id, df);
        return converted_[{id, df}] =
                   is_integer_type(type)
                       ? build_.add_edges(op::buda::dequantization, {{id, {}}, ones(type.dims)}, scaling(), df)
                       : build_.add_edges(op::buda::nop, {{id, {}}}, {}, df);
    }

    /// Operands of a float op: integers are converted to Float32, floats stay.
    std::vector<Edge> as_floats(std::vector<Edge> inputs) {
        for (Edge& edge : inputs)
            if (is_integer_type(result_node(edge.value).type)) edge.value = as_float(edge.value);
        return inputs;
    }
    /// The op without attributes and formats for integers.
    Node floats(const Node& node) const {
        Node same = node;
        same.erase(attr::float_result);
        for (const auto& attribute : {attr::acc_df, attr::intermed_df})
            if (const auto df = parse_format(same.get(attribute)); df && is_integer(*df)) same.erase(attribute);
        bool any = false;
        for (const Edge& edge : node.inputs) any = any || is_integer_type(result_node(moved_[edge.value]).type);
        if (any && !same.has(attr::acc_df)) same.set(attr::acc_df, std::string(to_string(DataFormat::Float32)));
        if (is_integer_type(same.type)) same.type.format = DataFormat::Float32;
        return same;
    }

    void reject(const Node& node) {
        if (!seen_.insert(node.origin).second) return;
        rejected_.emplace_back(
            node.origin,
            Error(Fault::Unsupported, node.loc,
                  fmt::format("'{}': {} needs Int8 operands, but one is Int32; output_df Int8 for the operand keeps "
                              "the op on the device, saturated to +-127",
                              node.name, node.op.base_name())));
    }

    Graph& graph_;
    Graph result_ = graph_.next();
    Builder build_{result_};
    std::vector<bool> read_as_int8_;  // by an op that needs Int8
    std::vector<ValueId> moved_;
    std::map<std::pair<ValueId, DataFormat>, ValueId> converted_;
    std::vector<std::pair<std::string, Error>> rejected_;  // by origin
    std::set<std::string> seen_;
    std::map<std::string, std::string> copies_;  // originals of copied constants, by names
    Diagnostics problems_;
};

}  // namespace

bool has_integer_formats(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node& node) { return !is_quantization(node) && is_integer_type(node.type); });
}

void lower_integer_ops(Graph& graph) { IntegerFormats(graph).run(); }

}  // namespace ttsim::impl::ir
