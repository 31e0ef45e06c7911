// Builds the tree of base/yaml_tree.hpp from a parser's events. Throws Error(Input) for more than one document, cyclic
// aliases, and trees beyond the limits.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/yaml_arena.hpp"

namespace ttsim::impl {

/// A position in the text, from 1.
struct YamlPlace {
    int line = 0, column = 0;
};

class YamlTreeBuilder {
public:
    explicit YamlTreeBuilder(const std::string& file) : file_(file) {}

    /// Owner of the nodes' memory. It must keep the values of scalars, or copy() them.
    YamlArena& arena() { return *arena_; }

    // `anchor`: its name; "" = none
    void document(YamlPlace place);
    void null(YamlPlace place, std::string_view anchor = {});
    void scalar(YamlPlace place, std::string_view value, bool quoted, std::string_view anchor = {});
    /// A scalar without quotes and tag, which may mean null, as yaml-cpp reads it.
    void plain(YamlPlace place, std::string_view value, std::string_view anchor = {});
    void alias(YamlPlace place, std::string_view anchor);
    void open(YamlNode::Kind kind, YamlPlace place, std::string_view anchor = {});
    void close();
    YamlRoot root() const { return root_ ? YamlRoot(arena_, root_) : nullptr; }

private:
    struct Built {
        YamlPtr node = nullptr;
        std::size_t nodes = 1;   ///< with aliases expanded
        std::size_t height = 1;  ///< levels, itself included
    };
    struct Open {
        YamlNode* node = nullptr;
        std::size_t first = 0;  ///< of its children in children_
        std::string anchor;
        std::size_t nodes = 1, height = 1;
    };

    SourceLoc loc(YamlPlace place) const { return {file_, place.line, place.column}; }
    YamlNode* new_node(const YamlNode& node);
    void count(YamlPlace place, std::size_t nodes);
    void deepen(YamlPlace place, std::size_t levels) const;
    void leaf(YamlPtr node, std::string_view anchor);
    void attach(const Built& built);

    const std::string& file_;
    std::shared_ptr<YamlArena> arena_ = std::make_shared<YamlArena>();
    YamlPtr root_ = nullptr;
    std::vector<Open> stack_;
    std::vector<YamlPtr> children_;  // of the open nodes; of a map keys and values in turn
    std::unordered_map<std::string, Built> anchors_;
    std::size_t total_ = 0;
};

}  // namespace ttsim::impl
