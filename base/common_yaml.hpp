// A reader of the YAML that netlists and chip descriptions are written in, some times as fast as libyaml: ASCII without
// tabs, block and flow collections, keys and scalars of one line. libyaml reads everything else.
#pragma once

#include <string>
#include <string_view>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

/// The tree that libyaml's events give. Null if the text has, or may have, anything else than the above, or a mistake.
/// Such are anchors, tags, block scalars, escapes, scalars of several lines and document markers. Scalars are parts of
/// the text, which the tree keeps.
YamlRoot read_common_yaml(std::shared_ptr<const std::string> text, const std::string& name);
inline YamlRoot read_common_yaml(std::string text, const std::string& name) {
    return read_common_yaml(std::make_shared<const std::string>(std::move(text)), name);
}

}  // namespace ttsim::impl
