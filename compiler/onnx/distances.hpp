// Distances of all rows of one matrix from all rows of another.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

/// Squares of the distances of the rows of `a` [n, d] from those of `b` [m, d]: [n, m].
ValueId squared_distances(Import& n, ValueId a, ValueId b);

/// What a Scan over the rows of a matrix does with a matrix that stays as it is, where that is a distance of each pair
/// of rows, as converters of scikit-learn write CDist.
struct ScannedDistances {
    bool root = false;  ///< distances, not their squares
};
/// Of the Scan's graph; none: it does something else.
std::optional<ScannedDistances> scanned_distances(const onnx::GraphProto& body);

}  // namespace ttsim::impl::ir
