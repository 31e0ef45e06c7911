// Results of the check against recorded register and memory contents, as a table and JSON.
#pragma once

#include <string>

#include "tools/validation/vectors/vectors.hpp"

namespace ttsim::impl {

/// One line per kind of entry, then the differing entries that do not count.
std::string vector_table(const VectorReport& report);
/// Set, verdict, kinds and all entries.
std::string vector_json(const VectorReport& report);

}  // namespace ttsim::impl
