// .npy files, version 1.0, C order, float32 or int32.
#pragma once

#include <cstdint>
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

/// Throws Error(Input) naming the file: wrong magic, dtype, rank, truncated data.
QueueArray read_npy(const std::string& file, bool raw);
/// Writes to a temporary beside the file and renames; throws Error(Input) when the folder cannot be written.
void write_npy(const std::string& file, const QueueArray& array);

}  // namespace ttsim::impl
