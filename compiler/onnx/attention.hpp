// Attention and rotary embeddings as products, a softmax and masks, for ops that contain all of it.
#pragma once

#include "compiler/onnx/join.hpp"

namespace ttsim::impl::ir {

/// [batch, rows, heads * size] as [batch, heads, rows, size]. Fails if the heads do not divide the columns.
ValueId split_heads(Import& n, ValueId x, std::int64_t heads);
/// The inverse of split_heads().
ValueId merge_heads(Import& n, ValueId x);
/// Repeats each head `times` times, next to each other.
ValueId repeat_heads(Import& n, ValueId x, std::int64_t times);

/// Which keys a query attends to. All values are broadcast to [batch, heads, queries, keys].
struct AttentionMask {
    std::vector<ValueId> allowed;  ///< booleans; a key is masked unless all are true
    std::vector<ValueId> biases;   ///< added to the scores
};
struct Scores {
    ValueId scaled, capped, biased, weights;
};
struct AttentionSpec {
    double scale = 0;                ///< of the scores; 0: 1 / sqrt(size of a head)
    double softcap = 0;              ///< 0: none
    bool zero_fully_masked = false;  ///< a query without unmasked keys gets zeros, as ONNX specifies
};
struct AttentionValues {
    ValueId result;
    Scores scores;
};
/// Operands are [batch, heads, rows, size]; the heads of keys and values may be a divisor of those of the queries.
AttentionValues attend(Import& n, ValueId q, ValueId k, ValueId v, const AttentionMask& masks,
                       const AttentionSpec& spec);

/// Booleans [1, 1, queries, keys]. Query i has the position past + i. `forward`: keys at later positions are masked.
/// `left`, `right` >= 0: keys further away than that are masked.
ValueId causal_mask(Import& n, std::int64_t queries, std::int64_t keys, std::int64_t past, bool forward,
                    std::int64_t left, std::int64_t right);
/// Booleans [batch, 1, 1, keys]: keys below the length of each sample.
ValueId length_mask(Import& n, ValueId lengths, std::int64_t keys);

/// Rotates x [batch, heads, rows, size] by angles whose cosines and sines are [batch or 1, rows, half].
ValueId apply_rotary(Import& n, ValueId x, ValueId cosines, ValueId sines, bool interleaved);

}  // namespace ttsim::impl::ir
