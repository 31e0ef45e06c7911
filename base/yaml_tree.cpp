#include "base/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <filesystem>
#include <sstream>

#include "base/common_yaml.hpp"
#include "base/error_codes.hpp"
#include "base/libyaml_events.hpp"
#include "base/read_file.hpp"
#include "base/utf8.hpp"
#include "base/yaml_tree_builder.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20;

YamlPlace place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// Passes yaml-cpp's events on.
class Events : public YAML::EventHandler {
public:
    explicit Events(YamlTreeBuilder& builder) : builder_(builder) {}

    void OnDocumentStart(const YAML::Mark& mark) override { builder_.document(place_of(mark)); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        builder_.null(place_of(mark), name_of(anchor));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        builder_.scalar(place_of(mark), builder_.arena().copy(value), tag == "!" || tag == "tag:yaml.org,2002:str",
                        name_of(anchor));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        builder_.alias(place_of(mark), name_of(anchor));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        builder_.open(YamlNode::Kind::Sequence, place_of(mark), name_of(anchor));
    }
    void OnSequenceEnd() override { builder_.close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        builder_.open(YamlNode::Kind::Map, place_of(mark), name_of(anchor));
    }
    void OnMapEnd() override { builder_.close(); }

private:
    static std::string name_of(YAML::anchor_t anchor) { return anchor == 0 ? "" : std::to_string(anchor); }

    YamlTreeBuilder& builder_;
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

YamlRoot read_with_yaml_cpp(std::string_view text, const std::string& name) {
    check_characters(text, name);
    YamlTreeBuilder builder(name);
    Events events(builder);
    std::istringstream stream{std::string(text)};
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(events)) {
        }
    } catch (const YAML::Exception& wrong) {
        fail_input_as(error_code::syntax, {name, wrong.mark.line + 1, wrong.mark.column + 1}, "not YAML: {}",
                      wrong.msg);
    }
    return builder.root();
}

static YamlRoot load_yaml(const std::shared_ptr<const std::string>& text, const std::string& name) {
    YamlRoot root = read_common_yaml(text, name);
    if (!root) root = read_with_libyaml(*text, name);
    if (!root) root = read_with_yaml_cpp(*text, name);
    if (!root || root->is_null()) fail_input_as(error_code::syntax, {name}, "the file is empty");
    return root;
}

YamlRoot load_yaml_text(std::string_view text, const std::string& name) {
    if (text.size() > max_bytes) fail_input_as(error_code::syntax, {name}, "larger than {} MiB", max_bytes >> 20);
    return load_yaml(std::make_shared<const std::string>(text), name);
}

YamlRoot load_yaml_file(const std::string& file) {
    if (std::filesystem::is_directory(file))
        fail_input_as(error_code::syntax, {file}, "is a folder; a YAML file is wanted");
    return load_yaml(std::make_shared<const std::string>(read_file(file, max_bytes)), file);
}

}  // namespace ttsim::impl
