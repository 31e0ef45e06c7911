#include "base/yaml_tree_builder.hpp"

#include <algorithm>

#include "base/error_codes.hpp"

namespace ttsim::impl {

namespace {
constexpr std::size_t max_depth = 200;
constexpr std::size_t max_nodes = 10'000'000;

bool is_null(std::string_view value) {
    return value.empty() || value == "~" ||
           (value.size() == 4 && (value == "null" || value == "Null" || value == "NULL"));
}
}  // namespace

void YamlTreeBuilder::document(YamlPlace place) {
    if (root_) fail_input_as(error_code::syntax, loc(place), "a second document starts here; a file holds one");
}

void YamlTreeBuilder::null(YamlPlace place, std::string_view anchor) {
    leaf(new_node({.line = place.line, .column = place.column}), anchor);
}

void YamlTreeBuilder::scalar(YamlPlace place, std::string_view value, bool quoted, std::string_view anchor) {
    leaf(new_node({.kind = YamlNode::Kind::Scalar,
                   .quoted = quoted,
                   .line = place.line,
                   .column = place.column,
                   .scalar = value}),
         anchor);
}

void YamlTreeBuilder::plain(YamlPlace place, std::string_view value, std::string_view anchor) {
    if (is_null(value)) return null(place, anchor);
    scalar(place, value, false, anchor);
}

void YamlTreeBuilder::alias(YamlPlace place, std::string_view anchor) {
    const auto known = anchors_.find(std::string(anchor));
    if (known == anchors_.end())
        fail_input_as(error_code::syntax, loc(place), "this alias stands inside the node that it names");
    deepen(place, known->second.height);
    count(place, known->second.nodes);
    attach({known->second.node, known->second.nodes, known->second.height});
}

void YamlTreeBuilder::open(YamlNode::Kind kind, YamlPlace place, std::string_view anchor) {
    deepen(place, 1);
    YamlNode* const node = new_node({.kind = kind, .line = place.line, .column = place.column});
    stack_.push_back({node, children_.size(), std::string(anchor)});
}

void YamlTreeBuilder::close() {
    const Open done = std::move(stack_.back());
    stack_.pop_back();
    const std::span<const YamlPtr> children = std::span<const YamlPtr>(children_).subspan(done.first);
    if (done.node->is_sequence()) {
        done.node->items = arena_->copy(children);
    } else {
        using Entry = std::pair<YamlPtr, YamlPtr>;
        const std::size_t count = children.size() / 2;
        Entry* const entries = arena_->reserve<Entry>(count);
        for (std::size_t k = 0; k < count; ++k) new (entries + k) Entry(children[2 * k], children[2 * k + 1]);
        done.node->entries = {entries, count};
    }
    children_.resize(done.first);
    const Built built{done.node, done.nodes, done.height};
    if (!done.anchor.empty()) anchors_[done.anchor] = built;
    attach(built);
}

YamlNode* YamlTreeBuilder::new_node(const YamlNode& node) {
    count({node.line, node.column}, 1);
    return arena_->add(node);
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

void YamlTreeBuilder::leaf(YamlPtr node, std::string_view anchor) {
    const Built built{node};
    if (!anchor.empty()) anchors_[std::string(anchor)] = built;
    attach(built);
}

void YamlTreeBuilder::attach(const Built& built) {
    if (stack_.empty()) {
        root_ = built.node;
        return;
    }
    Open& parent = stack_.back();
    parent.nodes += built.nodes;
    parent.height = std::max(parent.height, built.height + 1);
    children_.push_back(built.node);
}

}  // namespace ttsim::impl
