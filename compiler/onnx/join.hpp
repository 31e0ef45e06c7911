// Concatenates values along an axis, and marks the iterations of unrolled loops.
#pragma once

#include <span>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

ValueId joined(Import& n, ValueId a, ValueId b, std::int64_t axis);
/// Concatenates one or more values.
ValueId joined(Import& n, std::span<const ValueId> parts, std::int64_t axis);

/// Marks the nodes of each iteration of an unrolled loop, so that passes/reroll_loops.cpp can reroll it.
class IterationMarks {
public:
    /// Short loops are not marked.
    IterationMarks(Import& n, std::int64_t iterations);
    /// The nodes added since the last call belong to the next iteration.
    void next();
    /// Concatenates the scan outputs of all iterations.
    ValueId joined(std::span<const ValueId> parts, std::int64_t axis);

private:
    Import& n_;
    bool marks_;
    std::string name_;
    std::size_t from_;
    std::int64_t iteration_ = 0;
};

}  // namespace ttsim::impl::ir
