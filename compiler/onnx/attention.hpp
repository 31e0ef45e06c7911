// Attention and rotary positions of ops that have them whole, made of products, a softmax and masks.
#pragma once

#include "compiler/onnx/join.hpp"

namespace ttsim::impl::ir {

/// [batch, rows, heads * size] as [batch, heads, rows, size]. Fails where heads do not divide the columns.
ValueId heads_of(Import& n, ValueId x, std::int64_t heads);
/// The way back.
ValueId heads_joined(Import& n, ValueId x);
/// Each slice of the heads' axis `times` times, next to each other.
ValueId heads_repeated(Import& n, ValueId x, std::int64_t times);

/// Which keys a query sees. What is given is broadcast to [batch, heads, queries, keys].
struct Sight {
    std::vector<ValueId> allowed;  ///< booleans: all must be true
    std::vector<ValueId> added;    ///< to the scores
};
struct Scores {
    ValueId scaled, capped, biased, weights;
};
struct AttentionSpec {
    double scale = 0;         ///< of the products; 0: the root of the head's size
    double softcap = 0;       ///< 0: none
    bool keep_empty = false;  ///< a query that sees nothing gets zeros, as ONNX says
};
/// All four dimensions are [batch, heads, rows, size]; heads of keys and values may be a divisor of the queries'.
struct Attended {
    ValueId result;
    Scores scores;
};
Attended attend(Import& n, ValueId q, ValueId k, ValueId v, const Sight& sight, const AttentionSpec& spec);

/// Booleans [1, 1, queries, keys]: keys before and at the query's own place, which is `past` behind the first; with
/// `left` or `right` >= 0 no further away than that.
ValueId causal(Import& n, std::int64_t queries, std::int64_t keys, std::int64_t past, bool forward, std::int64_t left,
               std::int64_t right);
/// Keys below a length for each sample: booleans [batch, 1, 1, keys].
ValueId within_length(Import& n, ValueId lengths, std::int64_t keys);

/// x [batch, heads, rows, size] turned by angles whose cosines and sines are [batch or 1, rows, half].
ValueId rotated(Import& n, ValueId x, ValueId cosines, ValueId sines, bool interleaved);

}  // namespace ttsim::impl::ir
