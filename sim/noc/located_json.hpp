// JSON whose values know their place in the file, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::noc {

struct Json {
    enum class Kind : std::uint8_t { Null, Flag, Whole, Real, Text, List, Map };
    Kind kind = Kind::Null;
    std::uint32_t line = 0, column = 0;  ///< of the value's key, or of the value in a list
    std::int64_t whole = 0;              ///< also a Flag's
    double real = 0;                     ///< also a Whole's
    std::string text;                    ///< of a Text
    std::string key;                     ///< in a Map
    std::vector<Json> items;             ///< of a List or Map, in file order

    /// The member of that name, nullptr when there is none; of a repeated key the last.
    const Json* find(std::string_view name) const;
};

/// Reads a file of at most 1 GiB; throws Error(Input) with the place of what is no JSON.
Json read_json(const std::string& file);
Json parse_json(std::string_view text, const std::string& name);

std::string_view kind_name(Json::Kind kind);

}  // namespace ttsim::impl::noc
