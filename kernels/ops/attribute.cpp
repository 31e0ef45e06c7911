#include "kernels/ops/attribute.hpp"

#include <algorithm>

namespace ttsim::impl {

std::vector<std::string> attribute_words(const AttrDef& def) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < def.words.size();) {
        const std::size_t end = std::min(def.words.find('|', at), def.words.size());
        words.emplace_back(def.words.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

std::string attribute_word(const AttrDef& def, std::size_t n) {
    const std::vector<std::string> words = attribute_words(def);
    return n < words.size() ? words[n] : "";
}

/// Parses the default text.
static AttrValue default_value(const AttrDef& def) {
    const std::string text(def.default_text);
    switch (def.kind) {
        case AttrKind::Bool:
            return text == "true";
        case AttrKind::Integer:
            return text.empty() ? std::int64_t{0} : std::int64_t{std::stoll(text)};
        case AttrKind::Number:
            return text.empty() ? 0.0 : std::stod(text);
        case AttrKind::Word:
            return text;
        case AttrKind::List:
            return std::vector<std::int64_t>();
        case AttrKind::Map:
            break;
    }
    return std::map<int, std::int64_t>();
}

AttrValue attribute(const OpAttributes& from, const AttrDef& def) {
    if (def.place) return def.place->get(from, def);
    const auto found = from.more.find(def.name);
    return found == from.more.end() ? default_value(def) : found->second;
}

void set_attribute(OpAttributes& into, const AttrDef& def, AttrValue value) {
    if (def.place) return def.place->set(into, def, value);
    into.more.erase(std::string(def.name));
    if (value != default_value(def)) into.more.emplace(def.name, std::move(value));
}

bool is_default(const OpAttributes& attributes, const AttrDef& def) {
    if (!def.place) return !attributes.more.contains(def.name);
    return def.place->get(attributes, def) == def.place->get({}, def);
}

double attribute_number(const OpAttributes& from, const AttrDef& def) {
    const AttrValue value = attribute(from, def);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    return std::get<double>(value);
}

}  // namespace ttsim::impl
