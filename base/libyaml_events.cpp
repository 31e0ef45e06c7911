#include "base/libyaml_events.hpp"

#include <yaml.h>

#include <set>

#include "base/yaml_tree_builder.hpp"

namespace ttsim::impl {

namespace {

std::string text_of(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

YamlPlace place_of(const yaml_mark_t& mark) {
    return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

class Events {
public:
    explicit Events(std::string_view text) {
        if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() {
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }
    /// The next event, valid until the next call; null: the text is refused.
    const yaml_event_t* next() {
        yaml_event_delete(&event_);
        return yaml_parser_parse(&parser_, &event_) == 0 ? nullptr : &event_;
    }

private:
    yaml_parser_t parser_{};
    yaml_event_t event_{};
};

void add_scalar(YamlTreeBuilder& builder, const yaml_event_t& event, const std::string& anchor) {
    const auto& scalar = event.data.scalar;
    const std::string_view value =
        builder.arena().copy(std::string_view(reinterpret_cast<const char*>(scalar.value), scalar.length));
    const std::string tag = text_of(scalar.tag);
    const YamlPlace place = place_of(event.start_mark);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && tag.empty()) return builder.plain(place, value, anchor);
    const bool quoted = tag.empty() ? !plain : tag == "!" || tag == "tag:yaml.org,2002:str";
    builder.scalar(place, value, quoted, anchor);
}

/// Feeds the builder; returns whether the whole text was read.
bool read_all(Events& events, YamlTreeBuilder& builder) {
    std::set<std::string> anchors;
    const auto anchored = [&](const yaml_char_t* anchor) {
        std::string name = text_of(anchor);
        if (!name.empty()) anchors.insert(name);
        return name;
    };
    while (const yaml_event_t* event = events.next()) {
        const YamlPlace place = place_of(event->start_mark);
        switch (event->type) {
            case YAML_DOCUMENT_START_EVENT:
                builder.document(place);
                break;
            case YAML_SCALAR_EVENT:
                add_scalar(builder, *event, anchored(event->data.scalar.anchor));
                break;
            case YAML_ALIAS_EVENT: {
                const std::string anchor = text_of(event->data.alias.anchor);
                if (!anchors.contains(anchor)) return false;
                builder.alias(place, anchor);
                break;
            }
            case YAML_SEQUENCE_START_EVENT:
                builder.open(YamlNode::Kind::Sequence, place, anchored(event->data.sequence_start.anchor));
                break;
            case YAML_MAPPING_START_EVENT:
                builder.open(YamlNode::Kind::Map, place, anchored(event->data.mapping_start.anchor));
                break;
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT:
                builder.close();
                break;
            case YAML_STREAM_END_EVENT:
                return true;
            case YAML_NO_EVENT:
            case YAML_STREAM_START_EVENT:
            case YAML_DOCUMENT_END_EVENT:
                break;
        }
    }
    return false;
}

}  // namespace

YamlRoot read_with_libyaml(std::string_view text, const std::string& name) {
    YamlTreeBuilder builder(name);
    try {
        Events events(text);
        return read_all(events, builder) ? builder.root() : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace ttsim::impl
