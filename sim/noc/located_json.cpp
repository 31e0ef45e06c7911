#include "sim/noc/located_json.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "base/read_file.hpp"

namespace ttsim::impl::noc {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;

/// Iterator that passes characters to the parser and exposes the read position.
class Cursor {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Cursor(const char* at, const char** seen) : at_(at), seen_(seen) {}
    reference operator*() const { return *at_; }
    Cursor& operator++() {
        ++at_;
        if (seen_) *seen_ = at_;
        return *this;
    }
    Cursor operator++(int) {
        const Cursor before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }
    friend bool operator!=(const Cursor& a, const Cursor& b) { return a.at_ != b.at_; }

private:
    const char* at_;
    const char** seen_;
};

/// Converts increasing text positions to lines and columns.
class Places {
public:
    explicit Places(std::string_view text) : at_(text.data()), line_start_(text.data()) {}
    SourceLoc of(const char* place, const std::string& file) {
        for (; at_ < place; ++at_)
            if (*at_ == '\n') {
                ++line_;
                line_start_ = at_ + 1;
            }
        return {file, line_, static_cast<int>(std::max<std::ptrdiff_t>(place - line_start_, 0)) + 1};
    }

private:
    const char *at_, *line_start_;
    int line_ = 1;
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    Builder(std::string_view text, const std::string& name)
        : seen_(text.data()), name_(name), text_(text), places_(text) {}
    const char** seen() { return &seen_; }
    Json take() { return std::move(root_); }

    bool null() override { return put({}); }
    bool boolean(bool value) override { return put({Json::Kind::Flag, 0, 0, value, value ? 1.0 : 0.0, {}, {}, {}}); }
    bool number_integer(number_integer_t value) override { return whole(value); }
    bool number_unsigned(number_unsigned_t value) override {
        if (value > static_cast<number_unsigned_t>(INT64_MAX))
            return put({Json::Kind::Real, 0, 0, 0, static_cast<double>(value), {}, {}, {}});
        return whole(static_cast<std::int64_t>(value));
    }
    bool number_float(number_float_t value, const string_t&) override {
        return put({Json::Kind::Real, 0, 0, 0, value, {}, {}, {}});
    }
    bool string(string_t& value) override { return put({Json::Kind::Text, 0, 0, 0, 0, std::move(value), {}, {}}); }
    bool binary(binary_t&) override { return true; }  // does not occur in text JSON
    bool key(string_t& value) override {
        key_place_ = places_.of(seen_ - std::min<std::ptrdiff_t>(seen_ - text_.data(), std::ssize(value) + 2), name_);
        key_ = std::move(value);
        return true;
    }
    bool start_object(std::size_t) override { return open(Json::Kind::Map); }
    bool start_array(std::size_t) override { return open(Json::Kind::List); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception& error) override {
        std::string what = error.what();
        if (const std::size_t colon = what.find(": "); colon != std::string::npos) what = what.substr(colon + 2);
        const std::size_t at = std::min(byte == 0 ? 0 : byte - 1, text_.size());
        if (at >= text_.size()) what = "the file ends in the middle of a value; is it complete?";
        Places places(text_);
        (void)token;
        fail_input(places.of(text_.data() + at, name_), "not valid JSON: {}", what);
    }

private:
    bool whole(std::int64_t value) {
        return put({Json::Kind::Integer, 0, 0, value, static_cast<double>(value), {}, {}, {}});
    }
    Json& add(Json&& value) {
        Json* const parent = open_.empty() ? nullptr : open_.back();
        SourceLoc place;
        if (parent && parent->kind == Json::Kind::Map) {
            place = key_place_;
            value.key = std::move(key_);
        } else {
            place = places_.of(seen_ - (seen_ > text_.data() ? 1 : 0), name_);
        }
        value.line = static_cast<std::uint32_t>(place.line);
        value.column = static_cast<std::uint32_t>(place.column);
        if (!parent) {
            root_ = std::move(value);
            return root_;
        }
        parent->items.push_back(std::move(value));
        return parent->items.back();
    }
    bool put(Json&& value) {
        add(std::move(value));
        return true;
    }
    bool open(Json::Kind kind) {
        Json value;
        value.kind = kind;
        Json& added = add(std::move(value));
        if (open_.size() >= deepest)
            fail_input({name_, static_cast<int>(added.line), static_cast<int>(added.column)},
                       "lists and maps are nested more than {} deep", deepest);
        open_.push_back(&added);
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    const char* seen_;
    const std::string& name_;
    std::string_view text_;
    Places places_;
    Json root_;
    std::vector<Json*> open_;  // pointers stay valid: a parent's list does not grow while one of its items is open
    std::string key_;
    SourceLoc key_place_;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
    for (auto item = items.rbegin(); item != items.rend(); ++item)
        if (item->key == name) return &*item;
    return nullptr;
}

Json parse_json(std::string_view text, const std::string& name) {
    Builder builder(text, name);
    const char* const end = text.data() + text.size();
    nlohmann::json::sax_parse(Cursor(text.data(), builder.seen()), Cursor(end, nullptr), &builder);
    return builder.take();
}

Json read_json(const std::string& file) { return parse_json(read_file(file, most_file_bytes), file); }

std::string_view kind_name(Json::Kind kind) {
    switch (kind) {
        case Json::Kind::Null:
            return "null";
        case Json::Kind::Flag:
            return "true or false";
        case Json::Kind::Integer:
            return "an integer";
        case Json::Kind::Real:
            return "a fraction";
        case Json::Kind::Text:
            return "a text";
        case Json::Kind::List:
            return "a list";
        case Json::Kind::Map:
            return "a map";
    }
    return "";
}

}  // namespace ttsim::impl::noc
