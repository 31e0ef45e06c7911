#include "compiler/onnx/attention.hpp"

#include <cmath>
#include <limits>

namespace ttsim::impl::ir {

ValueId split_heads(Import& n, ValueId x, std::int64_t heads) {
    const Dims d = n.b.dims(x);
    if (d.size() != 3 || heads < 1 || d[2] % heads != 0)
        n.wrong("{} is not [batch, rows, columns] for {} heads", to_string(n.b.type(x)), heads);
    return n.b.transpose(n.b.reshape(x, {d[0], d[1], heads, d[2] / heads}), {0, 2, 1, 3});
}

ValueId merge_heads(Import& n, ValueId x) {
    const Dims d = n.b.dims(x);
    return n.b.reshape(n.b.transpose(x, {0, 2, 1, 3}), {d[0], d[2], count({d[1], d[3]})});
}

ValueId repeat_heads(Import& n, ValueId x, std::int64_t times) {
    std::vector<std::int64_t> slices;
    for (std::int64_t k = 0; k < n.b.dims(x)[1] * times; ++k) slices.push_back(k / times);
    return n.gather(x, 1, slices);
}

static constexpr double masked_below = -1e30;

/// The sum of all biases, minus infinity where a key is masked; nullopt: no bias and no mask.
static std::optional<ValueId> total_bias(Import& n, const AttentionMask& masks, DType type) {
    std::optional<ValueId> bias, visible;
    for (const ValueId a : masks.biases) bias = bias ? n.binary(op::add, *bias, a) : a;
    for (const ValueId a : masks.allowed) visible = visible ? n.binary(op::and_, *visible, a) : a;
    if (!visible) return bias;
    const ValueId masked = n.b.scalar(-std::numeric_limits<double>::infinity(), type);
    return n.b.add(op::where, {*visible, bias.value_or(n.b.scalar(0, type)), masked});
}

/// Weights of queries without unmasked keys become zeros.
static ValueId zero_fully_masked_rows(Import& n, ValueId weights, ValueId bias) {
    const std::int64_t last = static_cast<std::int64_t>(n.b.dims(bias).size()) - 1;
    const ValueId any_visible =
        n.binary(op::greater, n.unary(op::reduce_max, bias, {attr::axis(last)}), n.number(masked_below, bias));
    if (const Literal* known = n.b.literal(any_visible); known && known->is_splat() && known->at(0) != 0)
        return weights;
    return n.b.add(op::where, {any_visible, weights, n.number(0, weights)});
}

AttentionValues attend(Import& n, ValueId q, ValueId k, ValueId v, const AttentionMask& masks,
                       const AttentionSpec& spec) {
    for (const ValueId x : {q, k, v})
        if (n.b.dims(x).size() != 4) n.wrong("{} is not [batch, heads, rows, size]", to_string(n.b.type(x)));
    const std::int64_t heads = n.b.dims(q)[1], given = n.b.dims(k)[1];
    if (given < 1 || heads % given != 0 || n.b.dims(v)[1] != given)
        n.wrong("{} heads of queries for {} of keys and {} of values", heads, given, n.b.dims(v)[1]);
    if (heads != given) {
        k = repeat_heads(n, k, heads / given);
        v = repeat_heads(n, v, heads / given);
    }
    const double scale = spec.scale != 0 ? spec.scale : 1 / std::sqrt(static_cast<double>(n.b.dims(q)[3]));
    AttentionValues out{};
    out.scores.scaled = n.scaled(n.binary(op::matmul, q, n.b.transpose(k, {0, 1, 3, 2})), scale);
    out.scores.capped = spec.softcap == 0
                            ? out.scores.scaled
                            : n.scaled(n.unary(op::tanh, n.scaled(out.scores.scaled, 1 / spec.softcap)), spec.softcap);
    const std::optional<ValueId> bias = total_bias(n, masks, n.b.type(q).dtype);
    out.scores.biased = bias ? n.binary(op::add, out.scores.capped, *bias) : out.scores.capped;
    out.scores.weights = n.unary(op::softmax, out.scores.biased, {attr::axis(3)});
    if (bias && spec.zero_fully_masked) out.scores.weights = zero_fully_masked_rows(n, out.scores.weights, *bias);
    out.result = n.binary(op::matmul, out.scores.weights, v);
    return out;
}

ValueId causal_mask(Import& n, std::int64_t queries, std::int64_t keys, std::int64_t past, bool forward,
                    std::int64_t left, std::int64_t right) {
    n.check_positions(count({queries, keys}));
    Literal visible(DType::Bool, {1, 1, queries, keys});
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) {
            const std::int64_t own = past + i;
            const bool ok = (!forward || j <= own) && (left < 0 || own - j <= left) && (right < 0 || j - own <= right);
            visible.set(i * keys + j, ok ? 1 : 0);
        }
    return n.b.constant(std::move(visible));
}

ValueId length_mask(Import& n, ValueId lengths, std::int64_t keys) {
    Literal positions(n.b.type(lengths).dtype, {1, 1, 1, keys});
    for (std::int64_t j = 0; j < keys; ++j) positions.set(j, static_cast<double>(j));
    return n.binary(op::less, n.b.constant(std::move(positions)),
                    n.b.reshape(lengths, {count(n.b.dims(lengths)), 1, 1, 1}));
}

ValueId apply_rotary(Import& n, ValueId x, ValueId cosines, ValueId sines, bool interleaved) {
    const Dims d = n.b.dims(x);
    const std::int64_t size = d[3], half = n.b.dims(cosines).back();
    if (half < 1 || 2 * half > size || n.b.dims(sines) != n.b.dims(cosines))
        n.wrong("{} cannot be rotated by cosines {} and sines {}", to_string(n.b.type(x)), to_string(n.b.type(cosines)),
                to_string(n.b.type(sines)));
    // y = x * cos + partner * sin, where the partner of the first element of a pair is negated
    std::vector<std::int64_t> angle(static_cast<std::size_t>(size), -1);
    Literal partner = zero_matrix(size, size), rest(n.b.type(cosines).dtype, {size});
    for (std::int64_t k = 0; k < 2 * half; ++k) {
        const bool first = interleaved ? k % 2 == 0 : k < half;
        const std::int64_t apart = interleaved ? 1 : half;
        angle[static_cast<std::size_t>(k)] = interleaved ? k / 2 : k % half;
        partner.set(k * size + (first ? k + apart : k - apart), first ? -1 : 1);
    }
    for (std::int64_t k = 2 * half; k < size; ++k) rest.set(k, 1);
    Dims wide = n.b.dims(cosines);
    const auto spread = [&](ValueId v) {
        v = n.gather(v, static_cast<std::int64_t>(wide.size()) - 1, angle);
        return n.b.reshape(v, {wide[0], 1, wide[1], size});
    };
    ValueId cos = spread(cosines);
    if (2 * half < size) cos = n.binary(op::add, cos, n.b.constant(std::move(rest)));
    return n.binary(op::add, n.binary(op::multiply, x, cos),
                    n.binary(op::multiply, n.b.map_axis(x, 3, std::move(partner)), spread(sines)));
}

}  // namespace ttsim::impl::ir
