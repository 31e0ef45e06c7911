// The JSON lists in columns of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

// Throw Error(Input) at the trace where the text is no such list.
std::vector<std::int64_t> whole_list(const Reader& trace, const std::string& text);
std::vector<double> real_list(const Reader& trace, const std::string& text);
/// [[1, 4096], [0, 8192]] -> 1, 0
std::vector<std::int64_t> first_of_each(const Reader& trace, const std::string& text);

}  // namespace ttsim::impl::trace
