// Parsers for the JSON lists in columns of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/reader.hpp"

namespace ttsim::impl::trace {

// They throw Error(Input) with the trace's path when the text is not such a list.
std::vector<std::int64_t> whole_list(const Reader& trace, const std::string& text);
std::vector<double> real_list(const Reader& trace, const std::string& text);
/// [[1, 4096], [0, 8192]] -> 1, 0
std::vector<std::int64_t> first_of_each(const Reader& trace, const std::string& text);

}  // namespace ttsim::impl::trace
