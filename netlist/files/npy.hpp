// Reads and writes .npy files, version 1.0, C order, float32 or int32.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/tensor.hpp"

namespace ttsim::impl {

/// Entries of a queue as [entries, z, rows, cols].
struct QueueArray {
    bool integer = false;  ///< dtype int32 (values or bit patterns), else float32
    std::int64_t z = 0, rows = 0, cols = 0;
    std::vector<Tensor> entries;  ///< integer: values as floats, raw formats as bit patterns (see `raw`)
    bool raw = false;             ///< integer elements are bit patterns inside the floats
};

/// Throws Error(Input) naming the file for wrong magic, dtype, rank or truncated data.
QueueArray read_npy(const std::string& file, bool raw);
/// Writes a temporary file and renames it; throws Error(Input) if the folder is not writable.
void write_npy(const std::string& file, const QueueArray& array);

/// What a file holds: [entries, z, rows, cols].
struct NpyShape {
    bool integer = false;  ///< dtype int32, from bit patterns inside floats; else float32
    std::int64_t entries = 1, z = 0, rows = 0, cols = 0;
};
/// Passes all elements in order, piece by piece, so that they are never in memory together.
using FloatPieces = std::function<void(const std::function<void(std::span<const float>)>& use)>;
/// The same with elements in pieces.
void write_npy(const std::string& file, const NpyShape& shape, const FloatPieces& pieces);

}  // namespace ttsim::impl
