// Small text helpers shared by messages and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl {

/// The known name nearest to a wrong one; "" when there is none. Letter case does not count. Near is what few edits
/// (a letter left out, put in, exchanged, or two neighbours swapped) make equal: one for words of up to 3 letters, two,
/// or three from 12 letters on. The only name with a part that begins so is nearer than two edits: "n150" means
/// "wh_n150".
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

std::string to_lower(std::string_view text);

}  // namespace ttsim::impl
