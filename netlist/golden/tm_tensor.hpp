// TMs as moves of whole tensors: golden's road. Elaboration has its own (netlist/plan/tm_map.hpp).
#pragma once

#include "netlist/tm.hpp"

namespace ttsim::impl {

/// An operand as its TMs leave it (unpad, TMs in order, pad; transposes also transpose inside the tiles), made slice by
/// slice as it is asked for: of what a broadcast repeats, only the slices in hand lie in memory. `in` must outlive it.
class MovedTensor {
public:
    /// tile is the producer's tile dim.
    MovedTensor(const Tensor& in, const OperandTms& tms, TileDim tile);
    std::int64_t z() const { return steps_.back().z; }
    std::int64_t slice_elements() const { return steps_.back().rows * steps_.back().cols; }
    Tensor slices(std::int64_t first, std::int64_t count);
    Tensor all() { return slices(0, z()); }

private:
    /// One TM and what comes out of it; the first is the tensor itself.
    struct Step {
        Tm::Kind kind = Tm::Kind::Pad;
        std::int64_t n = 1;
        std::int64_t z = 0, rows = 0, cols = 0;
        float fill = 0;
        Tensor made;  ///< the slice made last
        std::int64_t made_z = -1;
    };
    void add(const Tm& tm, TileDim tile);
    void resize(std::int64_t rows, std::int64_t cols, float fill);
    ConstMatrixView slice(std::size_t step, std::int64_t z);
    void make(std::size_t step, std::int64_t z, MatrixView to);

    const Tensor& in_;
    std::vector<Step> steps_;
};

/// The whole of it.
Tensor apply_tms(const Tensor& in, const OperandTms& tms, TileDim tile);

}  // namespace ttsim::impl
