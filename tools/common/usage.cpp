#include "tools/common/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tools/common/manual.hpp"
#include "tools/common/run_tool.hpp"
#include "tools/common/terminal.hpp"

namespace ttsim::impl::cli {

namespace {

/// "ttsim noc bench"
std::string full_name(const CLI::App& app) {
    return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(sub->get_name());
    return names;
}

/// The message for the first unknown option or command; "" when there is none.
std::string unknown_word_message(const CLI::App& app) {
    const std::vector<std::string> rest = app.remaining();
    const auto option = std::find_if(rest.begin(), rest.end(),
                                     [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
    if (option != rest.end()) {
        const std::string name = option->substr(0, option->find('='));
        return fmt::format("{}: there is no such option{}", name,
                           name.size() > 2 ? did_you_mean(name, option_names(app)) : "");
    }
    const std::vector<std::string> subcommands = subcommand_names(app);
    if (!rest.empty() && !subcommands.empty() && app.get_subcommands().empty())
        return fmt::format("{}: there is no such command{}", rest.front(), did_you_mean(rest.front(), subcommands));
    for (const CLI::App* sub : app.get_subcommands())
        if (std::string text = unknown_word_message(*sub); !text.empty()) return text;
    return "";
}

/// The innermost subcommand given.
const CLI::App& innermost(const CLI::App& app) {
    const std::vector<CLI::App*> subs = app.get_subcommands();
    return subs.empty() ? app : innermost(*subs.front());
}

/// Refuses values of flags: CLI11 would accept "--flag=nan" as set, and fail on other values.
void refuse_values_of_flags(CLI::App& app) {
    for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
        if (option->get_items_expected_max() == 0) option->disable_flag_override();
    for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) refuse_values_of_flags(*sub);
}

}  // namespace

namespace {

/// CLI11's formatter without the values that it appends to the negated name of a flag ("--no-x{false}").
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_name(const CLI::Option* option, bool positional) const override {
        std::string name = CLI::Formatter::make_option_name(option, positional);
        for (std::size_t at = name.find('{'); at != std::string::npos; at = name.find('{'))
            name.erase(at, name.find('}', at) - at + 1);
        return name;
    }
};

void set_formatter(CLI::App& app, const std::shared_ptr<HelpFormatter>& formatter) {
    app.formatter(formatter);
    for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) set_formatter(*sub, formatter);
}

}  // namespace

/// The message for a first word that resembles a command and is not a file: a tool whose first argument is a file would
/// read it as one. "" otherwise.
static std::string misspelt_command(const CLI::App& app, const std::string& word) {
    const std::vector<std::string> names = subcommand_names(app);
    std::error_code failed;
    if (word.empty() || word.front() == '-' || std::filesystem::exists(word, failed)) return "";
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const std::string guess = did_you_mean(word, names);
    return guess.empty() ? "" : fmt::format("{}: there is no such command{}", word, guess);
}

/// Prints the help of the command that `words` name, such as "noc bench".
static int print_help(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* command = &app;
    for (const std::string& word : words) {
        const std::vector<std::string> names = subcommand_names(*command);
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            fmt::print(stderr, "{}: there is no such command{}\nRun '{} --help' for more information.\n", word,
                       did_you_mean(word, names), full_name(*command));
            return usage_error;
        }
        command = command->get_subcommand(word);
    }
    fmt::print("{}", command->help(command == &app ? "" : full_name(*command->get_parent())));
    return 0;
}

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
    set_formatter(app, std::make_shared<HelpFormatter>());
    if (argc >= 2 && std::string_view(argv[1]) == "help" && !subcommand_names(app).empty())
        return print_help(app, {argv + 2, argv + argc});
    if (argc == 3 &&
        std::string_view(argv[1]) == "--make-manual") {  // used by the build only, so not listed in the help
        write_manual(app, argv[2]);
        return 0;
    }
    if (argc >= 2)
        if (const std::string text = misspelt_command(app, argv[1]); !text.empty()) {
            fmt::print(stderr, "{}\nRun '{} --help' for more information.\n", printable(text), app.get_name());
            return usage_error;
        }
    const auto wrong = [&](const std::string& text) {
        fmt::print(stderr, "{}\nRun '{} --help' for more information.\n", printable(text), full_name(innermost(app)));
        return usage_error;
    };
    refuse_values_of_flags(app);
    // an unknown word may be why another argument is missing, so it is reported first
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        const std::string unknown = unknown_word_message(app);
        return wrong(unknown.empty() ? e.what() : unknown);
    } catch (const Error&) {
        const std::string unknown = unknown_word_message(app);
        if (unknown.empty()) throw;
        return wrong(unknown);
    }
    return std::nullopt;
}

/// The group of --help.
static std::string general_group(const CLI::App& app) {
    const CLI::Option* const help = app.get_help_ptr();
    return help ? help->get_group() : "Options";
}

void add_colour_flag(CLI::App& app) {
    static const std::vector<std::string> words{"auto", "always", "never"};  // in the order of Colour
    const auto set = [](const std::string& given) {
        const auto found = std::find(words.begin(), words.end(), given);
        if (found == words.end()) throw CLI::ValidationError("--color", none_of(given, words));
        set_colour(static_cast<Colour>(found - words.begin()));
    };
    app.add_option_function<std::string>("--color", set,
                                         "Colours in reports and messages. Default: auto, on terminals unless "
                                         "NO_COLOR is set")
        ->type_name("auto|always|never")
        ->group(general_group(app));
    for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) add_colour_flag(*sub);
}

std::string none_of(const std::string& given, const std::vector<std::string>& words) {
    return fmt::format("'{}' is not one of {}{}", given, fmt::join(words, "|"), did_you_mean(given, words));
}

CLI::Validator one_of(std::vector<std::string> words) {
    const std::string name = fmt::format("{}", fmt::join(words, "|"));
    CLI::Validator validator(
        [words = std::move(words)](const std::string& given) {
            return std::find(words.begin(), words.end(), given) == words.end() ? none_of(given, words) : "";
        },
        "");
    return validator.name(name);
}

}  // namespace ttsim::impl::cli
