// A YAML document as a tree that keeps source locations and repeated keys.
// text --read_common_yaml() or libyaml's events--> YamlNode tree --YamlMap (base/yaml_map.hpp)--> structs
// yaml-cpp reads a text that libyaml refuses, and gives the message if it is wrong.
// Errors with a source location: more than one document, cyclic aliases, more than 10 M nodes after alias expansion,
// nesting deeper than 200, invalid UTF-8, an empty document.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace ttsim::impl {

struct YamlNode;
using YamlPtr = const YamlNode*;  ///< valid as long as its tree (YamlRoot)

struct YamlNode {
    enum class Kind : std::uint8_t { Null, Scalar, Sequence, Map } kind = Kind::Null;
    bool quoted = false;       ///< scalar was quoted: never null
    int line = 0, column = 0;  ///< from 1
    std::string_view scalar = {};
    std::span<const YamlPtr> items = {};                        ///< Sequence
    std::span<const std::pair<YamlPtr, YamlPtr>> entries = {};  ///< Map, all pairs in file order

    bool is_null() const { return kind == Kind::Null; }
    bool is_scalar() const { return kind == Kind::Scalar; }
    bool is_sequence() const { return kind == Kind::Sequence; }
    bool is_map() const { return kind == Kind::Map; }
    SourceLoc loc(const std::string& file) const { return {file, line, column}; }
};
/// The first node of a tree; holds all nodes and their texts.
using YamlRoot = std::shared_ptr<const YamlNode>;

YamlRoot load_yaml_file(const std::string& file);  ///< Throws Error(Input)
YamlRoot load_yaml_text(std::string_view text, const std::string& name);
/// The same by the slower parser alone, for tests. Null for an empty text.
YamlRoot read_with_yaml_cpp(std::string_view text, const std::string& name);

}  // namespace ttsim::impl
