// What a check against recorded bits says, as a table and as JSON.
#pragma once

#include <string>

#include "tools/validation/vectors/vectors.hpp"

namespace ttsim::impl {

/// A line a kind of entry, then the entries that differ and do not count.
std::string vector_table(const VectorReport& report);
/// Set, verdict, kinds, and entry by entry.
std::string vector_json(const VectorReport& report);

}  // namespace ttsim::impl
