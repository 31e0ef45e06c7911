// libyaml, which reads large netlists several times as fast as yaml-cpp.
#pragma once

#include <string>
#include <string_view>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

/// The tree of a text, or null if libyaml refuses it or the builder's limits are exceeded. Then yaml-cpp reads it,
/// whose messages tell the user what is wrong.
YamlRoot read_with_libyaml(std::string_view text, const std::string& name);

}  // namespace ttsim::impl
