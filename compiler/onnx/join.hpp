// Values one behind the other along an axis; turns of loops.
#pragma once

#include <span>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

ValueId joined(Import& n, ValueId a, ValueId b, std::int64_t axis);
/// All of them, which is at least one.
ValueId joined(Import& n, std::span<const ValueId> parts, std::int64_t axis);

/// Marks what a loop adds, turn by turn: the device may then loop itself (passes/reroll_loops.cpp).
class IterationMarks {
public:
    /// Of so many turns; short loops are not marked.
    IterationMarks(Import& n, std::int64_t iterations);
    /// The nodes added since the last call are of the next turn.
    void next();
    /// What the turns gathered, one behind the other.
    ValueId joined(std::span<const ValueId> parts, std::int64_t axis);

private:
    Import& n_;
    bool marks_;
    std::string name_;
    std::size_t from_;
    std::int64_t iteration_ = 0;
};

}  // namespace ttsim::impl::ir
