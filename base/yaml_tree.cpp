#include "base/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unordered_map>

#include "base/error_codes.hpp"
#include "base/read_file.hpp"
#include "base/utf8.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t max_depth = 200;
constexpr std::size_t max_nodes = 10'000'000;
constexpr std::size_t max_bytes = std::size_t{256} << 20;

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
public:
    explicit TreeBuilder(const std::string& file) : file_(file) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (root_) fail_input_as(error_code::syntax, place(mark), "a second document starts here; a file holds one");
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        leaf(new_node(YamlNode::Kind::Null, mark), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        auto node = new_node(YamlNode::Kind::Scalar, mark);
        node->scalar = value;
        node->quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        leaf(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto known = anchors_.find(anchor);
        if (known == anchors_.end())
            fail_input_as(error_code::syntax, place(mark), "this alias stands inside the node that it names");
        deepen(mark, known->second.height);
        count(mark, known->second.nodes);
        attach({known->second.node, known->second.nodes, known->second.height});
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::Sequence, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::Map, mark, anchor);
    }
    void OnMapEnd() override { close(); }

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
        YAML::anchor_t anchor = 0;
        std::size_t nodes = 1, height = 1;
    };

    SourceLoc place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

    MutableNode new_node(YamlNode::Kind kind, const YAML::Mark& mark) {
        count(mark, 1);
        auto node = std::make_shared<YamlNode>();
        node->kind = kind;
        node->line = mark.line + 1;
        node->column = mark.column + 1;
        return node;
    }
    void count(const YAML::Mark& mark, std::size_t nodes) {
        total_ += nodes;
        if (total_ > max_nodes)
            fail_input_as(error_code::syntax, place(mark), "more than {} values once aliases are expanded", max_nodes);
    }
    void deepen(const YAML::Mark& mark, std::size_t levels) const {
        if (stack_.size() + levels > max_depth)
            fail_input_as(error_code::syntax, place(mark), "nested more than {} levels deep", max_depth);
    }
    void leaf(MutableNode node, YAML::anchor_t anchor) {
        Built built{std::move(node)};
        if (anchor != 0) anchors_[anchor] = built;
        attach(built);
    }
    void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        deepen(mark, 1);
        stack_.push_back({new_node(kind, mark), nullptr, anchor});
    }
    void close() {
        Open done = std::move(stack_.back());
        stack_.pop_back();
        Built built{std::move(done.node), done.nodes, done.height};
        if (done.anchor != 0) anchors_[done.anchor] = built;
        attach(built);
    }
    void attach(const Built& built) {
        if (stack_.empty()) {
            root_ = built.node;
            return;
        }
        Open& parent = stack_.back();
        parent.nodes += built.nodes;
        parent.height = std::max(parent.height, built.height + 1);
        if (parent.node->is_sequence()) {
            parent.node->items.push_back(built.node);
        } else if (!parent.key) {
            parent.key = built.node;
        } else {
            parent.node->entries.emplace_back(std::move(parent.key), built.node);
            parent.key = nullptr;
        }
    }

    const std::string& file_;
    YamlPtr root_;
    std::vector<Open> stack_;
    std::unordered_map<YAML::anchor_t, Built> anchors_;
    std::size_t total_ = 0;
};

/// yaml-cpp treats some control characters as the end of the file; none of them is legal YAML.
void check_characters(std::string_view text, const std::string& name) {
    int line = 1, column = 1;
    for (std::size_t at = 0; at < text.size();) {
        const unsigned char c = static_cast<unsigned char>(text[at]);
        const std::size_t length = utf8_length(text, at);
        if (length == 0) fail_input_as(error_code::syntax, {name, line, column}, "byte 0x{:02x} is not UTF-8 text", c);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
            fail_input_as(error_code::syntax, {name, line, column},
                          "control character 0x{:02x}; a YAML file is plain text", c);
        at += length;
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
    }
}

}  // namespace

YamlPtr load_yaml_text(std::string_view text, const std::string& name) {
    if (text.size() > max_bytes) fail_input_as(error_code::syntax, {name}, "larger than {} MiB", max_bytes >> 20);
    check_characters(text, name);
    TreeBuilder builder(name);
    std::istringstream stream{std::string(text)};
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& wrong) {
        fail_input_as(error_code::syntax, {name, wrong.mark.line + 1, wrong.mark.column + 1}, "not YAML: {}",
                      wrong.msg);
    }
    if (!builder.root() || builder.root()->is_null()) fail_input_as(error_code::syntax, {name}, "the file is empty");
    return builder.root();
}

YamlPtr load_yaml_file(const std::string& file) {
    if (std::filesystem::is_directory(file))
        fail_input_as(error_code::syntax, {file}, "is a folder; a YAML file is wanted");
    return load_yaml_text(read_file(file, max_bytes), file);
}

}  // namespace ttsim::impl
