// Definitions of op attributes. An AttrDef has the name, allowed values, default, description and storage of an
// attribute. Reader, writer, checks and docs are derived from it.
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

/// Stored as bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::map<int, std::int64_t>.
enum class AttrKind : std::uint8_t { Bool, Integer, Number, Word, List, Map };

struct AttrDef;

/// Accessors of an attribute's value in OpAttributes.
struct AttrAccessor {
    AttrValue (*get)(const OpAttributes& from, const AttrDef& def);
    void (*set)(OpAttributes& into, const AttrDef& def, const AttrValue& value);
};

struct AttrDef {
    std::string_view name;
    AttrKind kind;
    std::string_view default_text;  ///< for docs; the actual default for attributes without accessors
    std::string_view meaning;       ///< one sentence
    std::int64_t low = 0;           ///< Integer, Number: allowed range
    std::int64_t high = (std::int64_t{1} << 31) - 1;
    std::string_view words = "";          ///< Word: choices, separated by |; "": any
    std::size_t entries = 0;              ///< List: required length; 0: any
    const AttrAccessor* place = nullptr;  ///< nullptr: OpAttributes::more, by name
};

/// Choice n of a Word; "" if there is none.
std::string attribute_word(const AttrDef& def, std::size_t n);
std::vector<std::string> attribute_words(const AttrDef& def);

AttrValue attribute(const OpAttributes& from, const AttrDef& def);
/// The value must be of the attribute's kind.
void set_attribute(OpAttributes& into, const AttrDef& def, AttrValue value);
bool is_default(const OpAttributes& attributes, const AttrDef& def);
double attribute_number(const OpAttributes& from, const AttrDef& def);  ///< of a Bool, Integer or Number

/// Accessors for a field of OpAttributes.
template <auto Field>
inline constexpr AttrAccessor at{[](const OpAttributes& from, const AttrDef&) -> AttrValue {
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

/// Accessors for an enum field with one of Values for each of the attribute's words, in order. Other values yield the
/// default.
template <auto Field, auto... Values>
inline constexpr AttrAccessor enum_field{[](const OpAttributes& from, const AttrDef& def) -> AttrValue {
                                             std::size_t n = 0;
                                             const bool found = ((from.*Field == Values || (++n, false)) || ...);
                                             return found ? attribute_word(def, n) : std::string();
                                         },
                                         [](OpAttributes& into, const AttrDef& def, const AttrValue& value) {
                                             constexpr std::array values{Values...};
                                             const std::vector<std::string> words = attribute_words(def);
                                             TT_CHECK(words.size() == values.size(), "'{}' has {} words for {} values",
                                                      def.name, words.size(), values.size());
                                             for (std::size_t n = 0; n < words.size(); ++n)
                                                 if (words[n] == std::get<std::string>(value)) into.*Field = values[n];
                                         }};

}  // namespace ttsim::impl
