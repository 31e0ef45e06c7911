#include "base/common_yaml.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/yaml_tree_builder.hpp"

namespace ttsim::impl {

namespace {

/// libyaml refuses keys whose colon is more than 1024 characters behind their start.
constexpr std::ptrdiff_t longest_key = 1000;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
/// Whether a character only continues a plain scalar.
bool is_word(char c) {
    static constexpr auto table = [] {
        std::array<bool, 256> words{};
        words.fill(true);
        for (const char other : {' ', '\n', '#', ':', '?', ',', '[', ']', '{', '}'})
            words[static_cast<unsigned char>(other)] = false;
        return words;
    }();
    return table[static_cast<unsigned char>(c)];
}
bool ends_flow_scalar(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

/// Every function that reads returns false to give up.
class Reader {
public:
    /// A line break follows `text`.
    Reader(std::string_view text, YamlTreeBuilder& builder)
        : at_(text.data()), line_start_(at_), end_(at_ + text.size()), builder_(builder) {}

    bool document() {
        next_token();
        return at_ != end_ && collection(column()) && at_ == end_;
    }

private:
    struct Scalar {
        YamlPlace place;
        std::string_view text;
        bool quoted = false;
    };

    int column() const { return static_cast<int>(at_ - line_start_); }
    bool is_deeper(int indent) const { return at_ != end_ && column() > indent; }
    YamlPlace place() const { return {line_, column() + 1}; }
    bool blank_follows() const { return at_[1] == ' ' || at_[1] == '\n'; }
    bool at_entry() const { return *at_ == '-' && blank_follows(); }
    bool at_colon() const { return *at_ == ':' && blank_follows(); }

    void skip_spaces() {
        while (*at_ == ' ') ++at_;
    }
    /// Skips spaces, line breaks and comments. No comment directly follows a token.
    void next_token() {
        while (at_ != end_) {
            skip_spaces();
            if (*at_ == '#') at_ = std::find(at_, end_, '\n');
            if (*at_ != '\n' || at_ == end_) return;
            ++at_;
            ++line_;
            line_start_ = at_;
        }
    }
    /// Goes on from the end of a value in a block to the next token, which is in another line.
    bool end_line() {
        const char* const value_end = at_;
        skip_spaces();
        if (*at_ != '\n' && (*at_ != '#' || at_ == value_end)) return false;
        next_token();
        return true;
    }

    /// A scalar of one line. Leaves the spaces behind it unread.
    bool scalar(Scalar& read, bool in_flow) {
        read.place = place();
        return *at_ == '"' || *at_ == '\'' ? quoted(read) : plain(read, in_flow);
    }
    bool quoted(Scalar& read) {
        const char quote = *at_++;
        const char* const start = at_;
        while (*at_ != quote) {
            if (*at_ == '\n' || *at_ == '\\') return false;
            ++at_;
        }
        read.text = {start, at_};
        read.quoted = true;
        return *++at_ != quote;  // two quotes stand for one
    }
    bool plain(Scalar& read, bool in_flow) {
        constexpr std::string_view other_starts = "_./+(<=$~^";
        const char* const start = at_;
        const char first = *at_ == '-' ? at_[1] : *at_;
        if (!is_letter_or_digit(first) && other_starts.find(first) == std::string_view::npos) return false;
        if (column() == 0 && *at_ == '.') return false;  // may end the document
        const char* text_end = at_;
        for (;; ++at_) {
            const char* const word = at_;
            while (is_word(*at_)) ++at_;
            if (at_ != word) text_end = at_;
            const char c = *at_;
            if (c == '\n') break;
            if (c == ' ') continue;
            if (c == '#' && at_[-1] == ' ') break;
            if (c == ':' && blank_follows()) break;
            if (in_flow && ends_flow_scalar(c)) break;
            if (in_flow && (c == ':' || c == '?')) return false;
            text_end = at_ + 1;
        }
        at_ = text_end;
        read.text = {start, text_end};
        return true;
    }
    void add(const Scalar& scalar) {
        if (scalar.quoted)
            builder_.scalar(scalar.place, scalar.text, true);
        else
            builder_.plain(scalar.place, scalar.text);
    }
    /// A key with its colon.
    bool key(bool in_flow) {
        Scalar read;
        if (!scalar(read, in_flow) || !colon_of(read)) return false;
        add(read);
        return true;
    }
    /// Reads the colon that makes a scalar a key.
    bool colon_of(const Scalar& scalar) {
        skip_spaces();
        if (!at_colon() || at_ - scalar.text.data() > longest_key) return false;
        ++at_;
        return true;
    }

    // --- blocks: each function ends at the token behind ---

    /// A collection whose first token is in column `indent`.
    bool collection(int indent) {
        if (at_entry()) return sequence(indent);
        if (*at_ == '[' || *at_ == '{') return flow() && end_line();
        return mapping(indent);
    }
    /// A node of which nothing is read yet: a collection or a scalar.
    bool node() {
        if (at_entry() || *at_ == '[' || *at_ == '{') return collection(column());
        const char* const start = at_;
        Scalar read;
        if (!scalar(read, false)) return false;
        skip_spaces();
        const bool is_key = at_colon();
        at_ = start + (is_key ? 0 : (read.text.data() + read.text.size() - start) + (read.quoted ? 1 : 0));
        if (is_key) return mapping(column());
        add(read);
        return end_line();
    }
    bool mapping(int indent) {
        builder_.open(YamlNode::Kind::Map, place());
        do {
            if (!key(false) || !value(indent) || is_deeper(indent)) return false;
        } while (at_ != end_ && column() == indent);
        builder_.close();
        return true;
    }
    /// What follows the colon of a key in column `indent`.
    bool value(int indent) {
        const YamlPlace behind_colon = place();
        skip_spaces();
        if (*at_ != '\n' && *at_ != '#') return !at_entry() && inline_value();
        next_token();
        if (is_deeper(indent)) return node();
        if (at_ != end_ && column() == indent && at_entry()) return sequence(indent);
        builder_.null(behind_colon);
        return true;
    }
    bool inline_value() {
        if (*at_ == '[' || *at_ == '{') return flow() && end_line();
        Scalar read;
        if (!scalar(read, false)) return false;
        add(read);
        return end_line();
    }
    bool sequence(int indent) {
        builder_.open(YamlNode::Kind::Sequence, place());
        do {
            ++at_;
            next_token();
            if (!is_deeper(indent) || !node() || is_deeper(indent)) return false;
        } while (at_ != end_ && column() == indent && at_entry());
        builder_.close();
        return true;
    }

    // --- flow collections, over any number of lines ---

    bool flow() {
        const bool is_map = *at_ == '{';
        const char closing = is_map ? '}' : ']';
        builder_.open(is_map ? YamlNode::Kind::Map : YamlNode::Kind::Sequence, place());
        ++at_;
        for (next_token(); *at_ != closing; next_token()) {
            if (!(is_map ? flow_pair() : flow_item())) return false;
            next_token();
            if (*at_ == closing) break;
            if (*at_ != ',') return false;
            ++at_;
        }
        ++at_;
        builder_.close();
        return true;
    }
    bool flow_pair() { return key(true) && flow_value(); }
    /// Of a sequence: a value, or a map of one pair without braces.
    bool flow_item() {
        if (*at_ == '[' || *at_ == '{') return flow();
        Scalar read;
        if (!scalar(read, true)) return false;
        if (!colon_of(read)) {
            add(read);
            return true;
        }
        builder_.open(YamlNode::Kind::Map, read.place);
        add(read);
        if (!flow_value()) return false;
        builder_.close();
        return true;
    }
    bool flow_value() {
        next_token();
        if (*at_ == '[' || *at_ == '{') return flow();
        Scalar read;
        if (!scalar(read, true)) return false;
        add(read);
        return true;
    }

    const char *at_, *line_start_, *end_;
    int line_ = 1;
    YamlTreeBuilder& builder_;
};

bool is_common(char c) { return (c >= ' ' && c <= '~') || c == '\n'; }

/// Whether all characters are; most of eight at once.
bool is_common(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101, highest = 0x80 * ones, spaces = 0x20 * ones;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, sizeof(std::uint64_t));
        text.remove_prefix(part.size());
        std::uint64_t word = spaces;
        std::memcpy(&word, part.data(), part.size());
        // the highest bit of a byte above 0x7f, of 0x7f, and of one below a space
        if (((word | (word + ones) | (word - spaces)) & highest) == 0) continue;
        if (!std::all_of(part.begin(), part.end(), [](char c) { return is_common(c); })) return false;
    }
    return true;
}

}  // namespace

YamlRoot read_common_yaml(std::shared_ptr<const std::string> text, const std::string& name) {
    if (!is_common(*text)) return nullptr;
    // a copy is made of few files only
    if (!text->ends_with('\n')) text = std::make_shared<const std::string>(*text + '\n');
    std::string_view lines = *text;
    lines.remove_suffix(1);
    YamlTreeBuilder builder(name);
    builder.arena().keep(std::move(text));
    try {
        return Reader(lines, builder).document() ? builder.root() : nullptr;
    } catch (const Error&) {  // a limit of the builder
        return nullptr;
    }
}

}  // namespace ttsim::impl
