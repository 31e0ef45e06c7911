// Text of unknown origin: names out of files, which may hold bytes that are no UTF-8, and characters that a terminal
// takes for commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ttsim::impl {

/// Bytes of the UTF-8 character at `at`; 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// What is no UTF-8 becomes U+FFFD, byte by byte.
std::string valid_utf8(std::string_view text);

/// Text as a terminal may show it. Control characters (C0 but line end and tab, DEL, C1) become \u001b, and so do those
/// that change the direction of writing or end a line: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
/// Bytes that are no UTF-8 become \x9b. In a JSON text, such an escape means the same character as before.
std::string printable(std::string_view text);

}  // namespace ttsim::impl
