// Tensors and matrix views in elements, as float32. Raw formats (RawUInt8/16/32) are stored as bit patterns inside the
// floats: copy them, never compute with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/tile.hpp"

namespace ttsim::impl {

/// A view of a row-major matrix; row r starts at data + r * stride.
template <class T>
struct BasicMatrixView {
    T* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stride = 0;

    T* row(std::int64_t r) const { return data + r * stride; }
    T& at(std::int64_t r, std::int64_t c) const { return data[r * stride + c]; }
    BasicMatrixView sub(std::int64_t r, std::int64_t c, std::int64_t nr, std::int64_t nc) const {
        return {data + r * stride + c, nr, nc, stride};
    }
    operator BasicMatrixView<const T>() const { return {data, rows, cols, stride}; }
};
using MatrixView = BasicMatrixView<float>;
using ConstMatrixView = BasicMatrixView<const float>;

/// Shape in tiles.
struct TileShape {
    std::int64_t z = 0, rt = 0, ct = 0;
    friend bool operator==(const TileShape&, const TileShape&) = default;
    std::int64_t tiles() const { return z * rt * ct; }
};

/// An entry of a queue or a result of an op: z slices of rows x cols elements, slice by slice, row-major.
struct Tensor {
    std::int64_t z = 0, rows = 0, cols = 0;
    std::vector<float> data;

    Tensor() = default;
    Tensor(std::int64_t z_, std::int64_t rows_, std::int64_t cols_, float fill = 0.0F)
        : z(z_), rows(rows_), cols(cols_), data(static_cast<std::size_t>(z_ * rows_ * cols_), fill) {}
    Tensor(TileShape shape, TileDim dim) : Tensor(shape.z, shape.rt * dim.h, shape.ct * dim.w) {}
    MatrixView slice(std::int64_t k) { return {data.data() + k * rows * cols, rows, cols, cols}; }
    ConstMatrixView slice(std::int64_t k) const { return {data.data() + k * rows * cols, rows, cols, cols}; }
    std::int64_t size() const { return z * rows * cols; }
};

}  // namespace ttsim::impl
