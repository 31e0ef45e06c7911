// Attributes of ops. An AttrDef is all that is said of one: its name, what it may hold, its default, its meaning, and
// where its value is. The reader, the writer, the checks and the docs follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/op_config.hpp"

namespace ttsim::impl {

/// Held as bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::map<int, std::int64_t>.
enum class AttrKind : std::uint8_t { Bool, Integer, Number, Word, List, Map };

struct AttrDef;

/// Where values of an attribute are in OpAttributes.
struct AttrPlace {
    AttrValue (*get)(const OpAttributes& from, const AttrDef& def);
    void (*set)(OpAttributes& into, const AttrDef& def, const AttrValue& value);
};

struct AttrDef {
    std::string_view name;
    AttrKind kind;
    std::string_view default_text;  ///< for docs; of attributes without a place the default itself
    std::string_view meaning;       ///< one sentence
    std::int64_t low = 0;           ///< Integer, Number: allowed range
    std::int64_t high = (std::int64_t{1} << 31) - 1;
    std::string_view words = "";       ///< Word: choices, separated by |; none: any
    std::size_t entries = 0;           ///< List: how many numbers it has; 0: any
    const AttrPlace* place = nullptr;  ///< nullptr: OpAttributes::more, by name
};

/// Choice n of a Word; "" when there is none.
std::string word_of(const AttrDef& def, std::size_t n);
std::vector<std::string> words_of(const AttrDef& def);

AttrValue attribute(const OpAttributes& from, const AttrDef& def);
/// The value must be of the attribute's kind.
void set_attribute(OpAttributes& into, const AttrDef& def, AttrValue value);
bool is_default(const OpAttributes& attributes, const AttrDef& def);
double attribute_number(const OpAttributes& from, const AttrDef& def);  ///< of a Bool, Integer or Number

/// A field of OpAttributes.
template <auto Field>
inline constexpr AttrPlace at{[](const OpAttributes& from, const AttrDef&) -> AttrValue {
                                  using T = std::remove_cvref_t<decltype(from.*Field)>;
                                  if constexpr (std::is_same_v<T, bool>)
                                      return from.*Field;
                                  else if constexpr (std::is_integral_v<T>)
                                      return std::int64_t{from.*Field};
                                  else if constexpr (std::is_floating_point_v<T>)
                                      return double{from.*Field};
                                  else
                                      return from.*Field;
                              },
                              [](OpAttributes& into, const AttrDef&, const AttrValue& value) {
                                  using T = std::remove_cvref_t<decltype(into.*Field)>;
                                  if constexpr (std::is_same_v<T, bool>)
                                      into.*Field = std::get<bool>(value);
                                  else if constexpr (std::is_integral_v<T>)
                                      into.*Field = static_cast<T>(std::get<std::int64_t>(value));
                                  else if constexpr (std::is_floating_point_v<T>)
                                      into.*Field = static_cast<T>(std::get<double>(value));
                                  else
                                      into.*Field = std::get<T>(value);
                              }};

/// A field that has one of Values for each of the attribute's words, in their order; with another it has the default.
template <auto Field, auto... Values>
inline constexpr AttrPlace word_at{[](const OpAttributes& from, const AttrDef& def) -> AttrValue {
                                       std::size_t n = 0;
                                       const bool found = ((from.*Field == Values || (++n, false)) || ...);
                                       return found ? word_of(def, n) : std::string();
                                   },
                                   [](OpAttributes& into, const AttrDef& def, const AttrValue& value) {
                                       constexpr std::array values{Values...};
                                       const std::vector<std::string> words = words_of(def);
                                       TT_CHECK(words.size() == values.size(), "'{}' has {} words for {} values",
                                                def.name, words.size(), values.size());
                                       for (std::size_t n = 0; n < words.size(); ++n)
                                           if (words[n] == std::get<std::string>(value)) into.*Field = values[n];
                                   }};

}  // namespace ttsim::impl
