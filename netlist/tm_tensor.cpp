#include "netlist/tm_tensor.hpp"

#include <algorithm>

namespace tt {

namespace {

/// Copies a block of `from` to `to`, both given by slice and first datum.
void copy_block(const Tensor& from, std::int64_t z, std::int64_t r, std::int64_t c, Tensor& to, std::int64_t to_z,
                std::int64_t to_r, std::int64_t to_c, std::int64_t rows, std::int64_t cols) {
    for (std::int64_t k = 0; k < rows; ++k)
        std::copy_n(from.slice(z).row(r + k) + c, cols, to.slice(to_z).row(to_r + k) + to_c);
}

Tensor broadcast(const Tensor& in, std::int64_t nz, std::int64_t nr, std::int64_t nc) {
    Tensor out(in.z * nz, in.rows * nr, in.cols * nc);
    for (std::int64_t z = 0; z < out.z; ++z)
        for (std::int64_t r = 0; r < nr; ++r)
            for (std::int64_t c = 0; c < nc; ++c)
                copy_block(in, z % in.z, 0, 0, out, z, r * in.rows, c * in.cols, in.rows, in.cols);
    return out;
}

/// Cuts every slice into down x across parts, one new slice each.
Tensor slice_up(const Tensor& in, std::int64_t down, std::int64_t across) {
    const std::int64_t n = down * across;
    Tensor out(in.z * n, in.rows / down, in.cols / across);
    for (std::int64_t z = 0; z < in.z; ++z)
        for (std::int64_t s = 0; s < n; ++s)
            copy_block(in, z, down > 1 ? s * out.rows : 0, across > 1 ? s * out.cols : 0, out, z * n + s, 0, 0,
                       out.rows, out.cols);
    return out;
}

/// Joins every n slices into one, below or beside each other.
Tensor stack_up(const Tensor& in, std::int64_t n, bool below) {
    Tensor out(in.z / n, below ? in.rows * n : in.rows, below ? in.cols : in.cols * n);
    for (std::int64_t z = 0; z < in.z; ++z) {
        const std::int64_t s = z % n;
        copy_block(in, z, 0, 0, out, z / n, below ? s * in.rows : 0, below ? 0 : s * in.cols, in.rows, in.cols);
    }
    return out;
}

Tensor transpose(const Tensor& in) {
    Tensor out(in.z, in.cols, in.rows);
    for (std::int64_t z = 0; z < in.z; ++z) {
        const ConstMatrixView from = in.slice(z);
        const MatrixView to = out.slice(z);
        for (std::int64_t r = 0; r < in.rows; ++r)
            for (std::int64_t c = 0; c < in.cols; ++c) to.at(c, r) = from.at(r, c);
    }
    return out;
}

/// Grows or shrinks at the bottom and the right.
Tensor resize(const Tensor& in, std::int64_t rows, std::int64_t cols, float fill) {
    Tensor out(in.z, rows, cols, fill);
    for (std::int64_t z = 0; z < in.z; ++z)
        copy_block(in, z, 0, 0, out, z, 0, 0, std::min(rows, in.rows), std::min(cols, in.cols));
    return out;
}

Tensor apply(const Tensor& in, const Tm& tm, TileDim tile) {
    const std::int64_t stacked = tm.n == 0 ? in.z : tm.n;
    switch (tm.kind) {
        case Tm::Kind::BroadcastR:
            return broadcast(in, 1, tm.n, 1);
        case Tm::Kind::BroadcastC:
            return broadcast(in, 1, 1, tm.n);
        case Tm::Kind::BroadcastZ:
            return broadcast(in, tm.n, 1, 1);
        case Tm::Kind::HSlice:
            return slice_up(in, 1, tm.n);
        case Tm::Kind::VSlice:
            return slice_up(in, tm.n, 1);
        case Tm::Kind::HStack:
            return stack_up(in, stacked, false);
        case Tm::Kind::VStack:
            return stack_up(in, stacked, true);
        case Tm::Kind::Transpose:
            return transpose(in);
        case Tm::Kind::Pad:
            return resize(in, in.rows + tm.rt * tile.h, in.cols + tm.ct * tile.w, tm.value);
    }
    return in;
}

}  // namespace

Tensor apply_tms(const Tensor& in, const OperandTms& tms, TileDim tile) {
    TileDim dim = tile;
    Tensor out = tms.unpad_rt != 0 || tms.unpad_ct != 0
                     ? resize(in, in.rows - tms.unpad_rt * dim.h, in.cols - tms.unpad_ct * dim.w, 0)
                     : in;
    for (const Tm& tm : tms.tms) {
        out = apply(out, tm, dim);
        if (tm.kind == Tm::Kind::Transpose) std::swap(dim.h, dim.w);
    }
    if (tms.pad_rt != 0 || tms.pad_ct != 0)
        out = resize(out, out.rows + tms.pad_rt * dim.h, out.cols + tms.pad_ct * dim.w, tms.pad_value);
    return out;
}

}  // namespace tt
