// TMs on whole tensors, for golden. Elaboration uses index maps (netlist/plan/tm_map.hpp).
#pragma once

#include "netlist/tm.hpp"

namespace ttsim::impl {

/// An operand after its TMs (unpad, TMs in order, pad; transposes also transpose inside the tiles), computed slice by
/// slice on demand. Of a broadcast only the current slices are in memory. `in` must outlive it.
class TmTensor {
public:
    /// tile is the producer's tile dim.
    TmTensor(const Tensor& in, const OperandTms& tms, TileDim tile);
    std::int64_t z() const { return steps_.back().z; }
    std::int64_t slice_elements() const { return steps_.back().rows * steps_.back().cols; }
    Tensor slices(std::int64_t first, std::int64_t count);
    Tensor all() { return slices(0, z()); }

private:
    /// A TM and its result; the first step is the tensor itself.
    struct Step {
        Tm::Kind kind = Tm::Kind::Pad;
        std::int64_t n = 1;
        std::int64_t z = 0, rows = 0, cols = 0;
        float fill = 0;
        Tensor result;  ///< the last computed slice
        std::int64_t result_z = -1;
    };
    void add(const Tm& tm, TileDim tile);
    void resize(std::int64_t rows, std::int64_t cols, float fill);
    ConstMatrixView slice(std::size_t step, std::int64_t z);
    void compute(std::size_t step, std::int64_t z, MatrixView to);

    const Tensor& in_;
    std::vector<Step> steps_;
};

/// The complete operand after its TMs.
Tensor apply_tms(const Tensor& in, const OperandTms& tms, TileDim tile);

}  // namespace ttsim::impl
