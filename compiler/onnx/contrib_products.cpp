// com.microsoft: products and convolutions fused with activations, and ops that ONNX has adopted since.
#include <algorithm>
#include <numeric>

#include "compiler/onnx/distances.hpp"
#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

/// Imports the node as ONNX's op of opset 18 or later, where operands replace attributes.
void as_onnx(Import& n, const char* op) {
    n.opset = std::max<std::int64_t>(n.opset, 18);
    find_rule("", op)(n);
}

/// Distances of the rows of A from those of B.
void cdist(Import& n) {
    const Dims a = n.dims(0), b = n.dims(1);
    if (a.size() != 2 || b.size() != 2 || a[1] != b[1])
        n.wrong("its operands must be two matrices with the same number of columns");
    const bool squares = n.get_string("metric", {"sqeuclidean", "euclidean"}) == "sqeuclidean";
    n.need_small({a[0], b[0], a[1]});
    const ValueId sum = squared_distances(n, n.x(0), n.x(1));
    n.add_output(squares ? sum : n.unary(op::sqrt, sum));
}

/// Applies the activation that the attributes name.
ValueId apply_activation(Import& n, ValueId x, const std::vector<float>& given) {
    const std::string name = n.s("activation", "");
    const auto value = [&](std::size_t k, const char* attribute, double otherwise) {
        return k < given.size() ? static_cast<double>(given[k]) : n.f(attribute, otherwise);
    };
    if (name.empty()) return x;
    if (name == "Relu" || name == "Tanh" || name == "Sigmoid" || name == "Softplus") {
        std::string own = name;
        own[0] = static_cast<char>(own[0] - 'A' + 'a');
        return n.unary(op_named(own), x);
    }
    if (name == "LeakyRelu") return n.unary(op::lrelu, x, {attr::slope(value(0, "activation_alpha", 0.01))});
    if (name == "Elu") return n.unary(op::elu, x, {attr::alpha(value(0, "activation_alpha", 1))});
    if (name == "Clip") {
        x = n.binary(op::maximum, x, n.number(value(0, "activation_alpha", -3e38), x));
        return n.binary(op::minimum, x, n.number(value(1, "activation_beta", 3e38), x));
    }
    if (name == "HardSigmoid" || name == "HardSwish") {
        const bool swish = name == "HardSwish";
        const double alpha = swish ? 1.0 / 6 : value(0, "activation_alpha", 0.2);
        const ValueId line =
            n.binary(op::add, n.scaled(x, alpha), n.number(swish ? 0.5 : value(1, "activation_beta", 0.5), x));
        const ValueId y = n.unary(op::relu_max, line, {attr::threshold(1.0)});
        return swish ? n.binary(op::multiply, x, y) : y;
    }
    n.unsupported("activation '{}'", name);
}

/// The last two axes, or the last with the first, swapped.
ValueId transposed(Import& n, ValueId x, bool last_two, bool batch) {
    const std::int64_t rank = static_cast<std::int64_t>(n.b.dims(x).size());
    if ((!last_two && !batch) || rank < 2) return x;
    std::vector<std::int64_t> perm(static_cast<std::size_t>(rank));
    std::iota(perm.begin(), perm.end(), 0);
    // with a batch axis: [rows, batch.., columns] becomes [batch.., rows, columns]
    if (batch) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
    if (last_two) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return n.b.transpose(x, perm);
}

void fused_matmul(Import& n) {
    n.in[0] = transposed(n, n.x(0), n.i("transA", 0) != 0, n.i("transBatchA", 0) != 0);
    n.in[1] = transposed(n, n.x(1), n.i("transB", 0) != 0, n.i("transBatchB", 0) != 0);
    as_onnx(n, "MatMul");
    if (n.f("alpha", 1) != 1) n.out[0] = n.scaled(n.out[0], n.f("alpha", 1));
}

void fused_gemm(Import& n) {
    as_onnx(n, "Gemm");
    n.out[0] = apply_activation(n, n.out[0], {});
}

/// Operands: x, weights, bias, value added before the activation.
void fused_conv(Import& n) {
    as_onnx(n, "Conv");
    if (n.has(3)) n.out[0] = n.binary(op::add, n.out[0], n.x(3));
    n.out[0] = apply_activation(n, n.out[0], n.floats("activation_params"));
}

ValueId move_channels(Import& n, ValueId x, bool last) {
    const std::int64_t rank = static_cast<std::int64_t>(n.b.dims(x).size());
    if (rank < 3) n.wrong("{} has no channels and positions", to_string(n.b.type(x)));
    std::vector<std::int64_t> perm{0};
    if (!last) perm.push_back(rank - 1);
    for (std::int64_t a = last ? 2 : 1; a + (last ? 0 : 1) < rank; ++a) perm.push_back(a);
    if (last) perm.push_back(1);
    return n.b.transpose(x, perm);
}

/// Imports an op with channels last by a rule for channels first.
template <ImportRule Rule>
void channels_last(Import& n) {
    n.in[0] = move_channels(n, n.x(0), false);
    if (n.has(3)) n.in[3] = move_channels(n, n.x(3), false);
    Rule(n);
    n.out[0] = move_channels(n, n.out[0], true);
}
void nhwc_conv(Import& n) {
    n.in[1] = move_channels(n, n.x(1), false);
    channels_last<fused_conv>(n);
}
void max_pool_only(Import& n) { as_onnx(n, "MaxPool"); }

void expand_dims(Import& n) {
    const std::int64_t axis = n.axis(n.integer(1), n.rank() + 1);
    Dims dims = n.dims();
    dims.insert(dims.begin() + axis, 1);
    n.add_output(n.b.reshape(n.x(0), dims));
}

void refuse_experts(Import& n) {
    n.unsupported(
        "the experts of a token depend on runtime values; export the model with all experts as "
        "products (MatMul, Softmax, Mul)");
}
void refuse_decoder_step(Import& n) {
    n.unsupported(
        "the length of its cache is a runtime value; export the model with Attention or "
        "MultiHeadAttention and past of a fixed length");
}

}  // namespace

const ImportRules& contrib_product_rules() {
    static const ImportRules rules{
        {"FusedMatMul", fused_matmul},
        {"TransposeMatMul", fused_matmul},
        {"FusedGemm", fused_gemm},
        {"FusedConv", fused_conv},
        {"NhwcConv", nhwc_conv},
        {"NhwcFusedConv", nhwc_conv},
        {"NhwcMaxPool", channels_last<max_pool_only>},
        {"CDist", cdist},
        {"ExpandDims", expand_dims},
        {"Trilu", [](Import& n) { as_onnx(n, "Trilu"); }},
        {"GatherND", [](Import& n) { as_onnx(n, "GatherND"); }},
        {"Pad", [](Import& n) { as_onnx(n, "Pad"); }},
        {"GridSample", [](Import& n) { find_rule("", "GridSample")(n); }},
        {"Unique", [](Import& n) { as_onnx(n, "Unique"); }},
        {"MoE", refuse_experts},
        {"QMoE", refuse_experts},
        {"DecoderMaskedSelfAttention", refuse_decoder_step},
        {"DecoderMaskedMultiHeadAttention", refuse_decoder_step},
        {"PagedAttention", refuse_decoder_step},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
