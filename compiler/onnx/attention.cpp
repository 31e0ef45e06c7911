#include "compiler/onnx/attention.hpp"

#include <cmath>
#include <limits>

namespace ttsim::impl::ir {

ValueId heads_of(Import& n, ValueId x, std::int64_t heads) {
    const Dims d = n.b.dims(x);
    if (d.size() != 3 || heads < 1 || d[2] % heads != 0)
        n.wrong("{} is not [batch, rows, columns] for {} heads", to_string(n.b.type(x)), heads);
    return n.b.transpose(n.b.reshape(x, {d[0], d[1], heads, d[2] / heads}), {0, 2, 1, 3});
}

ValueId heads_joined(Import& n, ValueId x) {
    const Dims d = n.b.dims(x);
    return n.b.reshape(n.b.transpose(x, {0, 2, 1, 3}), {d[0], d[2], count({d[1], d[3]})});
}

ValueId heads_repeated(Import& n, ValueId x, std::int64_t times) {
    std::vector<std::int64_t> slices;
    for (std::int64_t k = 0; k < n.b.dims(x)[1] * times; ++k) slices.push_back(k / times);
    return n.pick(x, 1, slices);
}

static constexpr double none_seen = -1e30;

/// The sum of what is added, minus infinity where a key is not seen; none: every key is seen.
static std::optional<ValueId> bias_of(Import& n, const Sight& sight, DType type) {
    std::optional<ValueId> bias, seen;
    for (const ValueId a : sight.added) bias = bias ? n.two("add", *bias, a) : a;
    for (const ValueId a : sight.allowed) seen = seen ? n.two("and", *seen, a) : a;
    if (!seen) return bias;
    const ValueId far = n.b.scalar(-std::numeric_limits<double>::infinity(), type);
    return n.b.add("where", {*seen, bias.value_or(n.b.scalar(0, type)), far});
}

/// Weights of queries that see nothing become zeros.
static ValueId without_blind(Import& n, ValueId weights, ValueId bias) {
    const std::int64_t last = static_cast<std::int64_t>(n.b.dims(bias).size()) - 1;
    const ValueId sees = n.two("greater", n.one("reduce_max", bias, {{"axis", last}}), n.number(none_seen, bias));
    if (const Literal* known = n.b.literal(sees); known && known->is_splat() && known->at(0) != 0) return weights;
    return n.b.add("where", {sees, weights, n.number(0, weights)});
}

Attended attend(Import& n, ValueId q, ValueId k, ValueId v, const Sight& sight, const AttentionSpec& spec) {
    for (const ValueId x : {q, k, v})
        if (n.b.dims(x).size() != 4) n.wrong("{} is not [batch, heads, rows, size]", to_string(n.b.type(x)));
    const std::int64_t heads = n.b.dims(q)[1], given = n.b.dims(k)[1];
    if (given < 1 || heads % given != 0 || n.b.dims(v)[1] != given)
        n.wrong("{} heads of queries for {} of keys and {} of values", heads, given, n.b.dims(v)[1]);
    if (heads != given) {
        k = heads_repeated(n, k, heads / given);
        v = heads_repeated(n, v, heads / given);
    }
    const double scale = spec.scale != 0 ? spec.scale : 1 / std::sqrt(static_cast<double>(n.b.dims(q)[3]));
    Attended out{};
    out.scores.scaled = n.scaled(n.two("matmul", q, n.b.transpose(k, {0, 1, 3, 2})), scale);
    out.scores.capped = spec.softcap == 0
                            ? out.scores.scaled
                            : n.scaled(n.one("tanh", n.scaled(out.scores.scaled, 1 / spec.softcap)), spec.softcap);
    const std::optional<ValueId> bias = bias_of(n, sight, n.b.type(q).dtype);
    out.scores.biased = bias ? n.two("add", out.scores.capped, *bias) : out.scores.capped;
    out.scores.weights = n.one("softmax", out.scores.biased, {{"axis", std::int64_t{3}}});
    if (bias && spec.keep_empty) out.scores.weights = without_blind(n, out.scores.weights, *bias);
    out.result = n.two("matmul", out.scores.weights, v);
    return out;
}

ValueId causal(Import& n, std::int64_t queries, std::int64_t keys, std::int64_t past, bool forward, std::int64_t left,
               std::int64_t right) {
    n.check_positions(count({queries, keys}));
    Literal seen(DType::Bool, {1, 1, queries, keys});
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) {
            const std::int64_t own = past + i;
            const bool ok = (!forward || j <= own) && (left < 0 || own - j <= left) && (right < 0 || j - own <= right);
            seen.set(i * keys + j, ok ? 1 : 0);
        }
    return n.b.constant(std::move(seen));
}

ValueId within_length(Import& n, ValueId lengths, std::int64_t keys) {
    Literal places(n.b.type(lengths).dtype, {1, 1, 1, keys});
    for (std::int64_t j = 0; j < keys; ++j) places.set(j, static_cast<double>(j));
    return n.two("less", n.b.constant(std::move(places)), n.b.reshape(lengths, {count(n.b.dims(lengths)), 1, 1, 1}));
}

ValueId rotated(Import& n, ValueId x, ValueId cosines, ValueId sines, bool interleaved) {
    const Dims d = n.b.dims(x);
    const std::int64_t size = d[3], half = n.b.dims(cosines).back();
    if (half < 1 || 2 * half > size || n.b.dims(sines) != n.b.dims(cosines))
        n.wrong("{} is turned by angles {} and {}", to_string(n.b.type(x)), to_string(n.b.type(cosines)),
                to_string(n.b.type(sines)));
    // each element with its partner: y = x * cos + partner * sin, the partner of the first of a pair being negative
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
        v = n.pick(v, static_cast<std::int64_t>(wide.size()) - 1, angle);
        return n.b.reshape(v, {wide[0], 1, wide[1], size});
    };
    ValueId cos = spread(cosines);
    if (2 * half < size) cos = n.two("add", cos, n.b.constant(std::move(rest)));
    return n.two("add", n.two("multiply", x, cos),
                 n.two("multiply", n.b.map_axis(x, 3, std::move(partner)), spread(sines)));
}

}  // namespace ttsim::impl::ir
