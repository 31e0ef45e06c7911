// com.microsoft: Attention, MultiHeadAttention, GroupQueryAttention, RotaryEmbedding, QAttention.
#include <algorithm>
#include <numeric>

#include "compiler/onnx/attention.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

/// `size` elements of an axis from `from` on.
ValueId part_of(Import& n, ValueId x, std::int64_t axis, std::int64_t from, std::int64_t size) {
    const std::int64_t rank = std::ssize(n.b.dims(x));
    if (axis >= rank || from < 0 || size < 0 || from > n.b.dims(x)[static_cast<std::size_t>(axis)] - size)
        n.wrong("{} has no {} elements of axis {} from {} on", to_string(n.b.type(x)), size, axis, from);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(size));
    std::iota(rows.begin(), rows.end(), from);
    return n.gather(x, axis, rows);
}

/// Booleans of a mask [batch, keys], [batch, queries, keys] or [batch, 1, .., ..] of ones and zeros, or of lengths
/// [batch].
ValueId key_mask(Import& n, ValueId mask, std::int64_t batch, std::int64_t keys) {
    const Dims d = n.b.dims(mask);
    if (d.size() == 1 && d[0] == batch) return length_mask(n, mask, keys);
    if (d.size() == 1)
        n.unsupported("a mask {} of starts and ends; use a mask [batch, keys]", to_string(n.b.type(mask)));
    if (d.size() > 4) n.wrong("a mask {}", to_string(n.b.type(mask)));
    const ValueId seen = n.binary(op::greater, mask, n.number(0, mask));
    if (d.size() == 2) return n.b.reshape(seen, {d[0], 1, 1, d[1]});
    return d.size() == 3 ? n.b.reshape(seen, {d[0], 1, d[1], d[2]}) : seen;
}

/// Queries, keys and values, split into heads.
struct Heads {
    ValueId q, k, v;
};
Heads split_qkv(Import& n, ValueId all, std::int64_t heads) {
    std::vector<std::int64_t> sizes = n.ints("qkv_hidden_sizes");
    const std::int64_t columns = n.b.dims(all).empty() ? 0 : n.b.dims(all).back();
    n.need_small(sizes);
    if (sizes.empty()) sizes.assign(3, columns / 3);
    if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != columns || std::min({sizes[0], sizes[1], sizes[2]}) < 1)
        n.wrong("{} columns for queries, keys and values", columns);
    const auto part = [&](std::int64_t from, std::int64_t size) {
        return split_heads(n, part_of(n, all, 2, from, size), heads);
    };
    return {part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2])};
}

/// Attention behind the input projection. Operands: mask, past [2, batch, heads, rows, size], bias of the scores.
void attend_heads(Import& n, Heads h, std::size_t mask, std::size_t past, std::size_t added) {
    if (n.i("do_rotary", 0) != 0) n.unsupported("do_rotary; use MultiHeadAttention behind RotaryEmbedding");
    std::int64_t before = 0;
    std::optional<ValueId> present;
    if (n.has(past)) {
        const Dims d = n.dims(past);
        if (d.size() != 5) n.wrong("its past is {}", to_string(n.b.type(n.x(past))));
        before = d[3];
        const auto half = [&](std::int64_t at) {
            return n.b.reshape(part_of(n, n.x(past), 0, at, 1), {d[1], d[2], d[3], d[4]});
        };
        h.k = joined(n, half(0), h.k, 2);
        h.v = joined(n, half(1), h.v, 2);
    }
    const std::int64_t batch = n.b.dims(h.q)[0], queries = n.b.dims(h.q)[2], keys = n.b.dims(h.k)[2];
    AttentionMask masks;
    if (n.has(mask)) masks.allowed.push_back(key_mask(n, n.x(mask), batch, keys));
    if (n.i("unidirectional", 0) != 0) masks.allowed.push_back(causal_mask(n, queries, keys, before, true, -1, -1));
    if (n.has(added)) masks.biases.push_back(n.x(added));
    n.add_output(merge_heads(n, attend(n, h.q, h.k, h.v, masks, {.scale = n.f("scale", 0)}).result));
    if (n.outputs() < 2) return;
    Dims line = n.b.dims(h.k);
    line.insert(line.begin(), 1);
    n.add_output(joined(n, n.b.reshape(h.k, line), n.b.reshape(h.v, line), 0));
}

/// Operands: x, weights of queries, keys and values side by side, bias, mask, past, bias of the scores.
void contrib_attention(Import& n) {
    ValueId all = n.binary(op::matmul, n.x(0), n.x(1));
    if (n.has(2)) all = n.binary(op::add, all, n.x(2));
    attend_heads(n, split_qkv(n, all, n.i("num_heads", 0)), 3, 4, 5);
}

/// Operands: x, weights, bias, scales of x and weights, mask, zero points of x and weights, past.
void quantized_attention(Import& n) {
    const auto zero = [&](std::size_t k) { return n.has(k) ? std::optional(n.x(k)) : std::nullopt; };
    const ValueId x = dequantized(n, n.x(0), n.x(3), zero(6)), w = dequantized(n, n.x(1), n.x(4), zero(7), 1);
    const ValueId all = n.binary(op::add, n.binary(op::matmul, x, w), n.x(2));
    attend_heads(n, split_qkv(n, all, n.i("num_heads", 0)), 5, 8, SIZE_MAX);
}

/// Operands: queries, keys, values, bias of all three, mask of keys, bias of the scores, past of keys and of values.
void multi_head_attention(Import& n) {
    const std::int64_t heads = n.i("num_heads", 0);
    n.need_rank(3);
    for (const std::size_t k : {std::size_t{6}, std::size_t{7}})
        if (n.has(k) && n.rank(k) != 4) n.wrong("operand {} has rank {}; it needs 4", k, n.rank(k));
    const auto biased = [&](ValueId x, std::int64_t from) {
        if (!n.has(3)) return x;
        if (n.b.dims(x).empty()) n.wrong("an operand is a scalar");
        return n.binary(op::add, x, part_of(n, n.x(3), 0, from, n.b.dims(x).back()));
    };
    Heads h{};
    if (n.rank() == 5) {  // [batch, rows, heads, 3, size]
        const Dims d = n.dims();
        const auto part = [&](std::int64_t k) {
            const ValueId x = n.b.reshape(part_of(n, n.x(0), 3, k, 1), {d[0], d[1], d[2] * d[4]});
            return split_heads(n, biased(x, k * d[2] * d[4]), heads);
        };
        h = {part(0), part(1), part(2)};
    } else {
        const std::int64_t columns = n.dims().back();
        h.q = split_heads(n, biased(n.x(0), 0), heads);
        if (n.has(1) && n.rank(1) == 5) {  // [batch, rows, heads, 2, size]
            const Dims d = n.dims(1);
            const auto part = [&](std::int64_t k) {
                const ValueId x = n.b.reshape(part_of(n, n.x(1), 3, k, 1), {d[0], d[1], d[2] * d[4]});
                return split_heads(n, biased(x, columns + k * d[2] * d[4]), heads);
            };
            h.k = part(0);
            h.v = part(1);
        } else if (n.has(1) && n.has(2)) {
            h.k = n.rank(1) == 4 ? n.x(1) : split_heads(n, biased(n.x(1), columns), heads);
            h.v = n.rank(2) == 4 ? n.x(2) : split_heads(n, biased(n.x(2), 2 * columns), heads);
        } else {
            n.wrong("it has no keys or no values");
        }
    }
    const std::int64_t before = n.has(6) ? n.dims(6)[2] : 0;
    if (n.has(6)) h.k = joined(n, n.x(6), h.k, 2);
    if (n.has(7)) h.v = joined(n, n.x(7), h.v, 2);
    const std::int64_t batch = n.b.dims(h.q)[0], queries = n.b.dims(h.q)[2], keys = n.b.dims(h.k)[2];
    AttentionMask masks;
    if (n.has(4)) masks.allowed.push_back(key_mask(n, n.x(4), batch, keys));
    if (n.has(5)) masks.biases.push_back(n.x(5));
    if (n.i("unidirectional", 0) != 0) masks.allowed.push_back(causal_mask(n, queries, keys, before, true, -1, -1));
    n.add_output(merge_heads(n, attend(n, h.q, h.k, h.v, masks, {.scale = n.f("scale", 0)}).result));
    n.add_output(h.k);
    n.add_output(h.v);
}

/// Rows of a table of cosines or sines at these positions.
ValueId rotary_rows(Import& n, std::size_t table, ValueId positions) {
    return n.b.add(op::take, {n.x(table), positions}, {attr::axis(0)});
}
ValueId positions_from(Import& n, std::int64_t first, std::int64_t length) {
    Literal positions(DType::I64, {1, length});
    std::iota(positions.integer_elements().begin(), positions.integer_elements().end(), first);
    return n.b.constant(std::move(positions));
}

/// Operands: queries, keys, values, past of keys and of values, lengths minus one, the largest length, cosines, sines,
/// positions, bias of the scores.
void group_query_attention(Import& n) {
    const std::int64_t heads = n.i("num_heads", 0), given = n.i("kv_num_heads", 0);
    n.need_small({heads, given});
    for (const std::size_t k : {std::size_t{3}, std::size_t{4}})
        if (n.has(k) && n.rank(k) != 4) n.wrong("operand {} has rank {}; it needs 4", k, n.rank(k));
    if (n.rank() != 3 || heads < 1 || given < 1) n.wrong("num_heads {}, kv_num_heads {}", heads, given);
    if (n.i("smooth_softmax", 0) != 0 || n.has(11)) n.unsupported("smooth_softmax, sinks of heads");
    ValueId q = n.x(0), k{}, v{};
    if (n.has(1)) {
        k = n.x(1);
        v = n.x(2);
    } else {
        const std::int64_t size = n.dims()[2] / (heads + 2 * given);
        k = part_of(n, n.x(0), 2, heads * size, given * size);
        v = part_of(n, n.x(0), 2, (heads + given) * size, given * size);
        q = part_of(n, n.x(0), 2, 0, heads * size);
    }
    q = split_heads(n, q, heads);
    k = split_heads(n, k, given);
    v = split_heads(n, v, given);
    const std::int64_t batch = n.dims()[0], queries = n.dims()[1], past = n.has(3) ? n.dims(3)[2] : 0;
    const std::int64_t keys = past + queries;
    if (past > 0 && n.integer(6) != keys)
        n.unsupported(
            "total_sequence_length is {}, past and queries have {} rows: the cache is longer than its contents; use a "
            "past of {} rows",
            n.integer(6), keys, n.integer(6) - queries);
    if (past > 0 && batch > 1 && !n.b.literal(n.x(5)))
        n.unsupported("a past of samples of different lengths; compile it for one sample (--shape)");
    if (n.i("do_rotary", 0) != 0) {
        const ValueId positions = n.has(9) ? n.x(9) : positions_from(n, past, queries);
        const bool interleaved = n.i("rotary_interleaved", 0) != 0;
        const ValueId cos = rotary_rows(n, 7, positions), sin = rotary_rows(n, 8, positions);
        q = apply_rotary(n, q, cos, sin, interleaved);
        k = apply_rotary(n, k, cos, sin, interleaved);
    }
    if (past > 0) {
        k = joined(n, n.x(3), k, 2);
        v = joined(n, n.x(4), v, 2);
    }
    AttentionMask masks;
    const std::int64_t window = n.i("local_window_size", -1);
    masks.allowed.push_back(causal_mask(n, queries, keys, past, true, window > 0 ? window - 1 : -1, -1));
    if (n.has(10)) masks.biases.push_back(n.x(10));
    const AttentionValues attended =
        attend(n, q, k, v, masks, {.scale = n.f("scale", 0), .softcap = n.f("softcap", 0)});
    n.add_output(merge_heads(n, attended.result));
    n.add_output(k);
    n.add_output(v);
}

/// Operands: x, positions (or only that of the first row), cosines, sines.
void contrib_rotary(Import& n) {
    const bool flat = n.rank() == 3;
    if (n.rank(2) != 2 || n.dims(2)[1] < 1) n.wrong("a table of angles {}", to_string(n.b.type(n.x(2))));
    const std::int64_t size = 2 * n.dims(2).back();
    const std::int64_t heads = n.i("num_heads", 0) != 0 ? n.i("num_heads", 0) : flat ? n.dims()[2] / size : 0;
    const ValueId x = flat ? split_heads(n, n.x(0), heads) : n.x(0);
    if (n.b.dims(x).size() != 4) n.wrong("operand 0 has rank {}; it needs 3 or 4", n.rank());
    ValueId positions = n.x(1);
    if (count(n.dims(1)) == 1) {
        const ValueId from_zero = n.b.cast(positions_from(n, 0, n.b.dims(x)[2]), n.b.type(positions).dtype);
        positions = n.binary(op::add, from_zero, n.b.reshape(positions, {1, 1}));
    }
    ValueId y =
        apply_rotary(n, x, rotary_rows(n, 2, positions), rotary_rows(n, 3, positions), n.i("interleaved", 0) != 0);
    if (n.f("scale", 1) != 1) y = n.scaled(y, n.f("scale", 1));
    n.add_output(flat ? merge_heads(n, y) : y);
}

}  // namespace

const ImportRules& contrib_attention_rules() {
    static const ImportRules rules{
        {"Attention", contrib_attention},
        {"QAttention", quantized_attention},
        {"MultiHeadAttention", multi_head_attention},
        {"GroupQueryAttention", group_query_attention},
        {"RotaryEmbedding", contrib_rotary},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
