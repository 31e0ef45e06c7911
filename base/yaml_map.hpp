// Typed access to YAML maps. Errors name the place in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

struct IntRange {
    std::int64_t low = 0, high = (std::int64_t{1} << 62);
};

/// Wraps one map. Read every key, then call done(): it reports keys that were not read, so that misspelt keys are
/// errors. The last value of a repeated key wins.
class YamlMap {
public:
    /// The tree of `node` must outlive the map, and what it gives.
    YamlMap(YamlPtr node, std::string file, std::string path);
    /// Keeps the tree.
    YamlMap(YamlRoot root, std::string file, std::string path);
    static YamlMap from_file(const std::string& file);
    static YamlMap from_text(std::string_view text, const std::string& name = "<text>");

    bool has(std::string_view key) const;
    std::int64_t integer(std::string_view key, IntRange allowed = {});  ///< required; decimal or 0x
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise, IntRange allowed = {});
    double number(std::string_view key);
    double number_or(std::string_view key, double otherwise);
    bool flag_or(std::string_view key, bool otherwise);
    std::string text(std::string_view key);
    std::string text_or(std::string_view key, std::string otherwise);
    std::string word(std::string_view key, const std::vector<std::string>& choices);
    YamlMap map(std::string_view key);
    YamlPtr node(std::string_view key);          ///< required, any kind
    YamlPtr node_or_null(std::string_view key);  ///< nullptr when absent
    std::vector<std::string> keys() const;       ///< in file order, without duplicates
    void done() const;                           ///< fails if keys were not read

    SourceLoc where() const;
    SourceLoc where(std::string_view key) const;

private:
    YamlPtr lookup(std::string_view key);
    YamlPtr require(std::string_view key);

    YamlRoot root_;  // null: another object keeps the tree
    YamlPtr node_ = nullptr;
    std::string file_;
    std::string path_;  // "noc.router", for messages
    std::vector<std::string> read_keys_;
};

/// Convert scalars. They throw Error(Input) at the node's place; `what` names the value.
std::int64_t yaml_integer(const YamlNode& node, const std::string& file, std::string_view what, IntRange allowed = {});
double yaml_number(const YamlNode& node, const std::string& file, std::string_view what);
/// As yaml_number(), but also accepts .inf, -.inf, inf and -inf.
double yaml_number_or_infinity(const YamlNode& node, const std::string& file, std::string_view what);
bool yaml_flag(const YamlNode& node, const std::string& file, std::string_view what);

}  // namespace ttsim::impl
