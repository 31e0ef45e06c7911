// Builds the tree of base/yaml_tree.hpp from a parser's events. Throws Error(Input) for more than one document, cyclic
// aliases, and trees beyond the limits.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/yaml_tree.hpp"

namespace ttsim::impl {

/// A position in the text, from 1.
struct YamlPlace {
    int line = 0, column = 0;
};

class YamlTreeBuilder {
public:
    explicit YamlTreeBuilder(const std::string& file) : file_(file) {}

    // `anchor`: its name; "" = none
    void document(YamlPlace place);
    void null(YamlPlace place, const std::string& anchor);
    void scalar(YamlPlace place, std::string value, bool quoted, const std::string& anchor);
    /// A scalar without quotes and tag, which may mean null, as yaml-cpp reads it.
    void plain(YamlPlace place, std::string value, const std::string& anchor);
    void alias(YamlPlace place, const std::string& anchor);
    void open(YamlNode::Kind kind, YamlPlace place, std::string anchor);
    void close();
    YamlPtr root() const { return root_; }

private:
    using MutableNode = std::shared_ptr<YamlNode>;
    struct Built {
        YamlPtr node;
        std::size_t nodes = 1;   ///< with aliases expanded
        std::size_t height = 1;  ///< levels, itself included
    };
    struct Open {
        MutableNode node;
        YamlPtr key;  ///< of a map: waiting for its value
        std::string anchor;
        std::size_t nodes = 1, height = 1;
    };

    SourceLoc loc(YamlPlace place) const { return {file_, place.line, place.column}; }
    MutableNode new_node(YamlNode::Kind kind, YamlPlace place);
    void count(YamlPlace place, std::size_t nodes);
    void deepen(YamlPlace place, std::size_t levels) const;
    void leaf(MutableNode node, const std::string& anchor);
    void attach(Built built);

    const std::string& file_;
    YamlPtr root_;
    std::vector<Open> stack_;
    std::unordered_map<std::string, Built> anchors_;
    std::size_t total_ = 0;
};

}  // namespace ttsim::impl
