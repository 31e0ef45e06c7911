// JSON values with their locations in the file, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::noc {

struct Json {
    enum class Kind : std::uint8_t { Null, Flag, Integer, Real, Text, List, Map };
    Kind kind = Kind::Null;
    std::uint32_t line = 0, column = 0;  ///< position of the value's key, or of the value in a list
    std::int64_t integer = 0;            ///< value of an Integer or Flag
    double real = 0;                     ///< value of a Real or Integer
    std::string text;                    ///< value of a Text
    std::string key;                     ///< key of a member of a Map
    std::vector<Json> items;             ///< items of a List or Map, in file order

    /// The member with that name; nullptr when there is none, the last one when the key is repeated.
    const Json* find(std::string_view name) const;
};

/// Reads a file of at most 1 GiB; throws Error(Input) with the location of a syntax error.
Json read_json(const std::string& file);
Json parse_json(std::string_view text, const std::string& name);

std::string_view kind_name(Json::Kind kind);

}  // namespace ttsim::impl::noc
