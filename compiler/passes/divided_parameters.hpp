// Trained tensors of which several parameters hold some rows each, for train-parameters.
//
// Summed gradients are held in L1 while an epoch adds to them. A table whose sum would not fit, and a matrix that the
// compiler found too large (PassValues::divided), become several parameters:
//
//   %y = take %w, %ids {axis = 0}       ->  %y = add (matmul %h0, %w.rows_0), (matmul %h1, %w.rows_5120)
//                                           %h0, %h1: one-hot rows, which the host makes
//   %y = matmul %x, %w                  ->  %y = add (matmul %x0, %w.rows_0), (matmul %x1, %w.rows_2048)
//                                           %x0, %x1: columns of %x
//   %t = transpose %w {perm = [1, 0]}   ->  columns of %y are matmul %x, %w.rows_0^T and matmul %x, %w.rows_2048^T
//   %y = matmul %x, %t
//
// A parameter with other readers stays whole.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

/// Some rows of a tensor.
struct Rows {
    ValueId value = 0;
    std::int64_t first = 0, count = 0;
};

/// Replaces parameters and their readers in a rewrite of the graph. Every `take` of a trained table becomes a product.
class DividedParameters {
public:
    DividedParameters(const Graph& graph, std::int64_t sum_bytes, const std::map<std::string, std::int64_t>& divided);

    std::optional<ValueId> replace(Builder& build, const Node& node, std::span<const ValueId> in);

private:
    using Parts = std::vector<Rows>;

    ValueId divide(Builder& build, const Node& whole, std::int64_t rows);
    std::optional<ValueId> product(Builder& build, ValueId x, ValueId matrix);

    std::map<std::string, std::int64_t> rows_;  // of a part, by name of the node
    std::map<ValueId, Parts> parts_;            // by the first one
    std::map<ValueId, ValueId> transposed_;  // a value of the new graph that stands for the transpose: the first part
};

}  // namespace ttsim::impl::ir
