// Width and colours of standard output and standard error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ttsim::impl::cli {

/// Columns of the terminal of a descriptor: COLUMNS, or the size it reports; nullopt if it is not a terminal.
std::optional<std::size_t> terminal_width(int descriptor);

enum class Colour : std::uint8_t { Auto, Always, Never };
/// Sets the value of --color. Auto: on terminals, unless NO_COLOR is set and not empty (no-color.org) or TERM is dumb.
void set_colour(Colour colour);
bool coloured(int descriptor);

enum class Paint : std::uint8_t { Good, Bad, Doubt, Note };
/// The text between the escape sequences of that paint.
std::string painted(std::string_view text, Paint paint);

/// A message through printable(), with "error:" and "note:" of each line coloured if standard error shows colours.
std::string painted_message(std::string_view text);

/// A finished report, with verdicts coloured if standard output shows colours.
std::string painted_report(std::string_view text);

}  // namespace ttsim::impl::cli
