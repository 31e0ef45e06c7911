// com.microsoft: Attention, MultiHeadAttention, GroupQueryAttention, RotaryEmbedding, QAttention.
#include <algorithm>
#include <numeric>

#include "compiler/onnx/attention.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

/// Part `at` of those next to each other along an axis.
ValueId part_of(Import& n, ValueId x, std::int64_t axis, std::int64_t from, std::int64_t size) {
    const std::int64_t rank = std::ssize(n.b.dims(x));
    if (axis >= rank || from < 0 || size < 0 || from > n.b.dims(x)[static_cast<std::size_t>(axis)] - size)
        n.wrong("{} has no {} elements of axis {} from {} on", to_string(n.b.type(x)), size, axis, from);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(size));
    std::iota(rows.begin(), rows.end(), from);
    return n.pick(x, axis, rows);
}

/// A mask [batch, keys], [batch, queries, keys] or [batch, 1, .., ..] of ones and zeros; [batch]: lengths.
ValueId seen_by(Import& n, ValueId mask, std::int64_t batch, std::int64_t keys) {
    const Dims d = n.b.dims(mask);
    if (d.size() == 1 && d[0] == batch) return within_length(n, mask, keys);
    if (d.size() == 1) n.unsupported("a mask {} of starts and ends; give one [batch, keys]", to_string(n.b.type(mask)));
    if (d.size() > 4) n.wrong("a mask {}", to_string(n.b.type(mask)));
    const ValueId seen = n.two("greater", mask, n.number(0, mask));
    if (d.size() == 2) return n.b.reshape(seen, {d[0], 1, 1, d[1]});
    return d.size() == 3 ? n.b.reshape(seen, {d[0], 1, d[1], d[2]}) : seen;
}

/// The columns of a product as queries, keys and values, each in heads.
struct Heads {
    ValueId q, k, v;
};
Heads parted(Import& n, ValueId all, std::int64_t heads) {
    std::vector<std::int64_t> sizes = n.ints("qkv_hidden_sizes");
    const std::int64_t columns = n.b.dims(all).empty() ? 0 : n.b.dims(all).back();
    n.need_small(sizes);
    if (sizes.empty()) sizes.assign(3, columns / 3);
    if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != columns || std::min({sizes[0], sizes[1], sizes[2]}) < 1)
        n.wrong("{} columns for queries, keys and values", columns);
    const auto part = [&](std::int64_t from, std::int64_t size) {
        return heads_of(n, part_of(n, all, 2, from, size), heads);
    };
    return {part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2])};
}

/// Behind the product: masks, past [2, batch, heads, rows, size], what is added to the scores.
void attend_parted(Import& n, Heads h, std::size_t mask, std::size_t past, std::size_t added) {
    if (n.i("do_rotary", 0) != 0) n.unsupported("do_rotary; MultiHeadAttention with RotaryEmbedding before it is read");
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
    Sight sight;
    if (n.has(mask)) sight.allowed.push_back(seen_by(n, n.x(mask), batch, keys));
    if (n.i("unidirectional", 0) != 0) sight.allowed.push_back(causal(n, queries, keys, before, true, -1, -1));
    if (n.has(added)) sight.added.push_back(n.x(added));
    n.give(heads_joined(n, attend(n, h.q, h.k, h.v, sight, {.scale = n.f("scale", 0)}).result));
    if (n.outputs() < 2) return;
    Dims line = n.b.dims(h.k);
    line.insert(line.begin(), 1);
    n.give(joined(n, n.b.reshape(h.k, line), n.b.reshape(h.v, line), 0));
}

/// x, weights of queries, keys and values side by side, bias, mask, past, what is added to the scores.
void contrib_attention(Import& n) {
    ValueId all = n.two("matmul", n.x(0), n.x(1));
    if (n.has(2)) all = n.two("add", all, n.x(2));
    attend_parted(n, parted(n, all, n.i("num_heads", 0)), 3, 4, 5);
}

/// x, weights, bias, scales of x and weights, mask, their zero points, past.
void quantized_attention(Import& n) {
    const auto zero = [&](std::size_t k) { return n.has(k) ? std::optional(n.x(k)) : std::nullopt; };
    const ValueId x = dequantized(n, n.x(0), n.x(3), zero(6)), w = dequantized(n, n.x(1), n.x(4), zero(7), 1);
    const ValueId all = n.two("add", n.two("matmul", x, w), n.x(2));
    attend_parted(n, parted(n, all, n.i("num_heads", 0)), 5, 8, SIZE_MAX);
}

/// queries, keys, values, bias of all three, mask of keys, what is added to the scores, past of keys and of values.
void multi_head_attention(Import& n) {
    const std::int64_t heads = n.i("num_heads", 0);
    n.need_rank(3);
    for (const std::size_t k : {std::size_t{6}, std::size_t{7}})
        if (n.has(k) && n.rank(k) != 4) n.wrong("operand {} has rank {}; it needs 4", k, n.rank(k));
    const auto biased = [&](ValueId x, std::int64_t from) {
        if (!n.has(3)) return x;
        if (n.b.dims(x).empty()) n.wrong("an operand is a scalar");
        return n.two("add", x, part_of(n, n.x(3), 0, from, n.b.dims(x).back()));
    };
    Heads h{};
    if (n.rank() == 5) {  // [batch, rows, heads, 3, size]
        const Dims d = n.dims();
        const auto part = [&](std::int64_t k) {
            const ValueId x = n.b.reshape(part_of(n, n.x(0), 3, k, 1), {d[0], d[1], d[2] * d[4]});
            return heads_of(n, biased(x, k * d[2] * d[4]), heads);
        };
        h = {part(0), part(1), part(2)};
    } else {
        const std::int64_t columns = n.dims().back();
        h.q = heads_of(n, biased(n.x(0), 0), heads);
        if (n.has(1) && n.rank(1) == 5) {  // [batch, rows, heads, 2, size]
            const Dims d = n.dims(1);
            const auto part = [&](std::int64_t k) {
                const ValueId x = n.b.reshape(part_of(n, n.x(1), 3, k, 1), {d[0], d[1], d[2] * d[4]});
                return heads_of(n, biased(x, columns + k * d[2] * d[4]), heads);
            };
            h.k = part(0);
            h.v = part(1);
        } else if (n.has(1) && n.has(2)) {
            h.k = n.rank(1) == 4 ? n.x(1) : heads_of(n, biased(n.x(1), columns), heads);
            h.v = n.rank(2) == 4 ? n.x(2) : heads_of(n, biased(n.x(2), 2 * columns), heads);
        } else {
            n.wrong("it has no keys or no values");
        }
    }
    const std::int64_t before = n.has(6) ? n.dims(6)[2] : 0;
    if (n.has(6)) h.k = joined(n, n.x(6), h.k, 2);
    if (n.has(7)) h.v = joined(n, n.x(7), h.v, 2);
    const std::int64_t batch = n.b.dims(h.q)[0], queries = n.b.dims(h.q)[2], keys = n.b.dims(h.k)[2];
    Sight sight;
    if (n.has(4)) sight.allowed.push_back(seen_by(n, n.x(4), batch, keys));
    if (n.has(5)) sight.added.push_back(n.x(5));
    if (n.i("unidirectional", 0) != 0) sight.allowed.push_back(causal(n, queries, keys, before, true, -1, -1));
    n.give(heads_joined(n, attend(n, h.q, h.k, h.v, sight, {.scale = n.f("scale", 0)}).result));
    n.give(h.k);
    n.give(h.v);
}

/// Rows of the tables for the places first, first + 1, .. of each sample.
ValueId angles_at(Import& n, std::size_t table, ValueId places) {
    return n.b.add("take", {n.x(table), places}, {{"axis", std::int64_t{0}}});
}
ValueId places_from(Import& n, std::int64_t first, std::int64_t length) {
    Literal places(DType::I64, {1, length});
    std::iota(places.whole().begin(), places.whole().end(), first);
    return n.b.constant(std::move(places));
}

/// queries, keys, values, past of keys and of values, lengths less one, their largest, cosines, sines, places, what is
/// added to the scores.
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
    q = heads_of(n, q, heads);
    k = heads_of(n, k, given);
    v = heads_of(n, v, given);
    const std::int64_t batch = n.dims()[0], queries = n.dims()[1], past = n.has(3) ? n.dims(3)[2] : 0;
    const std::int64_t keys = past + queries;
    if (past > 0 && n.whole(6) != keys)
        n.unsupported(
            "total_sequence_length is {}, past and queries have {} rows: a cache longer than what is in it; give a "
            "past "
            "of {} rows",
            n.whole(6), keys, n.whole(6) - queries);
    if (past > 0 && batch > 1 && !n.b.literal(n.x(5)))
        n.unsupported("a past of samples of different lengths; compile it for one sample (--shape)");
    if (n.i("do_rotary", 0) != 0) {
        const ValueId places = n.has(9) ? n.x(9) : places_from(n, past, queries);
        const bool interleaved = n.i("rotary_interleaved", 0) != 0;
        const ValueId cos = angles_at(n, 7, places), sin = angles_at(n, 8, places);
        q = rotated(n, q, cos, sin, interleaved);
        k = rotated(n, k, cos, sin, interleaved);
    }
    if (past > 0) {
        k = joined(n, n.x(3), k, 2);
        v = joined(n, n.x(4), v, 2);
    }
    Sight sight;
    const std::int64_t window = n.i("local_window_size", -1);
    sight.allowed.push_back(causal(n, queries, keys, past, true, window > 0 ? window - 1 : -1, -1));
    if (n.has(10)) sight.added.push_back(n.x(10));
    const Attended made = attend(n, q, k, v, sight, {.scale = n.f("scale", 0), .softcap = n.f("softcap", 0)});
    n.give(heads_joined(n, made.result));
    n.give(k);
    n.give(v);
}

/// x, places (one: of the first row), cosines, sines.
void contrib_rotary(Import& n) {
    const bool flat = n.rank() == 3;
    if (n.rank(2) != 2 || n.dims(2)[1] < 1) n.wrong("a table of angles {}", to_string(n.b.type(n.x(2))));
    const std::int64_t size = 2 * n.dims(2).back();
    const std::int64_t heads = n.i("num_heads", 0) != 0 ? n.i("num_heads", 0) : flat ? n.dims()[2] / size : 0;
    const ValueId x = flat ? heads_of(n, n.x(0), heads) : n.x(0);
    if (n.b.dims(x).size() != 4) n.wrong("operand 0 has rank {}; it needs 3 or 4", n.rank());
    ValueId places = n.x(1);
    if (count(n.dims(1)) == 1) {
        const ValueId from_zero = n.b.cast(places_from(n, 0, n.b.dims(x)[2]), n.b.type(places).dtype);
        places = n.two("add", from_zero, n.b.reshape(places, {1, 1}));
    }
    ValueId y = rotated(n, x, angles_at(n, 2, places), angles_at(n, 3, places), n.i("interleaved", 0) != 0);
    if (n.f("scale", 1) != 1) y = n.scaled(y, n.f("scale", 1));
    n.give(flat ? heads_joined(n, y) : y);
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
