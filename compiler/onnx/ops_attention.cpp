// ONNX's Attention, RotaryEmbedding, LinearAttention and TensorScatter, which updates caches.
#include <cmath>
#include <limits>

#include "compiler/onnx/attention.hpp"

namespace ttsim::impl::ir {

namespace {

/// Pads the last axis of a mask to all keys; added keys are masked.
ValueId padded_mask(Import& n, ValueId mask, std::int64_t keys) {
    const std::int64_t last = static_cast<std::int64_t>(n.b.dims(mask).size()) - 1;
    const std::int64_t given = last < 0 ? keys : n.b.dims(mask).back();
    if (given == 1 || given >= keys) return mask;
    const bool boolean = n.b.type(mask).dtype == DType::Bool;
    Literal behind(n.b.type(mask).dtype, {keys - given});
    for (std::int64_t k = 0; k < behind.size(); ++k)
        behind.set(k, boolean ? 0 : -std::numeric_limits<double>::infinity());
    Dims dims = n.b.dims(mask);
    dims.back() = keys - given;
    return joined(n, mask, n.b.broadcast_to(n.b.constant(std::move(behind)), dims), last);
}

/// Adds causal and window masks for a cache of fixed size, whose number of valid keys is `lengths`.
void add_length_masks(Import& n, AttentionMask& masks, ValueId lengths, std::int64_t queries, std::int64_t keys,
                      bool forward, std::int64_t left, std::int64_t right) {
    const DType type = n.b.type(lengths).dtype;
    Literal ahead(type, {1, 1, queries, keys});
    for (std::int64_t k = 0; k < ahead.size(); ++k) ahead.set(k, static_cast<double>(k % keys - k / keys));
    const ValueId own = n.b.constant(std::move(ahead));
    const ValueId past = n.binary(op::subtract, n.b.reshape(lengths, {count(n.b.dims(lengths)), 1, 1, 1}),
                                  n.b.scalar(static_cast<double>(queries), type));
    const auto shifted = [&](std::int64_t by) {
        return n.binary(op::add, past, n.b.scalar(static_cast<double>(by), type));
    };
    if (forward) masks.allowed.push_back(n.binary(op::less_equal, own, past));
    if (left >= 0) masks.allowed.push_back(n.binary(op::greater_equal, own, shifted(-left)));
    if (right >= 0) masks.allowed.push_back(n.binary(op::less_equal, own, shifted(right)));
}

/// Operands: Q, K, V, mask, past of keys and values, valid lengths of a cache of fixed size.
void attention(Import& n) {
    const bool flat = n.rank() == 3;
    const auto heads = [&](std::size_t k, const char* name) {
        if (n.rank(k) == 3 && !n.has_attribute(name)) n.wrong("attribute {} is missing", name);
        return n.rank(k) == 3 ? split_heads(n, n.x(k), n.i(name, 0)) : n.x(k);
    };
    const ValueId q = heads(0, "q_num_heads");
    ValueId k = heads(1, "kv_num_heads"), v = heads(2, "kv_num_heads");
    if (n.has(4) != n.has(5)) n.wrong("it has a past of keys or of values, not of both");
    for (const ValueId x : {q, k, v})
        if (n.b.dims(x).size() != 4) n.wrong("its operands have neither rank 3 nor 4");
    std::int64_t past = 0;
    if (n.has(4)) {
        if (n.rank(4) != 4 || n.rank(5) != 4) n.wrong("its past does not have rank 4");
        past = n.dims(4)[2];
        k = joined(n, n.x(4), k, 2);
        v = joined(n, n.x(5), v, 2);
    }
    const std::int64_t queries = n.b.dims(q)[2], keys = n.b.dims(k)[2];
    const bool forward = n.i("is_causal", 0) != 0;
    const std::int64_t left = n.i("left_window_size", -1), right = n.i("right_window_size", -1);
    AttentionMask masks;
    if (n.has(3)) {
        const ValueId mask = padded_mask(n, n.x(3), keys);
        (n.b.type(mask).dtype == DType::Bool ? masks.allowed : masks.biases).push_back(mask);
    }
    if (n.has(6)) {
        masks.allowed.push_back(length_mask(n, n.x(6), keys));
        add_length_masks(n, masks, n.x(6), queries, keys, forward, left, right);
    } else if (forward || left >= 0 || right >= 0) {
        masks.allowed.push_back(causal_mask(n, queries, keys, past, forward, left, right));
    }
    const double scale = n.f("scale", 0);
    const AttentionValues attended =
        attend(n, q, k, v, masks, {.scale = scale, .softcap = n.f("softcap", 0), .zero_fully_masked = true});
    n.add_output(flat ? merge_heads(n, attended.result) : attended.result);
    if (n.outputs() < 2) return;
    n.add_output(k);
    n.add_output(v);
    const std::int64_t mode = n.i("qk_matmul_output_mode", 0);
    const Dims all{n.b.dims(q)[0], n.b.dims(q)[1], queries, keys};
    n.add_output(mode == 3   ? attended.scores.weights
                 : mode == 2 ? n.b.broadcast_to(attended.scores.biased, all)
                             : attended.scores.capped);
}

/// Operands: x, cosines, sines, positions.
void rotary_embedding(Import& n) {
    const bool flat = n.rank() == 3;
    if (flat && n.i("num_heads", 0) == 0) n.wrong("attribute num_heads is missing");
    const ValueId x = flat ? split_heads(n, n.x(0), n.i("num_heads", 0)) : n.x(0);
    const auto angles = [&](std::size_t k) {
        return n.has(3) ? n.b.add(op::take, {n.x(k), n.x(3)}, {attr::axis(0)}) : n.x(k);
    };
    if (n.b.dims(x).size() != 4 || n.b.dims(angles(1)).size() != 3) n.wrong("its operands have wrong ranks");
    const ValueId y = apply_rotary(n, x, angles(1), angles(2), n.i("interleaved", 0) != 0);
    n.add_output(flat ? merge_heads(n, y) : y);
}

/// Operands of a LinearAttention, split into heads [batch, heads, steps, size].
struct LinearHeads {
    ValueId q, k, v;
    std::optional<ValueId> decay{}, beta{};
    double scale = 1;
    std::int64_t queries_per_key = 1;  ///< heads of queries per head of keys
};

/// Splits operand k [batch, steps, heads * size] into heads.
ValueId linear_heads(Import& n, std::size_t k, std::int64_t heads) {
    if (n.rank(k) != 3 || heads < 1 || n.dims(k)[2] % heads != 0)
        n.wrong("operand {} is {} for {} heads", k, to_string(n.b.type(n.x(k))), heads);
    return split_heads(n, n.x(k), heads);
}

/// One step: decays and updates the state, and returns the result of the queries.
ValueId linear_step(Import& n, const LinearHeads& h, ValueId& state, std::int64_t t) {
    const auto now = [&](ValueId x) { return n.gather(x, 2, {t}); };
    const auto transposed = [&](ValueId x) { return n.b.transpose(x, {0, 1, 3, 2}); };
    const ValueId key = now(h.k);
    if (h.decay) state = n.binary(op::multiply, state, transposed(n.unary(op::exp, now(*h.decay))));
    ValueId value = now(h.v);
    if (h.beta)
        value = n.binary(op::multiply, n.binary(op::subtract, value, n.binary(op::matmul, key, state)), now(*h.beta));
    state = n.binary(op::add, state, n.binary(op::matmul, transposed(key), value));
    const Dims d = n.b.dims(key), wide = n.b.dims(state);
    const ValueId query = n.b.reshape(now(h.q), {d[0], d[1], h.queries_per_key, d[3]});
    return n.b.reshape(n.scaled(n.binary(op::matmul, query, state), h.scale),
                       {d[0], d[1] * h.queries_per_key, 1, wide[3]});
}

/// A recurrence, unrolled step by step. Operands: Q, K, V, state, decay, beta.
void linear_attention(Import& n) {
    const std::string rule = n.get_string("update_rule", {"gated_delta", "linear", "gated", "delta"});
    const bool decays = rule.starts_with("gated"), corrects = rule.ends_with("delta");
    if (n.has(4) != decays || n.has(5) != corrects)
        n.wrong("update_rule '{}' does not fit its decay and beta operands", rule);
    const std::int64_t queries = n.i("q_num_heads", 0), keys = n.i("kv_num_heads", 0);
    if (keys < 1 || queries < keys || queries % keys != 0) n.wrong("{} heads for {} of keys", queries, keys);
    LinearHeads h{.q = linear_heads(n, 0, queries), .k = linear_heads(n, 1, keys), .v = linear_heads(n, 2, keys)};
    if (decays) h.decay = linear_heads(n, 4, keys);
    if (corrects) h.beta = linear_heads(n, 5, n.dims(5).back() == 1 ? 1 : keys);
    const Dims d = n.b.dims(h.k);
    constexpr std::int64_t max_steps = 2048;
    if (d[2] < 1 || d[2] > max_steps) n.unsupported("{} steps; 1 to {} are unrolled", d[2], max_steps);
    h.queries_per_key = queries / keys;
    const double scale = n.f("scale", 0);
    h.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(d[3]));
    const DType type = n.b.type(h.q).dtype, kept = n.has(3) ? n.b.type(n.x(3)).dtype : type;
    ValueId state =
        n.has(3) ? n.b.cast(n.x(3), type) : n.b.constant(Literal(type, {d[0], d[1], d[3], n.b.dims(h.v)[3]}));
    IterationMarks marks(n, d[2]);
    std::vector<ValueId> outputs;
    for (std::int64_t t = 0; t < d[2]; ++t) {
        outputs.push_back(linear_step(n, h, state, t));
        marks.next();
    }
    n.add_output(merge_heads(n, marks.joined(outputs, 2)));
    n.add_output(n.b.cast(state, kept));
}

/// Writes into a cache. Operands: cache, update, start position of each sample.
void tensor_scatter(Import& n) {
    n.need_rank(2);
    const ValueId from = n.has(2) ? n.x(2) : n.b.constant(Literal(DType::I64, {n.dims()[0]}));
    const bool circular = n.get_string("mode", {"linear", "circular"}) == "circular";
    n.add_output(n.b.add(op::tensor_scatter, {n.x(0), n.x(1), from},
                         {attr::axis(n.axis(n.i("axis", -2), n.rank())), attr::circular(circular)}));
}

}  // namespace

const ImportRules& attention_rules() {
    static const ImportRules rules{
        {"Attention", attention},
        {"RotaryEmbedding", rotary_embedding},
        {"LinearAttention", linear_attention},
        {"TensorScatter", tensor_scatter},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
