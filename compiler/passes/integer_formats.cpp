// Ops of Int8 and Int32, as the chip has them:
//
//   add, maximum, nop, splice     Int8 or Int32, the same for all operands
//   subtract, multiply, products  Int8; the bias of a product is Int32
//   maxima (reduce)               one format throughout
//
// They accumulate in Int32 and multiply with all phases (HiFi4). A result has the format that a rule gives it. Without
// a rule a product is Int32; others are Int32 unless an op that takes Int8 alone reads them. Int8 saturates at +-127.
//
//   %y = buda.exp %whole      ->   %f = buda.dequantization %whole, %one : Float32     and exp of that
//   %y = buda.nop %x : Int8   ->   %w = buda.nop %x : Float32; %y = buda.quantization %w, %one : Int8
//
// A relu that clamps results to other numbers than 0 is that of a nop of floats behind the op.
//
// What has integer operands alone and no such form is refused for the host, which computes it exactly.
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

bool one_of(const Node& node, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), node.op) != names.end();
}
bool quantizes(const Node& node) { return one_of(node, {"buda.quantization", "buda.dequantization"}); }
bool is_whole(const Type& type) { return type.format && is_integer(*type.format); }
bool is_product(const Node& node) { return one_of(node, {"buda.matmul", "buda.depthwise", "buda.sparse"}); }

/// Takes Int8 alone, as operand k.
bool takes_bytes(const Node& node, std::size_t k) {
    const auto transposes = [](const Tm& tm) { return tm.kind == Tm::Kind::Transpose; };
    const std::vector<Tm>& tms = node.inputs[k].tms;
    return (is_product(node) && k < 2) || one_of(node, {"buda.subtract", "buda.multiply"}) ||
           std::any_of(tms.begin(), tms.end(), transposes);
}

/// The largest magnitude where all elements are integers.
std::optional<double> largest_whole(const Literal& literal) {
    double most = 0;
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double value = literal.at(i);
        if (value != std::floor(value)) return std::nullopt;
        most = std::max(most, std::fabs(value));
    }
    return most;
}

/// A matrix {z, rows, columns} of which each row (or column) has at most one element, of magnitude 1: it moves
/// elements.
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
    explicit IntegerFormats(Graph& graph) : graph_(graph), bytes_read_(graph.nodes.size(), false) {
        for (const Node& node : graph.nodes)
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (takes_bytes(node, k)) bytes_read_[node.inputs[k].value] = true;
    }

    void run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            build_.set_origin(node.origin);
            build_.set_kind(node.kind);
            build_.set_loc(node.loc);
            moved_.push_back(taken(node, id));
        }
        problems_.throw_if_any();
        if (!refused_.empty()) throw LegalizationError(refused_);
        for (const Output& out : graph_.outputs) result_.outputs.push_back({out.name, moved_[out.value], out.type});
        result_.erase_unused();
        keep_constants_names();
        graph_ = std::move(result_);
    }

private:
    ValueId taken(const Node& node, ValueId id) {
        std::vector<Edge> inputs = node.inputs;
        for (Edge& edge : inputs) edge.value = moved_[edge.value];
        if (!node.op.starts_with("buda.")) return build_.copy(node, std::move(inputs));
        if (quantizes(node)) {
            if (node.op == "buda.quantization") inputs[0].value = as_float(inputs[0].value);
            return build_.copy(node, std::move(inputs));
        }
        const bool ruled = is_whole(node.type), all = all_whole(inputs);
        if (ruled || (all && !node.has(float_result))) {
            if (computes(node, inputs)) return whole(node, id, std::move(inputs));
            if (!ruled && node.has("relu") && computes(without_relu(node), inputs))
                return clamped(node, id, std::move(inputs));
            if (ruled && one_of(node, {"buda.nop"})) return quantized(node, inputs[0]);
            if (all && has_integers(node) && !node.origin.empty()) {
                refuse(node);
                return build_.copy(floats(node), as_floats(std::move(inputs)));
            }
            if (ruled)
                problems_.error(node.loc,
                                "'{}' is to be {}, and {} does not compute with integers here; give it a float "
                                "output_df, or a rule that does not fit it",
                                node.name, to_string(*node.type.format), node.op.substr(5));
        }
        return build_.copy(floats(node), as_floats(std::move(inputs)));
    }

    const Node& made(ValueId id) const { return result_.nodes[id]; }
    bool is_table(ValueId id) const { return !made(id).type.format; }

    /// Operands that are computed or pushed are integers, and constants hold what operands take.
    bool all_whole(const std::vector<Edge>& inputs) const {
        bool any = false;
        for (const Edge& edge : inputs) {
            const Node& from = made(edge.value);
            if (is_table(edge.value) || from.is_constant()) {
                any = any || is_whole(from.type);
                if (from.is_constant() && !largest_whole(*from.literal)) return false;
                continue;
            }
            if (!is_whole(from.type)) return false;
            any = true;
        }
        return any;
    }

    /// The format in which operand k is taken.
    DataFormat operand_format(const Node& node, const std::vector<Edge>& inputs, std::size_t k) const {
        if (is_product(node)) return k < 2 ? DataFormat::Int8 : DataFormat::Int32;
        if (one_of(node, {"buda.subtract", "buda.multiply"})) return DataFormat::Int8;
        for (const Edge& edge : inputs)
            if (own_format(edge.value) == DataFormat::Int32) return DataFormat::Int32;
        return DataFormat::Int8;
    }

    /// Of a float: what it becomes.
    DataFormat own_format(ValueId id) const {
        const Node& from = made(id);
        if (is_whole(from.type)) return *from.type.format;
        if (!from.is_constant()) return DataFormat::Int8;
        return largest_whole(*from.literal).value_or(0) <= most_int8 ? DataFormat::Int8 : DataFormat::Int32;
    }

    /// Whether the chip has the op for some integers.
    static bool has_integers(const Node& node) {
        return is_product(node) || one_of(node, {"buda.nop", "buda.add", "buda.subtract", "buda.multiply",
                                                 "buda.maximum", "buda.splice", "buda.reduce"});
    }
    /// Whether the chip has the op for these operands, with nothing lost.
    bool computes(const Node& node, const std::vector<Edge>& inputs) const {
        if (!has_integers(node) || (one_of(node, {"buda.nop"}) && !is_whole(made(inputs[0].value).type))) return false;
        if (node.has("relu") && !clamps(node)) return false;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            if (is_table(inputs[k].value)) continue;
            const bool bytes = takes_bytes(node, k) || operand_format(node, inputs, k) == DataFormat::Int8;
            if (bytes && own_format(inputs[k].value) == DataFormat::Int32) return false;
            if (takes_bytes(node, k) && operand_format(node, inputs, k) == DataFormat::Int32) return false;
        }
        return true;
    }

    /// A relu as the packer of integers has it.
    static bool clamps(const Node& node) {
        const double threshold = node.number("threshold", 0);
        if (node.word("relu", "min") == "min" && threshold == 0) return true;
        return node.type.format == DataFormat::Int8 && std::fabs(threshold) < most_int8 &&
               threshold == std::floor(threshold);
    }

    ValueId whole(const Node& node, ValueId id, std::vector<Edge> inputs) {
        Node computed = node;
        std::vector<DataFormat> formats;
        for (std::size_t k = 0; k < inputs.size(); ++k) formats.push_back(operand_format(node, inputs, k));
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (!is_table(inputs[k].value)) inputs[k].value = as(inputs[k].value, formats[k]);
        if (!is_whole(node.type)) computed.type.format = result_format(node, id, inputs);
        if (node.op == "buda.reduce") computed.type.format = made(inputs[0].value).type.format;
        computed.attrs.erase(float_result);
        const std::string int32(to_string(DataFormat::Int32));
        const auto between = parse_format(node.word("intermed_df", ""));
        if (!between || !is_integer(*between)) computed.attrs["intermed_df"] = int32;
        if (node.op == "buda.reduce") computed.attrs.erase("intermed_df");
        computed.attrs["acc_df"] = int32;
        computed.attrs["fidelity"] = std::string(to_string(Fidelity::HiFi4));
        return build_.copy(computed, std::move(inputs));
    }

    static Node without_relu(const Node& node) {
        Node plain = node;
        for (const char* key : {"relu", "threshold"}) plain.attrs.erase(key);
        return plain;
    }
    /// A relu that the packer of integers does not have: floats have it, behind the op.
    ValueId clamped(const Node& node, ValueId id, std::vector<Edge> inputs) {
        Node plain = without_relu(node);
        if (one_of(node, {"buda.add", "buda.subtract", "buda.multiply"})) plain.type.format = DataFormat::Int32;
        const ValueId result = as_float(whole(plain, id, std::move(inputs)));
        Attrs relu{{"acc_df", std::string(to_string(DataFormat::Float32))}};
        for (const char* key : {"relu", "threshold"})
            if (node.has(key)) relu[key] = node.attrs.at(key);
        return build_.add_edges("buda.nop", {{result, {}}}, relu, *node.type.format);
    }

    DataFormat result_format(const Node& node, ValueId id, const std::vector<Edge>& inputs) const {
        if (one_of(node, {"buda.nop", "buda.splice", "buda.maximum"})) return *made(inputs[0].value).type.format;
        if (node.op == "buda.matmul" && inputs.size() == 2)
            for (std::size_t k = 0; k < 2; ++k)
                if (const Node& matrix = made(inputs[k].value);
                    matrix.is_constant() && inputs[k].tms.empty() && moves_elements(*matrix.literal, k == 0))
                    return DataFormat::Int8;
        if (node.op == "buda.sparse" && inputs.size() == 2) return DataFormat::Int8;
        return !is_product(node) && bytes_read_[id] ? DataFormat::Int8 : DataFormat::Int32;
    }

    /// The value in an integer format.
    ValueId as(ValueId id, DataFormat df) {
        const Node& from = made(id);
        if (from.type.format == df) return id;
        if (const auto found = converted_.find({id, df}); found != converted_.end()) return found->second;
        return converted_[{id, df}] = from.is_constant() ? constant_as(id, df) : computed_as(id, df);
    }
    ValueId computed_as(ValueId id, DataFormat df) {
        if (is_whole(made(id).type)) {
            const std::string int32(to_string(DataFormat::Int32));
            return build_.add_edges("buda.nop", {{id, {}}}, {{"acc_df", int32}}, df);
        }
        const ValueId bytes = quantization({as_float(id), {}});
        return df == DataFormat::Int8 ? bytes : as(bytes, df);
    }
    /// One that floats read as well is there twice.
    ValueId constant_as(ValueId id, DataFormat df) {
        Node same = made(id);
        same.type.format = df;
        same.name += fmt::format("_as_{}", to_string(df));
        copies_.emplace(same.name, made(id).name);
        return build_.copy(same, {});
    }
    /// A copy whose original nobody reads takes its name.
    void keep_constants_names() {
        std::set<std::string> names;
        for (const Node& node : result_.nodes) names.insert(node.name);
        for (Node& node : result_.nodes)
            if (const auto copy = copies_.find(node.name); copy != copies_.end() && names.insert(copy->second).second)
                node.name = copy->second;
    }

    ValueId quantized(const Node& node, Edge x) {
        x.value = as_float(x.value);
        const ValueId bytes = quantization(x);
        const ValueId result = node.type.format == DataFormat::Int8 ? bytes : as(bytes, *node.type.format);
        result_.nodes[result].name = node.name;
        return result;
    }
    ValueId quantization(Edge x) {
        if (!x.tms.empty()) x = {build_.add_edges("buda.nop", {x}, {}, DataFormat::Float32), {}};
        return build_.add_edges("buda.quantization", {x, ones(made(x.value).type.dims)}, scaling(), DataFormat::Int8);
    }
    static Attrs scaling() { return {{"zero_point", 0.0}, {"acc_df", std::string(to_string(DataFormat::Int32))}}; }

    /// One tile of ones, repeated.
    Edge ones(Dims dims) {  // a copy: nodes move when one is added
        Literal literal(DType::F32, {1, 32, 32});
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

    /// Float32, whatever it was.
    ValueId as_float(ValueId id) {
        const DataFormat df = DataFormat::Float32;
        const Type type = made(id).type;
        if (type.format == df || is_table(id)) return id;
        if (const auto found = converted_.find({id, df}); found != converted_.end()) return found->second;
        if (made(id).is_constant()) return converted_[{id, df}] = constant_as(id, df);
        return converted_[{id, df}] =
                   is_whole(type) ? build_.add_edges("buda.dequantization", {{id, {}}, ones(type.dims)}, scaling(), df)
                                  : build_.add_edges("buda.nop", {{id, {}}}, {}, df);
    }

    /// Operands of an op of floats: integers as Float32, floats as they are.
    std::vector<Edge> as_floats(std::vector<Edge> inputs) {
        for (Edge& edge : inputs)
            if (is_whole(made(edge.value).type)) edge.value = as_float(edge.value);
        return inputs;
    }
    /// The op without what is for integers.
    Node floats(const Node& node) const {
        Node same = node;
        same.attrs.erase(float_result);
        for (const char* key : {"acc_df", "intermed_df"})
            if (const auto df = parse_format(same.word(key, "")); df && is_integer(*df)) same.attrs.erase(key);
        bool any = false;
        for (const Edge& edge : node.inputs) any = any || is_whole(made(moved_[edge.value]).type);
        if (any && !same.has("acc_df")) same.attrs["acc_df"] = std::string(to_string(DataFormat::Float32));
        if (is_whole(same.type)) same.type.format = DataFormat::Float32;
        return same;
    }

    void refuse(const Node& node) {
        if (!seen_.insert(node.origin).second) return;
        refused_.emplace_back(
            node.origin,
            Error(Fault::Unsupported, node.loc,
                  fmt::format("'{}': {} takes Int8 here, and an operand is Int32; output_df Int8 of the operand keeps "
                              "it on the device, cut to +-127",
                              node.name, node.op.substr(5))));
    }

    Graph& graph_;
    Graph result_ = graph_.next();
    Builder build_{result_};
    std::vector<bool> bytes_read_;  // by an op that takes Int8 alone
    std::vector<ValueId> moved_;
    std::map<std::pair<ValueId, DataFormat>, ValueId> converted_;
    std::vector<std::pair<std::string, Error>> refused_;  // by origin
    std::set<std::string> seen_;
    std::map<std::string, std::string> copies_;  // of constants, by name: what they are copied of
    Diagnostics problems_;
};

}  // namespace

bool has_integer_formats(const Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node& node) { return !quantizes(node) && is_whole(node.type); });
}

void compute_whole(Graph& graph) { IntegerFormats(graph).run(); }

}  // namespace ttsim::impl::ir
