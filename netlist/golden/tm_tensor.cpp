#include "netlist/golden/tm_tensor.hpp"

#include <algorithm>
#include <utility>

namespace ttsim::impl {

namespace {

void copy(ConstMatrixView from, MatrixView to) {
    for (std::int64_t r = 0; r < to.rows; ++r) std::copy_n(from.row(r), to.cols, to.row(r));
}

/// Fills `to` with copies of `from` below and beside each other.
void repeat(ConstMatrixView from, MatrixView to) {
    for (std::int64_t r = 0; r < to.rows; r += from.rows)
        for (std::int64_t c = 0; c < to.cols; c += from.cols) copy(from, to.sub(r, c, from.rows, from.cols));
}

void transpose(ConstMatrixView from, MatrixView to) {
    for (std::int64_t r = 0; r < from.rows; ++r)
        for (std::int64_t c = 0; c < from.cols; ++c) to.at(c, r) = from.at(r, c);
}

}  // namespace

TmTensor::TmTensor(const Tensor& in, const OperandTms& tms, TileDim tile) : in_(in) {
    Step source;
    source.z = in.z;
    source.rows = in.rows;
    source.cols = in.cols;
    steps_.push_back(std::move(source));
    TileDim dim = tile;
    if (tms.unpad_rt != 0 || tms.unpad_ct != 0)
        resize(in.rows - tms.unpad_rt * dim.h, in.cols - tms.unpad_ct * dim.w, 0);
    for (const Tm& tm : tms.tms) {
        add(tm, dim);
        if (tm.kind == Tm::Kind::Transpose) std::swap(dim.h, dim.w);
    }
    if (tms.pad_rt != 0 || tms.pad_ct != 0)
        resize(steps_.back().rows + tms.pad_rt * dim.h, steps_.back().cols + tms.pad_ct * dim.w, tms.pad_value);
}

/// Grows or shrinks the matrices at the bottom and the right.
void TmTensor::resize(std::int64_t rows, std::int64_t cols, float fill) {
    Step step;
    step.z = steps_.back().z;
    step.rows = rows;
    step.cols = cols;
    step.fill = fill;
    steps_.push_back(std::move(step));
}

void TmTensor::add(const Tm& tm, TileDim tile) {
    const Step& from = steps_.back();
    const std::int64_t stacked = tm.n == 0 ? from.z : tm.n;
    Step step;
    step.kind = tm.kind;
    step.n = tm.n;
    step.z = from.z;
    step.rows = from.rows;
    step.cols = from.cols;
    switch (tm.kind) {
        case Tm::Kind::BroadcastR:
            step.rows *= tm.n;
            break;
        case Tm::Kind::BroadcastC:
            step.cols *= tm.n;
            break;
        case Tm::Kind::BroadcastZ:
            step.z *= tm.n;
            break;
        case Tm::Kind::HSlice:  // every slice is divided into n new slices
            step.z *= tm.n;
            step.cols /= tm.n;
            break;
        case Tm::Kind::VSlice:
            step.z *= tm.n;
            step.rows /= tm.n;
            break;
        case Tm::Kind::HStack:  // every n slices are joined beside or below each other
            step.n = stacked;
            step.z /= stacked;
            step.cols *= stacked;
            break;
        case Tm::Kind::VStack:
            step.n = stacked;
            step.z /= stacked;
            step.rows *= stacked;
            break;
        case Tm::Kind::Transpose:
            std::swap(step.rows, step.cols);
            break;
        case Tm::Kind::Pad:
            step.rows += tm.rt * tile.h;
            step.cols += tm.ct * tile.w;
            step.fill = tm.value;
            break;
    }
    steps_.push_back(std::move(step));
}

ConstMatrixView TmTensor::slice(std::size_t s, std::int64_t z) {
    if (s == 0) return in_.slice(z);
    Step& step = steps_[s];
    if (step.kind == Tm::Kind::BroadcastZ) return slice(s - 1, z % steps_[s - 1].z);
    if (step.result_z != z) {
        if (step.result.data.empty()) step.result = Tensor(1, step.rows, step.cols);
        compute(s, z, step.result.slice(0));
        step.result_z = z;
    }
    return std::as_const(step.result).slice(0);
}

void TmTensor::compute(std::size_t s, std::int64_t z, MatrixView to) {
    const Step& step = steps_[s];
    const std::int64_t n = step.n;
    switch (step.kind) {
        case Tm::Kind::BroadcastR:
        case Tm::Kind::BroadcastC:
            return repeat(slice(s - 1, z), to);
        case Tm::Kind::BroadcastZ:
            return copy(slice(s, z), to);
        case Tm::Kind::HSlice:
            return copy(slice(s - 1, z / n).sub(0, z % n * to.cols, to.rows, to.cols), to);
        case Tm::Kind::VSlice:
            return copy(slice(s - 1, z / n).sub(z % n * to.rows, 0, to.rows, to.cols), to);
        case Tm::Kind::HStack:
            for (std::int64_t k = 0; k < n; ++k)
                copy(slice(s - 1, z * n + k), to.sub(0, k * (to.cols / n), to.rows, to.cols / n));
            return;
        case Tm::Kind::VStack:
            for (std::int64_t k = 0; k < n; ++k)
                copy(slice(s - 1, z * n + k), to.sub(k * (to.rows / n), 0, to.rows / n, to.cols));
            return;
        case Tm::Kind::Transpose:
            return transpose(slice(s - 1, z), to);
        case Tm::Kind::Pad: {
            const ConstMatrixView from = slice(s - 1, z);
            for (std::int64_t r = 0; r < to.rows; ++r) std::fill_n(to.row(r), to.cols, step.fill);
            return copy(from, to.sub(0, 0, std::min(from.rows, to.rows), std::min(from.cols, to.cols)));
        }
    }
}

Tensor TmTensor::slices(std::int64_t first, std::int64_t count) {
    const std::size_t last = steps_.size() - 1;
    const Step& step = steps_[last];
    Tensor out(count, step.rows, step.cols);
    for (std::int64_t z = 0; z < count; ++z) {
        if (last > 0 && step.kind != Tm::Kind::BroadcastZ)
            compute(last, first + z, out.slice(z));
        else
            copy(slice(last, first + z), out.slice(z));
    }
    return out;
}

Tensor apply_tms(const Tensor& in, const OperandTms& tms, TileDim tile) { return TmTensor(in, tms, tile).all(); }

}  // namespace ttsim::impl
