// What standard output and standard error are: wide or not, coloured or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ttsim::impl::cli {

/// Columns of the terminal behind a descriptor: COLUMNS, or what the terminal says; none when it is no terminal.
std::optional<std::size_t> terminal_width(int descriptor);

enum class Colour : std::uint8_t { Auto, Always, Never };
/// What --color says. Auto: on terminals, unless NO_COLOR is set and not empty (no-color.org) or TERM is dumb.
void set_colour(Colour colour);
bool coloured(int descriptor);

enum class Paint : std::uint8_t { Good, Bad, Doubt, Note };
/// The text between the escapes of that paint.
std::string painted(std::string_view text, Paint paint);

/// A message, as printable() has it: "error:" and "note:" of each line stand out, where standard error shows colours.
std::string painted_message(std::string_view text);

/// A finished report as standard output shows it: verdicts stand out, where it shows colours.
std::string painted_report(std::string_view text);

}  // namespace ttsim::impl::cli
