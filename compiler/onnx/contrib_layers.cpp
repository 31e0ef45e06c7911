// com.microsoft: activations, norms and embeddings that onnxruntime fuses from several ops.
#include <numeric>

#include "compiler/onnx/attention.hpp"

namespace ttsim::impl::ir {

namespace {

ValueId plus(Import& n, ValueId x, std::size_t k) { return n.has(k) ? n.binary(op::add, x, n.x(k)) : x; }

void fast_gelu(Import& n) { n.add_output(n.unary(op::gelu, plus(n, n.x(0), 1))); }
void bias_gelu(Import& n) { n.add_output(n.unary(op::gelu_erf, plus(n, n.x(0), 1))); }
void quick_gelu(Import& n) {
    n.add_output(n.binary(op::multiply, n.x(0), n.unary(op::sigmoid, n.scaled(n.x(0), n.f("alpha", 1.702)))));
}

/// The first half of the columns times gelu of the second.
void bias_split_gelu(Import& n) {
    n.need_rank(1);
    const ValueId x = n.binary(op::add, n.x(0), n.x(1));
    const std::int64_t last = n.rank() - 1, all = n.dims().back();
    if (all % 2 != 0) n.wrong("{} columns have no halves", all);
    std::vector<std::int64_t> left(static_cast<std::size_t>(all / 2)), right = left;
    std::iota(left.begin(), left.end(), 0);
    std::iota(right.begin(), right.end(), all / 2);
    n.add_output(n.binary(op::multiply, n.gather(x, last, left), n.unary(op::gelu_erf, n.gather(x, last, right))));
}
void bias_add(Import& n) { n.add_output(n.binary(op::add, n.binary(op::add, n.x(0), n.x(1)), n.x(2))); }

// --- norms --------------------------------------------------------------------------------------------------------

ValueId normed(Import& n, ValueId x, OpId op, std::int64_t axis, std::size_t scale, std::size_t bias, double epsilon) {
    ValueId y = n.unary(op, x, {attr::axis(axis), attr::epsilon(n.f("epsilon", epsilon))});
    if (n.has(scale)) y = n.binary(op::multiply, y, n.x(scale));
    return plus(n, y, bias);
}

/// Adds the mean and the reciprocal deviation over the last axis as outputs, which some models use.
void add_statistics(Import& n, ValueId x, bool centred) {
    const std::int64_t last = static_cast<std::int64_t>(n.b.dims(x).size()) - 1;
    const double part = 1.0 / static_cast<double>(n.b.dims(x).back());
    const ValueId mean = n.scaled(n.b.reduce_sum(x, last), part);
    const ValueId rest = centred ? n.binary(op::subtract, x, mean) : x;
    const ValueId variance = n.scaled(n.b.reduce_sum(n.unary(op::square, rest), last), part);
    const ValueId shifted = n.binary(op::add, variance, n.number(n.f("epsilon", 1e-12), x));
    if (centred) n.add_output(mean);
    n.add_output(n.unary(op::reciprocal, n.unary(op::sqrt, shifted)));
}

void simplified_layer_norm(Import& n) {
    n.need_rank(1);
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank());
    n.add_output(normed(n, n.x(0), op::rms_norm, axis, 1, SIZE_MAX, 1e-5));
    if (n.outputs() < 2) return;
    if (axis != n.rank() - 1) n.unsupported("its deviation over several axes");
    add_statistics(n, n.x(0), false);
}

/// Norm of a sum. Operands: x, skip, scale, bias of the norm, bias of the sum. Outputs: norm, statistics, sum.
void skip_norm(Import& n, OpId op, std::size_t norm_bias, std::size_t sum_bias) {
    n.need_rank(1);
    const bool centred = op == op::layer_norm;
    const ValueId sum = plus(n, n.binary(op::add, n.x(0), n.x(1)), sum_bias);
    n.add_output(normed(n, sum, op, n.rank() - 1, 2, norm_bias, 1e-12));
    if (n.outputs() < 2) return;
    add_statistics(n, sum, centred);
    if (!centred) n.out.insert(n.out.begin() + 1, n.out[1]);  // instead of the mean, which RMS norms do not have
    n.add_output(sum);
}
void skip_layer_norm(Import& n) { skip_norm(n, op::layer_norm, 3, 4); }
void skip_simplified_layer_norm(Import& n) { skip_norm(n, op::rms_norm, SIZE_MAX, 3); }

ValueId positions_last(Import& n, ValueId x, bool last) {
    const std::int64_t rank = static_cast<std::int64_t>(n.b.dims(x).size());
    std::vector<std::int64_t> perm{0};
    if (last) {
        for (std::int64_t a = 2; a < rank; ++a) perm.push_back(a);
        perm.push_back(1);
    } else {
        perm.push_back(rank - 1);
        for (std::int64_t a = 1; a + 1 < rank; ++a) perm.push_back(a);
    }
    return n.b.transpose(x, perm);
}

/// Channels are last unless channels_last is 0. Scale and bias are per channel; activation 1 is swish.
void group_norm_of(Import& n, ValueId x) {
    const bool last = n.i("channels_last", 1) != 0;
    const std::int64_t groups = n.i("groups", 32);
    if (n.b.dims(x).size() < 3) n.wrong("{} has no channels and positions", to_string(n.b.type(x)));
    if (last) x = positions_last(n, x, false);
    const Dims d = n.b.dims(x);
    Dims line(d.size() - 1, 1);
    line[0] = d[1];
    ValueId y = n.unary(op::group_norm, x, {attr::groups(groups), attr::epsilon(n.f("epsilon", 1e-5))});
    y = n.binary(op::add, n.binary(op::multiply, y, n.b.reshape(n.x(1), line)), n.b.reshape(n.x(2), line));
    if (n.i("activation", 0) == 1) y = n.binary(op::multiply, y, n.unary(op::sigmoid, y));
    n.add_output(last ? positions_last(n, y, true) : y);
}
void contrib_group_norm(Import& n) { group_norm_of(n, n.x(0)); }
/// Operands: x, scale, bias, skip, bias of the sum.
void skip_group_norm(Import& n) {
    const auto spread = [&](std::size_t k) {  // one per channel of an image
        if (n.rank(k) != 2 || n.i("channels_last", 1) == 0) return n.x(k);
        return n.b.reshape(n.x(k), {n.dims(k)[0], 1, 1, n.dims(k)[1]});
    };
    ValueId sum = n.binary(op::add, n.x(0), spread(3));
    if (n.has(4)) sum = n.binary(op::add, sum, n.x(4));
    group_norm_of(n, sum);
    n.add_output(sum);
}

// --- embeddings ---------------------------------------------------------------------------------------------------

/// Operands: ids, segments, tables of words, positions and segments, scale and bias of the norm, mask, positions.
void embed_layer_norm(Import& n) {
    if (n.rank() != 2) n.wrong("operand 0 has rank {}; it needs 2", n.rank());
    const auto rows = [&](std::size_t table, ValueId ids) {
        return n.b.add(op::take, {n.x(table), ids}, {attr::axis(0)});
    };
    const std::int64_t batch = n.dims()[0], length = n.dims()[1];
    Literal own(DType::I64, {1, length});
    std::iota(own.integer_elements().begin(), own.integer_elements().end(), 0);
    ValueId sum = n.binary(op::add, rows(2, n.x(0)), rows(3, n.has(8) ? n.x(8) : n.b.constant(std::move(own))));
    if (n.has(1) && n.has(4)) sum = n.binary(op::add, sum, rows(4, n.x(1)));
    n.add_output(normed(n, sum, op::layer_norm, 2, 5, 6, 1e-12));
    if (n.outputs() < 2) return;
    if (n.has(7) && n.rank(7) != 2) n.wrong("operand 7 has rank {}; it needs 2", n.rank(7));
    if (n.has(7)) {  // the number of words of each sample
        const ValueId all = n.b.reduce_sum(n.b.cast(n.x(7), DType::F32), 1);
        n.add_output(n.b.cast(n.b.reshape(all, {batch}), DType::I32));
    } else {
        n.add_output(n.b.constant(Literal(DType::I32, {batch})));
    }
    n.add_output(sum);
}

}  // namespace

const ImportRules& contrib_layer_rules() {
    static const ImportRules rules{
        {"FastGelu", fast_gelu},
        {"BiasGelu", bias_gelu},
        {"Gelu", bias_gelu},
        {"QuickGelu", quick_gelu},
        {"BiasSplitGelu", bias_split_gelu},
        {"BiasAdd", bias_add},
        {"SimplifiedLayerNormalization", simplified_layer_norm},
        {"SkipLayerNormalization", skip_layer_norm},
        {"SkipSimplifiedLayerNormalization", skip_simplified_layer_norm},
        {"GroupNorm", contrib_group_norm},
        {"SkipGroupNorm", skip_group_norm},
        {"EmbedLayerNormalization", embed_layer_norm},
    };
    return rules;
}

/// onnxruntime writes this op without a domain.
const ImportRules& exporter_rules() {
    static const ImportRules rules{{"SimplifiedLayerNormalization", simplified_layer_norm}};
    return rules;
}

}  // namespace ttsim::impl::ir
