#include <catch2/catch.hpp>

#include <random>

#include "base/common_yaml.hpp"
#include "base/libyaml_events.hpp"
#include "base/yaml_tree.hpp"

using namespace ttsim::impl;

static std::string complaint(const std::string& text) {
    try {
        load_yaml_text(text, "t.yaml");
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        return error.what();
    }
    return "";
}

TEST_CASE("a YAML tree keeps every pair of a map in file order, repeats included") {
    const YamlRoot root = load_yaml_text("a: 1\nb: x\na: 2\n", "t.yaml");
    REQUIRE(root->is_map());
    REQUIRE(root->entries.size() == 3);
    CHECK(root->entries[0].first->scalar == "a");
    CHECK(root->entries[0].second->scalar == "1");
    CHECK(root->entries[1].first->scalar == "b");
    CHECK(root->entries[2].first->scalar == "a");
    CHECK(root->entries[2].second->scalar == "2");
}

TEST_CASE("every YAML node has its line and column, counted from 1") {
    const YamlRoot root = load_yaml_text("first: 1\nsecond: [x, {y: z}]\n", "t.yaml");
    const YamlNode& list = *root->entries[1].second;
    CHECK(root->entries[1].first->line == 2);
    CHECK(root->entries[1].first->column == 1);
    CHECK(list.items[0]->column == 10);
    const YamlNode& z = *list.items[1]->entries[0].second;
    CHECK(to_string(z.loc("t.yaml")) == "t.yaml:2:17");
}

TEST_CASE("null is not a scalar and quoted scalars are marked") {
    const YamlRoot root = load_yaml_text("[~, null, None, '', \"12\", 12]", "t.yaml");
    CHECK(root->items[0]->is_null());
    CHECK(root->items[1]->is_null());
    CHECK(root->items[2]->scalar == "None");
    CHECK((root->items[3]->is_scalar() && root->items[3]->quoted));
    CHECK(root->items[4]->quoted);
    CHECK_FALSE(root->items[5]->quoted);
}

TEST_CASE("a tree keeps its texts") {
    // common YAML, libyaml's and yaml-cpp's, which have copies of what they read
    for (const std::string start : {"a: b\n", "a: \"\\u0062\"\n", "a: !t b\n"})
        for (const bool slow : {false, true}) {
            YamlRoot root;
            {
                std::string text =
                    start + "c: [a long text that is in no small buffer, " + std::string(40, 'd') + "]\n";
                root = slow ? read_with_yaml_cpp(text, "t.yaml") : load_yaml_text(text, "t.yaml");
                std::fill(text.begin(), text.end(), 'x');
            }
            CHECK(root->entries[0].second->scalar == "b");
            CHECK(root->entries[1].second->items[0]->scalar == "a long text that is in no small buffer");
            CHECK(root->entries[1].second->items[1]->scalar == std::string(40, 'd'));
        }
}

TEST_CASE("a tree holds more than a block of its memory, and texts that are longer than one") {
    constexpr std::size_t numbers = 20'000;
    const std::string long_text(50'000, 'e');
    std::string text = "long: \"\\u0064" + long_text + "\"\nlist: [0";
    for (std::size_t n = 1; n < numbers; ++n) text += fmt::format(", {}", n);
    const YamlRoot root = load_yaml_text(text + "]\nend: 1\n", "t.yaml");
    CHECK(root->entries[0].second->scalar == "d" + long_text);
    const YamlNode& list = *root->entries[1].second;
    REQUIRE(list.items.size() == numbers);
    for (std::size_t n = 0; n < numbers; ++n) CHECK(list.items[n]->scalar == std::to_string(n));
    CHECK(root->entries[2].second->scalar == "1");
}

TEST_CASE("aliases share the node of their anchor") {
    const YamlRoot root = load_yaml_text("a: &x [1, 2]\nb: *x\nc: *x\n", "t.yaml");
    CHECK(root->entries[0].second == root->entries[1].second);
    CHECK(root->entries[1].second->items.size() == 2);
}

TEST_CASE("anything but a single plain YAML document is refused with its position") {
    CHECK(complaint("") == "t.yaml: error: the file is empty");
    CHECK(complaint("# only a remark\n") == "t.yaml: error: the file is empty");
    CHECK(complaint("a: 1\n---\nb: 2\n") == "t.yaml:2:1: error: a second document starts here; a file holds one");
    CHECK(complaint("a: &x {b: *x}\n") == "t.yaml:1:11: error: this alias stands inside the node that it names");
    CHECK(complaint("a: \xff\n") == "t.yaml:1:4: error: byte 0xff is not UTF-8 text");
    CHECK(complaint("a: \xed\xa0\x80\n") == "t.yaml:1:4: error: byte 0xed is not UTF-8 text");
    CHECK(complaint("a: \xc3\xa4\nb: \xc0\x80\n") == "t.yaml:2:4: error: byte 0xc0 is not UTF-8 text");
    CHECK(complaint(std::string("a: b\0c\n", 7)) ==
          "t.yaml:1:5: error: control character 0x00; a YAML file is plain text");
    CHECK(complaint("a: [1, 2\nb: 3\n").starts_with("t.yaml:2:2: error: not YAML: "));
}

TEST_CASE("nesting of exactly 200 levels is read and 201 are refused, also through aliases") {
    const auto nested = [](int levels) {
        return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
    };
    CHECK(complaint(nested(200)).empty());
    CHECK(complaint(nested(201)) == "t.yaml:1:201: error: nested more than 200 levels deep");
    std::string chain = "- &a0 [x]\n";
    for (int k = 1; k < 300; ++k) chain += "- &a" + std::to_string(k) + " [*a" + std::to_string(k - 1) + "]\n";
    CHECK(complaint(chain).find("nested more than 200 levels deep") != std::string::npos);
}

TEST_CASE("aliases that multiply are refused before they fill the memory") {
    std::string text = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int k = 1; k < 9; ++k) {
        const std::string before = "*a" + std::to_string(k - 1);
        text += "- &a" + std::to_string(k) + " [" + before;
        for (int n = 1; n < 10; ++n) text += ", " + before;
        text += "]\n";
    }
    CHECK(complaint(text).find("more than 10000000 values once aliases are expanded") != std::string::npos);
}

TEST_CASE("a missing file and a folder are named") {
    CHECK_THROWS_WITH(load_yaml_file("/nowhere/x.yaml"), "/nowhere/x.yaml: error: there is no such file");
    CHECK_THROWS_WITH(load_yaml_file("/"), "/: error: is a folder; a YAML file is wanted");
}

/// The tree as text, with kinds and places. A value that is left out has its place at its key, or where yaml-cpp found
/// the next token.
static std::string written(YamlPtr node) {
    if (node->is_null()) return "null";
    std::string text = std::to_string(node->line) + ":" + std::to_string(node->column);
    if (node->is_scalar()) return text + (node->quoted ? "'" : "") + std::string(node->scalar);
    text += node->is_map() ? "{" : "[";
    for (const YamlPtr& item : node->items) text += written(item) + ", ";
    for (const auto& [key, value] : node->entries) text += written(key) + ": " + written(value) + ", ";
    return text + (node->is_map() ? "}" : "]");
}

TEST_CASE("both parsers read the same tree") {
    for (const char* text :
         {"a: {b: [1, 2.5, 0x10], c: 'x y', \"d\": \"e\\n\"}\n", "- a\n-\n- ~\n- b: 1\n  c:\n- [ ]\n- { }\n",
          "a: &x {b: 1}\nc: *x\nd: [*x, &y z, *y]\n", "a: |\n  line\n  line\nb: >\n  folded\n  text\n",
          "a: !!str 12\nb: !mine 3\n", "a: one\n  two\nb: [p,\n  q]  # remark\n", "? a\n: b\n",
          "a: b:c\nd: -1\ne: <<\n", "{a: 1, b: {c: [d, e]}, }\n", "--- a: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n",
          "a:\t1\n", "queue.0: {input: op[1]}\n"}) {
        CAPTURE(text);
        YamlRoot wanted;
        std::string refused;
        try {
            wanted = read_with_yaml_cpp(text, "t.yaml");
        } catch (const Error& error) {
            refused = error.what();
        }
        if (wanted)
            CHECK(written(load_yaml_text(text, "t.yaml").get()) == written(wanted.get()));
        else
            CHECK(complaint(text) == refused);
    }
}

/// The same with the places of values that are left out, which libyaml and the reader of common YAML agree on.
static std::string written_with_nulls(YamlPtr node) {
    if (!node) return "refused";
    std::string text = std::to_string(node->line) + ":" + std::to_string(node->column);
    if (node->is_null()) return text + "null";
    if (node->is_scalar()) return text + (node->quoted ? "'" : "") + std::string(node->scalar);
    text += node->is_map() ? "{" : "[";
    for (const YamlPtr& item : node->items) text += written_with_nulls(item) + ", ";
    for (const auto& [key, value] : node->entries)
        text += written_with_nulls(key) + ": " + written_with_nulls(value) + ", ";
    return text + (node->is_map() ? "}" : "]");
}

TEST_CASE("netlists are common YAML, read as libyaml does") {
    for (const char* text : {"devices:\n  arch: [grayskull, wormhole]\n\n# all\nqueues:\n  q.0:   {input: HOST, dram: "
                             "[[0, 0x10], [1, 2]]}\n",
                             "a:\n- b\n- c: 1\n  d : 'x: y'\n-   - e\n    - ~\nf: \"g #\"  # remark\n",
                             "a: [b: {r: 2}, c,\nd: 1,\n  e]\n", "a:\nb:\n  # nothing\nc: null\n",
                             "{a: 1, 'b': -2.5,\n c: []}", "- a b  c\n- d:e#f\n- <<\n- {}\n", "a: b, c]\n"}) {
        CAPTURE(text);
        const YamlRoot read = read_common_yaml(text, "t.yaml");
        REQUIRE(read);
        CHECK(written_with_nulls(read.get()) == written_with_nulls(read_with_libyaml(text, "t.yaml").get()));
    }
}

TEST_CASE("the reader of common YAML gives up where a text may mean something else") {
    for (const char* text : {"",
                             "a",
                             "a: b\n  c\n",
                             "a: b: c\n",
                             "a: - b\n",
                             "a:b\n",
                             "a: &x 1\n",
                             "a: *x\n",
                             "a: !t 1\n",
                             "a: |\n  b\n",
                             "a: \"\\n\"\n",
                             "a: 'it''s'\n",
                             "a:\t1\n",
                             "a: \xc3\xa9\n",
                             "--- a: 1\n",
                             "a: 1\n...\n",
                             "? a\n: b\n",
                             "a: [b\n",
                             "a: {b: }\n",
                             "a: {b}\n",
                             "{a:1}\n",
                             "a: [b? c]\n",
                             "a:\n   b: 1\n  c: 2\n",
                             "- a\nb: 1\n",
                             "a: 1\n- b\n",
                             "-\n- a\n",
                             "a: [b]c\n",
                             "a: [b]: c\n",
                             "a\n: b\n",
                             "a: 'b\n  c'\n",
                             "a: @b\n",
                             "a: b\r\n"}) {
        CAPTURE(text);
        CHECK_FALSE(read_common_yaml(text, "t.yaml"));
    }
    CHECK_FALSE(read_common_yaml(std::string(1001, 'k') + ": 1\n", "t.yaml"));
    CHECK_FALSE(read_common_yaml("a: " + std::string(200, '[') + std::string(200, ']') + "\n", "t.yaml"));
}

TEST_CASE("the reader of common YAML never differs from libyaml on random texts") {
    const char* const parts[] = {"a",  "b1",   "-1",     "~",   "null", "'q'",    "\"d\"", " ",    "\n",
                                 "\n", "\n  ", "\n    ", ": ",  ":\n",  ":",      "- ",    "\n- ", "-",
                                 ",",  ", ",   "[",      "]",   "{",    "}",      "#",     " # c", "&x",
                                 "?",  "|",    "...",    "---", "a: b", "b: c\n", "%",     "x: [", "x: {",
                                 "],", "}\n",  "'",      "a b", "*x",   "!t",     "- - ",  "- a: "};
    std::mt19937 random(1);
    int read_here = 0;
    for (int n = 0; n < 100'000; ++n) {
        std::string text = random() % 2 ? "a:" : "";
        for (auto left = 1 + random() % 14; left > 0; --left) text += parts[random() % std::size(parts)];
        const YamlRoot read = read_common_yaml(text, "t.yaml");
        if (!read) continue;
        ++read_here;
        const std::string found = written_with_nulls(read.get()),
                          wanted = written_with_nulls(read_with_libyaml(text, "t.yaml").get());
        if (found == wanted) continue;
        CAPTURE(text);
        CHECK(found == wanted);
    }
    CHECK(read_here > 2000);
}
