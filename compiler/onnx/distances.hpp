// Distances of all rows of one matrix from all rows of another.
#pragma once

#include <onnx/messages.pb.h>

#include <optional>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

/// Squared distances of the rows of `a` [n, d] from the rows of `b` [m, d]: [n, m].
ValueId squared_distances(Import& n, ValueId a, ValueId b);

/// A Scan over the rows of one matrix with another matrix as constant state that computes distances of all pairs of
/// rows. Converters of scikit-learn write CDist so.
struct ScannedDistances {
    bool root = false;  ///< distances instead of squared distances
};
/// Recognizes such a Scan by its graph; nullopt for others.
std::optional<ScannedDistances> scanned_distances(const onnx::GraphProto& body);

}  // namespace ttsim::impl::ir
