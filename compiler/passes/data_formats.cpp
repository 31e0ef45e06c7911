// data-formats: where the default format is a block float, 16 elements of a row share an exponent, and the small of
// them drown beside the large. 16 bits of the same family are used instead
//
//   for results of ops whose record says error_amplifying (exp, log, sqrt, reciprocal, square, reduce, subtract, sine,
//   cosine), and for what these read for what works with large constants (masks, comparisons), and for all constants
//   but the matrices of products for outputs of the model, and for what elementwise ops hand to elementwise ops for
//   results of one row of tiles: statistics of a picture, gates; they take next to no room, and a whole hangs on each;
//   and for these repeated, as long as elementwise ops read them
//
//   %e = buda.exp %x : Bfp8_b[1, 4, 4]   ->   %e = buda.exp %x : Float16_b[1, 4, 4]
//
// The other results, products above all, and weights keep it. --accumulate-df is written into every op.
//
// Constant matrices of products with zeros and one power of two alone are Bfp2_b: exact, small and quick.
//
// Without --accumulate-df, where Dst may hold 32 bits and the format has 8 bits of exponent:
//
//   products sum in Float32
//   a line that is clamped (the gate of hardswish) and a sigmoid (that of silu) are Float32 as long as elementwise
//   ops work with them
//   what stands in one row of tiles for more rows is Float32: means of a picture, the gates made of them, and these
//   repeated for all rows. A rounding of theirs is that of every pixel, and does not average out; results of the model
//   keep their format, and so does what begins in one row
//   what stands in one tile row for exp and sigmoid is Float32: its error is the relative one of the result
//   with --wide-results, as ttsim compile has it: results of up to 256 numbers in one tile row
//
// Sums in a 16-bit Dst are rounded after each step, half up in magnitude. Few low bits are lost where a number of 8
// bits meets a constant, so that a good part of the losses are exact ties, which all go up: gates come out too large,
// each activation with them, and the scales of many layers multiply.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ops/device.hpp"

namespace ttsim::impl::ir {

namespace {

bool needs_range(const Node& node) {
    const OpDef* def = device_def(node.op);
    return def && def->error_amplifying;
}

/// Works elementwise on two operands, or on one with what the packer does.
bool is_elementwise(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && op->level == Level::Device && node.op != "buda.matmul" && node.op != "buda.depthwise" &&
           node.op != "buda.sparse" && node.op != "buda.reduce" && node.op != "buda.splice";
}

bool one_tile_row(const Node& node) { return node.type.dims[0] * node.type.dims[1] == 1; }

bool has_large(const Literal& literal) {
    constexpr float large = 1000;
    return std::any_of(literal.floats().begin(), literal.floats().end(), [](float v) { return std::fabs(v) >= large; });
}

class Widener {
public:
    explicit Widener(Graph& graph) : graph_(graph) {}
    void run() {
        for (Node& node : graph_.nodes) {
            if (!node.op.starts_with("buda.")) continue;
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (node.op != "buda.matmul" || k > 1) widen_constant(graph_.nodes[node.inputs[k].value]);
            bool large = false;
            for (const Edge& edge : node.inputs) {
                Node& operand = graph_.nodes[edge.value];
                large = large || (operand.is_constant() && operand.type.format && has_large(*operand.literal));
                if (needs_range(node)) widen(operand);
            }
            if (large || needs_range(node) || one_tile_row(node)) widen(node);
        }
        widen_chains();
        for (const Output& output : graph_.outputs) widen(graph_.nodes[output.value]);
    }

private:
    static void widen(Node& node) {
        if (node.type.format) node.type.format = wide_format(*node.type.format);
    }
    /// Between elementwise ops each rounding would add up; products that read the end of a chain get the block float.
    void widen_chains() {
        std::vector<bool> inside(graph_.nodes.size(), true);
        for (const Node& node : graph_.nodes)
            for (const Edge& edge : node.inputs)
                if (!is_elementwise(node)) inside[edge.value] = false;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (inside[id] && (is_elementwise(graph_.nodes[id]) || repeats(graph_.nodes[id]))) widen(graph_.nodes[id]);
    }
    /// A product that repeats what stands in one row of tiles.
    bool repeats(const Node& node) const {
        return node.op == "buda.matmul" && node.kind == "broadcast" && one_tile_row(graph_.nodes[node.inputs[1].value]);
    }
    static void widen_constant(Node& node) {
        if (node.is_constant()) widen(node);
    }
    Graph& graph_;
};

/// Matrices of zeros and one power of two, such as permutations, picks and repeats: a format of one digit holds them,
/// with less to read, and no phase of the multipliers is spent on digits that they do not have.
class ExactMatrices {
public:
    explicit ExactMatrices(Graph& graph) : graph_(graph) {}
    void run() {
        std::vector<bool> multiplied(graph_.nodes.size(), true);
        for (const Node& node : graph_.nodes)
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (node.op != "buda.matmul" || k > 1) multiplied[node.inputs[k].value] = false;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (!multiplied[id] || !node.is_constant() || !node.type.format || !stays(node) || !has_one_digit(node))
                continue;
            const FormatFamily family = info(*node.type.format).family;
            if (family == FormatFamily::B) node.type.format = DataFormat::Bfp2_b;
            if (family == FormatFamily::A) node.type.format = DataFormat::Bfp2;
        }
    }

private:
    /// Its values cannot be replaced by others later.
    static bool stays(const Node& node) { return !node.derivation || node.derivation->fixed; }
    static bool has_one_digit(const Node& node) {
        float digit = 0;
        for (const float value : node.literal->floats()) {
            const float magnitude = std::fabs(value);
            if (magnitude == 0 || magnitude == digit) continue;
            int exponent = 0;
            if (digit != 0 || std::frexp(magnitude, &exponent) != 0.5F) return false;
            digit = magnitude;
        }
        return digit > 0x1p-10F && digit < 0x1p10F;  // also in the formats of 5 exponent bits
    }
    Graph& graph_;
};

/// Sums of products and clamped lines in 32 bits.
class WideDest {
public:
    WideDest(Graph& graph, bool results) : graph_(graph), results_(results), readers_(graph.nodes.size()) {}
    void run() {
        for (Node& node : graph_.nodes)
            if (is_product(node)) sum_wide(node);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            for (const Edge& edge : graph_.nodes[id].inputs) readers_[edge.value].push_back(id);
        for (const Output& output : graph_.outputs) readers_[output.value].push_back(outside);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (is_gate(id)) keep_line(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].op == "buda.sigmoid" && is_float(graph_.nodes[id]) && stays_elementwise(id)) keep(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (is_logit(id) || is_small_result(id)) keep(id);
        for (const Node& node : graph_.nodes)
            if (node.op == "buda.quantization")
                for (const Edge& edge : node.inputs) keep_steps(edge.value);
        keep_statistics();
    }

private:
    static constexpr ValueId outside = std::numeric_limits<ValueId>::max();

    static bool is_float(const Node& node) {
        return node.type.format &&
               (*node.type.format == DataFormat::Float32 || info(*node.type.format).family == FormatFamily::B);
    }
    static bool is_product(const Node& node) { return node.op == "buda.matmul" || node.op == "buda.depthwise"; }
    static void sum_wide(Node& node) {
        if (is_float(node) && node.op != "buda.dequantization")
            node.attrs["acc_df"] = std::string(to_string(DataFormat::Float32));
    }
    /// a * x + b in steps: one operand is one number.
    bool is_line(const Node& node) const {
        if (node.op != "buda.add" && node.op != "buda.subtract" && node.op != "buda.multiply") return false;
        return is_float(node) && std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
                   const Node& operand = graph_.nodes[edge.value];
                   return operand.is_constant() && operand.literal->is_splat();
               });
    }
    bool stays_elementwise(ValueId id) const {
        return std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
            return reader != outside && is_elementwise(graph_.nodes[reader]) && is_float(graph_.nodes[reader]);
        });
    }
    /// Of one tile row, for functions to which its absolute error is their relative one.
    bool is_logit(ValueId id) const {
        static const std::set<std::string_view> functions{"buda.sigmoid", "buda.exp"};
        const Node& node = graph_.nodes[id];
        if (!is_float(node) || !one_tile_row(node) || (!is_product(node) && !is_elementwise(node))) return false;
        return !readers_[id].empty() && std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
            return reader != outside && functions.contains(graph_.nodes[reader].op) && is_float(graph_.nodes[reader]);
        });
    }
    /// Of a few numbers in one tile row: probabilities, classes, which may differ by less than one more rounding.
    bool is_small_result(ValueId id) const {
        constexpr std::int64_t few = 256;
        const Node& node = graph_.nodes[id];
        if (!results_ || !is_float(node) || !one_tile_row(node) || (!is_product(node) && !is_elementwise(node)))
            return false;
        return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), [&](const Output& output) {
            return output.value == id && output.type && extent(output.type->dims) <= few;
        });
    }
    /// The result in 32 bits. What reads them into a 16-bit Dst would cut them.
    void keep(ValueId id) {
        sum_wide(graph_.nodes[id]);
        graph_.nodes[id].type.format = DataFormat::Float32;
        for (const ValueId reader : readers_[id])
            if (reader != outside) sum_wide(graph_.nodes[reader]);
    }
    /// What is quantized, with the steps that scale it.
    void keep_steps(ValueId id) {
        Node& made = graph_.nodes[id];
        if (made.is_constant()) {
            if (is_float(made)) made.type.format = DataFormat::Float32;
            return;
        }
        keep(id);
        if (!is_float(made)) return;
        const bool product = is_product(made);
        const bool steps =
            made.op == "buda.add" || made.op == "buda.subtract" || made.op == "buda.multiply" || made.op == "buda.nop";
        for (std::size_t k = product ? 2 : 0; (product || steps) && k < made.inputs.size(); ++k) {
            const ValueId from = made.inputs[k].value;
            const Node& node = graph_.nodes[from];
            if (node.is_constant() || (readers_[from].size() == 1 && (is_elementwise(node) || is_product(node))))
                keep_steps(from);
        }
    }
    bool is_result(ValueId id) const {
        return std::find(readers_[id].begin(), readers_[id].end(), outside) != readers_[id].end();
    }
    void keep_statistics() {
        std::vector<bool> statistic(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!node.op.starts_with("buda.") || !is_float(node) || is_result(id)) continue;
            const bool product = node.op == "buda.matmul";
            const bool of_rows = product && graph_.nodes[node.inputs[0].value].is_constant() &&
                                 graph_.nodes[node.inputs[1].value].type.dims[1] > 1;
            const bool of_one =
                (product || is_elementwise(node)) &&
                std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& e) { return statistic[e.value]; });
            const bool repeated = product && statistic[node.inputs[1].value] && stays_elementwise(id);
            statistic[id] = one_tile_row(node) && (of_one || of_rows);
            if (statistic[id] || repeated) keep(id);
        }
    }
    /// A clamped line; a bias behind a product, with its one number in every column, is none.
    bool is_gate(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (!is_line(node) || node.word("relu", "") != "max") return false;
        return stays_elementwise(id) || std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
                   return is_line(graph_.nodes[edge.value]);
               });
    }
    /// The clamped line and the steps before it.
    void keep_line(ValueId id) {
        Node& node = graph_.nodes[id];
        sum_wide(node);
        if (stays_elementwise(id)) keep(id);
        for (const Edge& edge : node.inputs) {
            Node& operand = graph_.nodes[edge.value];
            if (readers_[edge.value].size() != 1) continue;
            if (operand.is_constant() && is_float(operand)) operand.type.format = DataFormat::Float32;
            if (is_line(operand)) keep_line(edge.value);
        }
    }

    Graph& graph_;
    bool results_;
    std::vector<std::vector<ValueId>> readers_;
};

void run_data_formats(Graph& graph, const PassOptions& options) {
    if (is_block_float(options.default_df)) Widener(graph).run();
    ExactMatrices(graph).run();
    if (!options.accumulate_df && options.wide_dest) WideDest(graph, options.wide_results).run();
    if (!options.accumulate_df) return;
    for (Node& node : graph.nodes)
        if (node.op.starts_with("buda.")) node.attrs["acc_df"] = std::string(to_string(*options.accumulate_df));
}

}  // namespace

extern const Pass data_formats;
const Pass data_formats{.name = "data-formats",
                        .summary = "16 bits where a block float would drown small elements; the accumulate format",
                        .run = run_data_formats};

}  // namespace ttsim::impl::ir
