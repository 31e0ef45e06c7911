// Handles untrusted text: names from files, which may hold invalid UTF-8 and terminal control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ttsim::impl {

/// Length in bytes of the UTF-8 character at `at`; 0 if it is invalid.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Replaces each byte that is not valid UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Escapes text for a terminal. Control characters (C0 except line end and tab, DEL, C1) become \u001b, and so do
/// characters that change the writing direction or end a line: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to
/// U+2069. Invalid UTF-8 bytes become \x9b. In a JSON text such an escape means the same character.
std::string printable(std::string_view text);

}  // namespace ttsim::impl
