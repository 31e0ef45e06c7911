// data-formats: chooses wider formats where the default format loses accuracy.
//
// In a block float, 16 elements of a row share an exponent, and small elements lose their bits beside large ones. The
// 16-bit format of the same family is used instead for these values:
//
//   - Results and operands of ops whose record has error_amplifying: exp, log, sqrt, reciprocal, square, reduce,
//     subtract, sine, cosine.
//   - Operands of ops with large constants, such as masks. All constants except matrices of products.
//   - Outputs of the model. Values between elementwise ops.
//   - Results of one row of tiles, such as statistics of an image and gates. They take little memory, and many
//     elements depend on each. Their repetitions too, if only elementwise ops read them.
//
//   %e = buda.exp %x : Bfp8_b[1, 4, 4]   ->   %e = buda.exp %x : Float16_b[1, 4, 4]
//
// Other results, mostly of products, and weights keep the default format. --accumulate-df sets the accumulate format
// of every op but maxima that cannot have it.
//
// Constant matrices of products whose elements are 0 or one power of two are Bfp2_b: exact, small and fast.
//
// Without --accumulate-df, if Dst may hold 32 bits and the format has 8 exponent bits, these are Float32:
//
//   sums of products
//   clamped linear functions (the gate of hardswish) and sigmoids (the gate of silu) that only elementwise ops read
//   values in one row of tiles that are computed from several rows: means of an image, gates computed from them, and
//   their repetitions for all rows. Their rounding error is the same in every pixel and does not average out. Outputs
//   of the model, and values that start as one row, keep their format
//   operands in one tile row of exp and sigmoid: their absolute error is the relative error of the result
//   in backward programs, sums that are subtracted from what they are sums of, as in the gradient of softmax: the
//   difference may be far smaller than its operands
//   with --wide-results, the default of ttsim compile: small results that no op reads, of up to 512 elements in 8 tiles
//
// Where Dst holds 16 bits, such small results of sigmoid are Float16 (fp16-quantizers): its operand may saturate and
// its result is at most 1, so 5 exponent bits suffice.
//
// Sums in a 16-bit Dst are rounded after each step, half up in magnitude. The sum of an 8-bit number and a constant
// loses few low bits. Therefore many losses are exact ties, which all round up: gates and the activations they scale
// become too large, and the errors of many layers multiply.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/next_nonzero.hpp"
#include "compiler/ir/pass.hpp"
#include "compiler/ops/device.hpp"
#include "compiler/passes/fp16_quantizers.hpp"

namespace ttsim::impl::ir {

namespace {

bool is_error_amplifying(const Node& node) {
    const OpDef* def = device_def(node.op);
    return def && def->error_amplifying;
}

/// Elementwise on one or two operands, with or without the packer's relu.
bool is_elementwise(const Node& node) {
    const OpInfo* op = find_op(node.op);
    return op && op->level == Level::Device && node.op != op::buda::matmul && node.op != op::buda::depthwise &&
           node.op != op::buda::sparse && node.op != op::buda::reduce && node.op != op::buda::splice;
}

bool one_tile_row(const Node& node) { return node.type.dims[0] * node.type.dims[1] == 1; }

bool has_large(const Literal& literal) {
    constexpr float large = 1000;
    return std::any_of(literal.floats().begin(), literal.floats().end(), [](float v) { return std::fabs(v) >= large; });
}

bool is_read_by_an_op(const Graph& graph, ValueId id) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) { return edge.value == id; });
    });
}

/// A result of few numbers, such as probabilities of classes or corners of boxes, which one more rounding could
/// reorder. No op may read it: a reader would see other values than ops that read a copy in the default format, and no
/// element would equal the maximum of the result.
bool is_small_result(const Graph& graph, ValueId id) {
    constexpr std::int64_t max_numbers = 512, max_tiles = 8;
    if (extent(graph.nodes[id].type.dims) > max_tiles) return false;
    const bool is_result = std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const Output& output) {
        return output.value == id && output.type && extent(output.type->dims) <= max_numbers;
    });
    return is_result && !is_read_by_an_op(graph, id);
}

/// Marks small results of sigmoid for Float16, where Dst holds 16 bits.
void mark_sigmoid_results(Graph& graph) {
    for (ValueId id = 0; id < graph.nodes.size(); ++id)
        if (graph.nodes[id].op == op::buda::sigmoid && is_small_result(graph, id))
            graph.nodes[id].kind = fp16_quantizers;
}

class Widener {
public:
    explicit Widener(Graph& graph) : graph_(graph) {}
    void run() {
        for (Node& node : graph_.nodes) {
            if (!node.op.on_device()) continue;
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (node.op != op::buda::matmul || k > 1) widen_constant(graph_.nodes[node.inputs[k].value]);
            bool large = false;
            for (const Edge& edge : node.inputs) {
                Node& operand = graph_.nodes[edge.value];
                large = large || (operand.is_constant() && operand.type.format && has_large(*operand.literal));
                if (is_error_amplifying(node)) widen(operand);
            }
            if (large || is_error_amplifying(node) || one_tile_row(node)) widen(node);
        }
        widen_chains();
        for (const Output& output : graph_.outputs) widen(graph_.nodes[output.value]);
    }

private:
    static void widen(Node& node) {
        if (node.type.format) node.type.format = wide_format(*node.type.format);
    }
    /// Rounding errors between elementwise ops would add up. Values that products read may be block floats.
    void widen_chains() {
        std::vector<bool> inside(graph_.nodes.size(), true);
        for (const Node& node : graph_.nodes)
            for (const Edge& edge : node.inputs)
                if (!is_elementwise(node)) inside[edge.value] = false;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (inside[id] && (is_elementwise(graph_.nodes[id]) || repeats(graph_.nodes[id]))) widen(graph_.nodes[id]);
    }
    /// A product that repeats a value of one row of tiles.
    bool repeats(const Node& node) const {
        return node.op == op::buda::matmul && node.kind == "broadcast" &&
               one_tile_row(graph_.nodes[node.inputs[1].value]);
    }
    static void widen_constant(Node& node) {
        if (node.is_constant()) widen(node);
    }
    Graph& graph_;
};

/// Matrices of zeros and one power of two, such as permutations, gathers and repetitions. A format with one significant
/// bit holds them exactly. They take less memory, and no fidelity phase multiplies bits that are all zero.
class OneBitMatrices {
public:
    explicit OneBitMatrices(Graph& graph) : graph_(graph) {}
    void run() {
        std::vector<bool> multiplied(graph_.nodes.size(), true);
        for (const Node& node : graph_.nodes)
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (node.op != op::buda::matmul || k > 1) multiplied[node.inputs[k].value] = false;
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            Node& node = graph_.nodes[id];
            if (!multiplied[id] || !node.is_constant() || !node.type.format || !is_fixed(node) || !has_one_bit(node))
                continue;
            const FormatFamily family = info(*node.type.format).family;
            if (family == FormatFamily::B) node.type.format = DataFormat::Bfp2_b;
            if (family == FormatFamily::A) node.type.format = DataFormat::Bfp2;
        }
    }

private:
    /// Its values cannot be replaced after compilation.
    static bool is_fixed(const Node& node) { return !node.derivation || node.derivation->fixed; }
    static bool has_one_bit(const Node& node) {
        float digit = 0;
        const std::vector<float>& values = node.literal->floats();
        const float* const end = values.data() + values.size();
        for (const float* at = next_nonzero(values.data(), end); at != end; at = next_nonzero(at + 1, end)) {
            const float magnitude = std::fabs(*at);
            if (magnitude == digit) continue;
            int exponent = 0;
            if (digit != 0 || std::frexp(magnitude, &exponent) != 0.5F) return false;
            digit = magnitude;
        }
        return digit > 0x1p-10F && digit < 0x1p10F;  // in the range of formats with 5 exponent bits, too
    }
    Graph& graph_;
};

/// Chooses Float32 for sums of products, gates and statistics.
class WideDest {
public:
    WideDest(Graph& graph, bool results) : graph_(graph), results_(results), readers_(graph.nodes.size()) {}
    void run() {
        for (Node& node : graph_.nodes)
            if (is_product(node)) sum_wide(node);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            for (const Edge& edge : graph_.nodes[id].inputs) readers_[edge.value].push_back(id);
        for (const Output& output : graph_.outputs) readers_[output.value].push_back(model_output);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (is_gate(id)) widen_linear(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].op == op::buda::sigmoid && is_float(graph_.nodes[id]) && stays_elementwise(id))
                widen(id);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (is_logit(id) || is_wide_result(id)) widen(id);
        for (const Node& node : graph_.nodes)
            if (node.op == op::buda::quantization)
                for (const Edge& edge : node.inputs) widen_quantizer_operand(edge.value);
        widen_statistics();
        for (ValueId id = 0; id < graph_.nodes.size(); ++id)
            if (graph_.nodes[id].op == op::buda::subtract && is_of_backward(id))
                widen_path(graph_.nodes[id].inputs[1].value, graph_.nodes[id].inputs[0].value);
    }

private:
    static constexpr ValueId model_output = std::numeric_limits<ValueId>::max();

    static bool is_float(const Node& node) {
        return node.type.format &&
               (*node.type.format == DataFormat::Float32 || info(*node.type.format).family == FormatFamily::B);
    }
    static bool is_product(const Node& node) { return node.op == op::buda::matmul || node.op == op::buda::depthwise; }
    static void sum_wide(Node& node) {
        if (is_float(node) && node.op != op::buda::dequantization)
            node.set(attr::acc_df, std::string(to_string(DataFormat::Float32)));
    }
    /// A step of a linear function a * x + b: one operand is a splat.
    bool is_linear_step(const Node& node) const {
        if (node.op != op::buda::add && node.op != op::buda::subtract && node.op != op::buda::multiply) return false;
        return is_float(node) && std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
                   const Node& operand = graph_.nodes[edge.value];
                   return operand.is_constant() && operand.literal->is_splat();
               });
    }
    bool stays_elementwise(ValueId id) const {
        return std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
            return reader != model_output && is_elementwise(graph_.nodes[reader]) && is_float(graph_.nodes[reader]);
        });
    }
    /// An operand in one tile row of functions whose relative error is its absolute error.
    bool is_logit(ValueId id) const {
        static const std::set<OpId> functions{op::buda::sigmoid, op::buda::exp};
        const Node& node = graph_.nodes[id];
        if (!is_float(node) || !one_tile_row(node) || (!is_product(node) && !is_elementwise(node))) return false;
        return !readers_[id].empty() && std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
            return reader != model_output && functions.contains(graph_.nodes[reader].op) &&
                   is_float(graph_.nodes[reader]);
        });
    }
    bool is_wide_result(ValueId id) const {
        const Node& node = graph_.nodes[id];
        return results_ && is_float(node) && (is_product(node) || is_elementwise(node)) && is_small_result(graph_, id);
    }
    /// Makes the result Float32. Ops that read it get a 32-bit Dst, which does not truncate it.
    void widen(ValueId id) {
        sum_wide(graph_.nodes[id]);
        graph_.nodes[id].type.format = DataFormat::Float32;
        for (const ValueId reader : readers_[id])
            if (reader != model_output) sum_wide(graph_.nodes[reader]);
    }
    /// Widens the operand of a quantizer and the ops that scale it.
    void widen_quantizer_operand(ValueId id) {
        Node& made = graph_.nodes[id];
        if (made.is_constant()) {
            if (is_float(made)) made.type.format = DataFormat::Float32;
            return;
        }
        widen(id);
        if (!is_float(made)) return;
        const bool product = is_product(made);
        const bool steps = made.op == op::buda::add || made.op == op::buda::subtract || made.op == op::buda::multiply ||
                           made.op == op::buda::nop;
        for (std::size_t k = product ? 2 : 0; (product || steps) && k < made.inputs.size(); ++k) {
            const ValueId from = made.inputs[k].value;
            const Node& node = graph_.nodes[from];
            if (node.is_constant() || (readers_[from].size() == 1 && (is_elementwise(node) || is_product(node))))
                widen_quantizer_operand(from);
        }
    }
    bool is_result(ValueId id) const {
        return std::find(readers_[id].begin(), readers_[id].end(), model_output) != readers_[id].end();
    }
    void widen_statistics() {
        std::vector<bool> statistic(graph_.nodes.size(), false);
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!node.op.on_device() || !is_float(node) || is_result(id)) continue;
            const bool product = node.op == op::buda::matmul;
            const bool of_rows = product && graph_.nodes[node.inputs[0].value].is_constant() &&
                                 graph_.nodes[node.inputs[1].value].type.dims[1] > 1;
            const bool of_one =
                (product || is_elementwise(node)) &&
                std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& e) { return statistic[e.value]; });
            const bool repeated = product && statistic[node.inputs[1].value] && stays_elementwise(id);
            statistic[id] = one_tile_row(node) && (of_one || of_rows);
            if (statistic[id] || repeated) widen(id);
        }
    }
    bool is_of_backward(ValueId id) const {
        return graph_.nodes[id].phase == Phase::Backward && is_float(graph_.nodes[id]);
    }
    /// Widens the sums and products from `start` to `id`. Returns whether there are any.
    bool widen_path(ValueId id, ValueId start) {
        if (id == start) return true;
        const Node& node = graph_.nodes[id];
        const bool sum = node.op == op::buda::matmul && node.inputs.size() == 2 &&
                         std::any_of(node.inputs.begin(), node.inputs.end(),
                                     [&](const Edge& edge) { return graph_.nodes[edge.value].is_constant(); });
        if (!is_of_backward(id) || !(sum || node.op == op::buda::multiply)) return false;
        bool found = false;
        for (const Edge& edge : std::vector<Edge>(node.inputs)) found = widen_path(edge.value, start) || found;
        if (found) widen(id);
        return found;
    }
    /// A clamped linear function. A bias after a product that has the same element in every column does not count.
    bool is_gate(ValueId id) const {
        const Node& node = graph_.nodes[id];
        if (!is_linear_step(node) || node.get(attr::relu) != "max") return false;
        return stays_elementwise(id) || std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Edge& edge) {
                   return is_linear_step(graph_.nodes[edge.value]);
               });
    }
    /// Widens the clamp and the linear steps before it.
    void widen_linear(ValueId id) {
        Node& node = graph_.nodes[id];
        sum_wide(node);
        if (stays_elementwise(id)) widen(id);
        for (const Edge& edge : node.inputs) {
            Node& operand = graph_.nodes[edge.value];
            if (readers_[edge.value].size() != 1) continue;
            if (operand.is_constant() && is_float(operand)) operand.type.format = DataFormat::Float32;
            if (is_linear_step(operand)) widen_linear(edge.value);
        }
    }

    Graph& graph_;
    bool results_;
    std::vector<std::vector<ValueId>> readers_;
};

/// Maxima of formats with 5 exponent bits have no Float32 in Dst.
bool can_accumulate(const Graph& graph, const Node& node, DataFormat df) {
    if (node.op != op::buda::reduce || df != DataFormat::Float32) return true;
    const std::optional<DataFormat> operand = graph.type(node.inputs[0].value).format;
    return !operand || info(*operand).family != FormatFamily::A;
}

void run_data_formats(Graph& graph, const PassOptions& options) {
    if (is_block_float(options.default_df)) Widener(graph).run();
    OneBitMatrices(graph).run();
    if (!options.accumulate_df && options.wide_dest) WideDest(graph, options.wide_results).run();
    if (options.wide_results && uses_fp16_quantizers(options)) mark_sigmoid_results(graph);
    if (!options.accumulate_df) return;
    for (Node& node : graph.nodes)
        if (node.op.on_device() && can_accumulate(graph, node, *options.accumulate_df))
            node.set(attr::acc_df, std::string(to_string(*options.accumulate_df)));
}

}  // namespace

extern const Pass data_formats;
const Pass data_formats{.name = "data-formats",
                        .summary = "use 16 bits where block floats lose small elements; set the accumulate format",
                        .run = run_data_formats};

}  // namespace ttsim::impl::ir
