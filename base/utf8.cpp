#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ttsim::impl {

namespace {

char32_t decode(std::string_view character) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(character[k]); };
    if (character.size() == 1) return byte(0);
    char32_t code = byte(0) & (0xFFU >> (character.size() + 1));
    for (std::size_t k = 1; k < character.size(); ++k) code = code << 6 | (byte(k) & 0x3FU);
    return code;
}

bool is_control(char32_t code) {
    if (code < 0x20) return code != '\n' && code != '\t';
    return (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Whether printable() can copy the character unchanged.
bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(at + k) & 0xC0) != 0x80) return 0;
    const unsigned char second = byte(at + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second >= 0xA0;
    const bool beyond = first == 0xF4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

std::string valid_utf8(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string printable(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        const std::string_view character_bytes = text.substr(at, std::max<std::size_t>(length, 1));
        at += character_bytes.size();
        if (length == 0)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(character_bytes.front()));
        else if (const char32_t code = decode(character_bytes); is_control(code))
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
        else
            out += character_bytes;
    }
    return out;
}

}  // namespace ttsim::impl
