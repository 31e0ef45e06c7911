#include "tools/common/options_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "tools/common/input_kind.hpp"

namespace ttsim::impl::cli {

namespace {

constexpr std::uint64_t max_file_bytes = 1 << 20;
constexpr std::size_t comment_width = 100;

/// A file with comments only, as --print-options writes, has no YAML document.
bool has_options(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string::npos && line[first] != '#') return true;
    }
    return false;
}

const OptionInfo& info_of(const std::vector<OptionInfo>& table, const YamlNode& key, const std::string& file) {
    std::vector<std::string> known;
    for (const OptionInfo& info : table) {
        if (info.key == key.scalar) return info;
        known.push_back(info.key);
    }
    const auto by_flag = std::find_if(table.begin(), table.end(), [&](const OptionInfo& info) {
        return !info.flag.empty() && (info.flag == key.scalar || info.flag == fmt::format("--{}", key.scalar));
    });
    fail_input(
        key.loc(file), "there is no option '{}'{}", key.scalar,
        by_flag != table.end() ? fmt::format("; did you mean '{}'?", by_flag->key) : did_you_mean(key.scalar, known));
}

std::string scalar_of(const OptionInfo& info, const YamlNode& node, const std::string& file) {
    if (!node.is_scalar()) fail_input(node.loc(file), "option '{}' takes one value", info.key);
    return std::string(node.scalar);
}

/// The words of the command line for a value.
std::vector<std::string> words_of(const OptionInfo& info, const YamlNode& value, const std::string& file) {
    std::vector<std::string> words;
    switch (info.kind) {
        case ValueKind::One:
            words.push_back(scalar_of(info, value, file));
            break;
        case ValueKind::List:
            if (!value.is_sequence()) return {scalar_of(info, value, file)};
            for (const YamlPtr& item : value.items) words.push_back(scalar_of(info, *item, file));
            break;
        case ValueKind::Map:
            if (!value.is_map()) fail_input(value.loc(file), "option '{}' takes a map, NAME: VALUE", info.key);
            for (const auto& [name, one] : value.entries)
                words.push_back(scalar_of(info, *name, file) + "=" + scalar_of(info, *one, file));
            break;
        case ValueKind::Flag:
            if (yaml_flag(value, file, info.key)) words.emplace_back("true");
            break;
        case ValueKind::SignedFlag:
            words.emplace_back(yaml_flag(value, file, info.key) ? "true" : "false");
            break;
        case ValueKind::NegativeFlag:
            if (!yaml_flag(value, file, info.key)) words.emplace_back("true");
            break;
    }
    return words;
}

void set(CLI::App& command, const OptionInfo& info, const YamlNode& value, const std::string& file) {
    if (value.is_null()) return;
    const std::vector<std::string> words = words_of(info, value, file);
    CLI::Option* const option = command.get_option(info.flag);
    // a default is as if it were not given, so that no other option is missed or excluded because of it
    const bool is_default = words.size() == 1 && words.front() == info.default_text;
    if (option->count() > 0 || words.empty() || (is_default && info.kind != ValueKind::NegativeFlag)) return;
    try {
        for (const std::string& word : words) option->add_result(word);
        option->run_callback();
    } catch (const CLI::Error& error) {
        const std::string text = error.what(), name = option->get_name() + ": ";
        fail_input(value.loc(file), "option '{}': {}", info.key,
                   text.starts_with(name) ? text.substr(name.size()) : text);
    }
}

void apply(CLI::App& command, const std::vector<OptionInfo>& table, const std::string& file) {
    const std::string text = read_file(file, max_file_bytes);
    if (!has_options(text)) return;
    const YamlRoot root = load_yaml_text(text, file);
    if (!root->is_map()) fail_input(root->loc(file), "expected options, KEY: VALUE");
    std::set<std::string> seen;
    for (const auto& [key, value] : root->entries) {
        const OptionInfo& info = info_of(table, *key, file);
        if (info.flag.empty())
            fail_input(key->loc(file), "option '{}' is for programs; 'ttsim {}' does not have it", info.key,
                       command.get_name());
        if (!seen.insert(info.key).second) fail_input(key->loc(file), "option '{}' is given twice", info.key);
        set(command, info, *value, file);
    }
}

/// Text as a YAML scalar.
std::string yaml_scalar(const std::string& text) {
    static const std::set<std::string> read_otherwise{"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    const auto plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' || c == '.';
    };
    const auto later = [&](char c) { return plain(c) || c == '-'; };
    if (!text.empty() && plain(text.front()) && std::all_of(text.begin(), text.end(), later) &&
        !read_otherwise.contains(to_lower(text)))
        return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

/// The value of an option that is given.
std::string given_value(const OptionInfo& info, const std::vector<std::string>& words) {
    std::vector<std::string> items;
    switch (info.kind) {
        case ValueKind::One:
            return yaml_scalar(words.back());
        case ValueKind::List:
            for (const std::string& word : words) items.push_back(yaml_scalar(word));
            return fmt::format("[{}]", fmt::join(items, ", "));
        case ValueKind::Map:
            for (const std::string& word : words) {
                const std::size_t equals = word.rfind('=');
                items.push_back(yaml_scalar(word.substr(0, equals)) + ": " + yaml_scalar(word.substr(equals + 1)));
            }
            return fmt::format("{{{}}}", fmt::join(items, ", "));
        case ValueKind::NegativeFlag:
            return "false";
        case ValueKind::Flag:
        case ValueKind::SignedFlag:
            break;
    }
    return words.back();
}

std::string comment(const std::string& text) {
    std::string lines = "#";
    std::size_t width = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (width > 0 && width + word.size() + 1 > comment_width) {
            lines += "\n#";
            width = 0;
        }
        lines += " " + word;
        width += word.size() + 1;
    }
    return lines + "\n";
}

/// A file of all options with comments. Those that are not given are comments too, with their defaults.
std::string file_of(const CLI::App& command, const std::vector<OptionInfo>& table) {
    std::string text =
        comment(fmt::format("Options of 'ttsim {0}', for 'ttsim {0} --options FILE'", command.get_name()));
    std::string group;
    for (const OptionInfo& info : table) {
        if (info.flag.empty()) continue;
        if (info.group != group) text += "\n# --- " + info.group + "\n";
        group = info.group;
        text += "\n" + comment(info.help);
        const CLI::Option* const option = command.get_option(info.flag);
        if (option->count() > 0)
            text += fmt::format("{}: {}\n", info.key, given_value(info, option->results()));
        else
            text += fmt::format("#{}:{}\n", info.key, info.default_text.empty() ? "" : " " + info.default_text);
    }
    text.pop_back();  // the caller adds it
    return text;
}

}  // namespace

void add_options_file(CLI::App& command, const std::vector<OptionInfo>& table) {
    command
        .add_option_function<std::string>(
            "--options", [&command, &table](const std::string& file) { apply(command, table, file); },
            "YAML file of options by the keys of docs/options.md; those of the command line win")
        ->check(existing_file())
        ->type_name("FILE");
    command.add_flag_callback(
        "--print-options", [&command, &table] { throw CLI::CallForVersion(file_of(command, table), 0); },
        "Print such a file, with the options that are given and with comments for all others");
}

bool changes_no_result(const std::vector<OptionInfo>& table, const std::string& flag) {
    static const std::set<std::string> of_every_command{"--color", "--force", "--options", "--print-options"};
    return of_every_command.contains(flag) || std::any_of(table.begin(), table.end(), [&](const OptionInfo& info) {
               return info.flag == flag && info.no_effect;
           });
}

}  // namespace ttsim::impl::cli
