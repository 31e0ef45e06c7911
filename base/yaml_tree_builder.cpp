#include "base/yaml_tree_builder.hpp"

#include <algorithm>

#include "base/error_codes.hpp"

namespace ttsim::impl {

namespace {
constexpr std::size_t max_depth = 200;
constexpr std::size_t max_nodes = 10'000'000;

bool is_null(std::string_view value) {
    return value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL";
}
}  // namespace

void YamlTreeBuilder::document(YamlPlace place) {
    if (root_) fail_input_as(error_code::syntax, loc(place), "a second document starts here; a file holds one");
}

void YamlTreeBuilder::null(YamlPlace place, const std::string& anchor) {
    leaf(new_node(YamlNode::Kind::Null, place), anchor);
}

void YamlTreeBuilder::scalar(YamlPlace place, std::string value, bool quoted, const std::string& anchor) {
    MutableNode node = new_node(YamlNode::Kind::Scalar, place);
    node->scalar = std::move(value);
    node->quoted = quoted;
    leaf(std::move(node), anchor);
}

void YamlTreeBuilder::plain(YamlPlace place, std::string value, const std::string& anchor) {
    if (is_null(value)) return null(place, anchor);
    scalar(place, std::move(value), false, anchor);
}

void YamlTreeBuilder::alias(YamlPlace place, const std::string& anchor) {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end())
        fail_input_as(error_code::syntax, loc(place), "this alias stands inside the node that it names");
    deepen(place, known->second.height);
    count(place, known->second.nodes);
    attach({known->second.node, known->second.nodes, known->second.height});
}

void YamlTreeBuilder::open(YamlNode::Kind kind, YamlPlace place, std::string anchor) {
    deepen(place, 1);
    MutableNode node = new_node(kind, place);
    // as many as most have: vectors that grow one by one move their pairs four times
    if (kind == YamlNode::Kind::Map)
        node->entries.reserve(8);
    else
        node->items.reserve(2);
    stack_.push_back({std::move(node), nullptr, std::move(anchor)});
}

void YamlTreeBuilder::close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    Built built{std::move(done.node), done.nodes, done.height};
    if (!done.anchor.empty()) anchors_[done.anchor] = built;
    attach(std::move(built));
}

YamlTreeBuilder::MutableNode YamlTreeBuilder::new_node(YamlNode::Kind kind, YamlPlace place) {
    count(place, 1);
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = place.line;
    node->column = place.column;
    return node;
}

void YamlTreeBuilder::count(YamlPlace place, std::size_t nodes) {
    total_ += nodes;
    if (total_ > max_nodes)
        fail_input_as(error_code::syntax, loc(place), "more than {} values once aliases are expanded", max_nodes);
}

void YamlTreeBuilder::deepen(YamlPlace place, std::size_t levels) const {
    if (stack_.size() + levels > max_depth)
        fail_input_as(error_code::syntax, loc(place), "nested more than {} levels deep", max_depth);
}

void YamlTreeBuilder::leaf(MutableNode node, const std::string& anchor) {
    Built built{std::move(node)};
    if (!anchor.empty()) anchors_[anchor] = built;
    attach(std::move(built));
}

void YamlTreeBuilder::attach(Built built) {
    if (stack_.empty()) {
        root_ = std::move(built.node);
        return;
    }
    Open& parent = stack_.back();
    parent.nodes += built.nodes;
    parent.height = std::max(parent.height, built.height + 1);
    if (parent.node->is_sequence()) {
        parent.node->items.push_back(std::move(built.node));
    } else if (!parent.key) {
        parent.key = std::move(built.node);
    } else {
        parent.node->entries.emplace_back(std::move(parent.key), std::move(built.node));
        parent.key = nullptr;
    }
}

}  // namespace ttsim::impl
