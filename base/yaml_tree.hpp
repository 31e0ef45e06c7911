// A YAML document as a tree that keeps source locations and repeated keys.
// text --read_common_yaml() or libyaml's events--> YamlNode tree --YamlMap (base/yaml_map.hpp)--> structs
// yaml-cpp reads a text that libyaml refuses, and gives the message if it is wrong.
// Errors with a source location: more than one document, cyclic aliases, more than 10 M nodes after alias expansion,
// nesting deeper than 200, invalid UTF-8, an empty document.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl {

struct YamlNode {
    enum class Kind { Null, Scalar, Sequence, Map } kind = Kind::Null;
    int line = 0, column = 0;  ///< from 1
    std::string scalar;
    bool quoted = false;                                 ///< scalar was quoted: never null
    std::vector<std::shared_ptr<const YamlNode>> items;  ///< Sequence
    std::vector<std::pair<std::shared_ptr<const YamlNode>, std::shared_ptr<const YamlNode>>>
        entries;  ///< Map, all pairs in file order

    bool is_null() const { return kind == Kind::Null; }
    bool is_scalar() const { return kind == Kind::Scalar; }
    bool is_sequence() const { return kind == Kind::Sequence; }
    bool is_map() const { return kind == Kind::Map; }
    SourceLoc loc(const std::string& file) const { return {file, line, column}; }
};
using YamlPtr = std::shared_ptr<const YamlNode>;

YamlPtr load_yaml_file(const std::string& file);  ///< Throws Error(Input)
YamlPtr load_yaml_text(std::string_view text, const std::string& name);
/// The same by the slower parser alone, for tests. Null for an empty text.
YamlPtr read_with_yaml_cpp(std::string_view text, const std::string& name);

}  // namespace ttsim::impl
