// Checks the bit-true arithmetic against recorded register and memory contents: a folder with index.json and .npy
// arrays (docs/vectors.md). Every recorded result of an instruction or tile sequence is recomputed and compared bit by
// bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ttsim::impl {

/// One entry of the index.
struct VectorResult {
    std::string id;
    std::string kind;         ///< id up to the slash: mvmul, pack, matmul, ...
    bool gated = true;        ///< false: its authority is a document, not a machine; differences do not count
    std::int64_t values = 0;  ///< elements compared
    std::int64_t differing = 0;
    std::string first;  ///< first difference: array, place, got, want; empty when there is none
};

struct VectorReport {
    std::string set;                    ///< name of the set, from the index
    std::vector<VectorResult> results;  ///< in the order of the index
    bool pass() const;                  ///< no gated entry differs
    bool compared() const;              ///< a gated entry had elements to compare
};

/// Throws Error(Input) naming file and entry: no index, wrong JSON, missing fields, arrays of wrong sizes, unknown
/// kinds of entries.
VectorReport check_vectors(const std::filesystem::path& folder);

}  // namespace ttsim::impl
