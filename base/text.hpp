// Small text helpers shared by messages and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tt {

/// The known name nearest to a wrong one, at most two edits away; "" when there is none.
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

std::string to_lower(std::string_view text);

}  // namespace tt
