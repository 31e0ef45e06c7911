#include "tools/common/manual.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::cli {

namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "ttsim noc bench"; with '-' between the words, the name of the man page.
std::string full_name(const CLI::App& app, const std::string& between) {
    return app.get_parent() ? full_name(*app.get_parent(), between) + between + app.get_name() : app.get_name();
}

/// Escaped for roff.
std::string roff(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool begins = at == 0 || text[at - 1] == '\n';
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string flags_of(const CLI::Option& option) {
    std::string text;
    const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
    for (const std::string& name : option.get_snames()) add("-" + name);
    for (const std::string& name : option.get_lnames()) add("--" + name);
    return text.empty() ? option.get_name() : text;
}

std::string value_of(const CLI::Option& option) {
    return option.get_type_size_max() == 0 ? "" : option.get_type_name();
}

std::string option_entry(const CLI::Option& option) {
    const std::string value = value_of(option);
    return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(flags_of(option)),
                       value.empty() ? "" : " \\fI" + roff(value) + "\\fR", roff(option.get_description()));
}

std::string options_section(const CLI::App& app) {
    std::string arguments, options;
    const std::vector<std::string> headings = app.get_groups();
    for (const CLI::Option* option : app.get_options())
        if (option->get_positional() && !option->get_group().empty()) arguments += option_entry(*option);
    for (const std::string& heading : headings) {
        if (heading.empty()) continue;
        std::string entries;
        for (const CLI::Option* option : app.get_options())
            if (!option->get_positional() && option->get_group() == heading) entries += option_entry(*option);
        if (!entries.empty() && heading != "Options") options += ".SS " + roff(heading) + "\n";
        options += entries;
    }
    return (arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments) +
           (options.empty() ? "" : ".SH OPTIONS\n" + options);
}

std::string commands_section(const CLI::App& app) {
    std::string text;
    for (const CLI::App* sub : subcommands(app))
        text += fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fB{}\\fR(1)\n", roff(full_name(*sub, " ")),
                            roff(sub->get_description()), roff(full_name(*sub, "-")));
    return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

std::string synopsis(const CLI::App& app) {
    std::string text = "\\fB" + roff(full_name(app, " ")) + "\\fR [options]";
    if (!subcommands(app).empty()) text += " \\fIcommand\\fR";
    for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->get_positional(); }))
        text += option->get_required() ? " \\fI" + roff(option->get_name()) + "\\fR"
                                       : " [\\fI" + roff(option->get_name()) + "\\fR]";
    return text;
}

/// The first sentence or line, for NAME.
std::string summary(const CLI::App& app) {
    std::string text = app.get_description();
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

// --- completion ----------------------------------------------------------------------------------------------------

/// "full|timing" -> {"full", "timing"}
std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('|', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// The words that the tool knows for the option, those of its check one_of(), or of "full|timing" in its help; none for
/// "FILE" or "N".
std::vector<std::string> choices_of(const CLI::Option& option) {
    if (const auto known = completion_values().find(option.get_name()); known != completion_values().end())
        return known->second();
    for (int n = 0;; ++n) {
        const CLI::Validator* check = nullptr;
        try {
            check = const_cast<CLI::Option&>(option).get_validator(n);  // CLI11 2.3 has no const one
        } catch (const CLI::OptionNotFound&) {
            break;
        }
        if (check->get_name().find('|') != std::string::npos) return split_words(check->get_name());
    }
    const std::string value = value_of(option);
    if (value.find('|') == std::string::npos || value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ=") != std::string::npos)
        return {};
    return split_words(value);
}

std::string case_of(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::App* sub : subcommands(app)) words.push_back(sub->get_name());
    std::string values;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) {
            words.push_back("--" + name);
            if (const auto choices = choices_of(*option); !choices.empty())
                values += fmt::format("        '{} --{}') choices=\"{}\" ;;\n", full_name(app, " "), name,
                                      fmt::join(choices, " "));
        }
    }
    std::string text = fmt::format("        '{}') words=\"{}\" ;;\n", full_name(app, " "), fmt::join(words, " "));
    for (const CLI::App* sub : subcommands(app)) text += case_of(*sub);
    return text + values;
}

void write(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail_input({file.string(), 0, 0}, "cannot be written");
}

void write_pages(const CLI::App& app, const fs::path& folder) {
    write(folder / (full_name(app, "-") + ".1"), man_page(app));
    for (const CLI::App* sub : subcommands(app)) write_pages(*sub, folder);
}

}  // namespace

std::string man_page(const CLI::App& app) {
    const std::string title = full_name(app, "-");
    std::string text =
        fmt::format(".TH \"{}\" 1\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}\n", roff(title),
                    roff(title), roff(summary(app)), synopsis(app), roff(app.get_description()));
    text += commands_section(app) + options_section(app);
    if (const std::string footer = app.get_footer(); !footer.empty())
        text += ".SH NOTES\n.nf\n" + roff(footer) + "\n.fi\n";
    if (app.get_parent()) text += fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", roff(full_name(*app.get_parent(), "-")));
    return text;
}

std::string bash_completion(const CLI::App& app) {
    const std::string name = app.get_name();
    std::string function = "_" + name;
    for (char& c : function)
        if (c == '-') c = '_';
    return fmt::format(
        R"(# bash completion of {0}
{1}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command={0} word words="" choices=""
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case " $({1}_words "$command") " in
        *" $word "*) case $word in -*) ;; *) command="$command $word" ;; esac ;;
        esac
    done
    words=$({1}_words "$command")
    choices=$({1}_words "$command $before")
    if [ -n "$choices" ]; then
        COMPREPLY=($(compgen -W "$choices" -- "$current"))
    elif [[ $current == -* || $words != -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    fi
}}
{1}_words() {{
    local words="" choices=""
    case $1 in
{2}    esac
    printf '%s' "$words$choices"
}}
complete -o default -F {1} {0}
)",
        name, function, case_of(app));
}

std::map<std::string, std::function<std::vector<std::string>()>>& completion_values() {
    static std::map<std::string, std::function<std::vector<std::string>()>> values;
    return values;
}

std::string zsh_completion(const CLI::App& app) {
    const std::string name = app.get_name();
    std::string cases = case_of(app);
    // `words` is a variable of zsh's completion
    for (std::size_t at = 0; (at = cases.find(") words=", at)) != std::string::npos; at += 7)
        cases.replace(at, 8, ") list=");
    return fmt::format(
        R"(#compdef {0}
_{0}_words() {{
    local list="" choices=""
    case $1 in
{1}    esac
    print -rn -- "$list$choices"
}}
_{0}() {{
    local command={0} word
    local -a choices list
    for word in ${{words[2,CURRENT-1]}}; do
        case " $(_{0}_words "$command") " in
        *" $word "*) case $word in -*) ;; *) command="$command $word" ;; esac ;;
        esac
    done
    choices=(${{=$(_{0}_words "$command ${{words[CURRENT-1]}}")}})
    list=(${{=$(_{0}_words "$command")}})
    if (( $#choices )); then
        compadd -a choices && return
    elif [[ $PREFIX == -* || ${{list[1]}} != -* ]]; then
        compadd -a list && return
    fi
    _files
}}
_{0} "$@"
)",
        name, cases);
}

/// 'text' for fish.
static std::string fish_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "'";
}

/// `path`: the subcommands on the way to `app`.
static void add_fish_lines(const CLI::App& app, const std::string& tool, std::vector<std::string> path,
                           std::string& text) {
    std::string when = path.empty() ? "__fish_use_subcommand" : "";
    for (const std::string& word : path)
        when += (when.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    const std::vector<const CLI::App*> subs = subcommands(app);
    if (path.empty() && subs.empty()) when = "true";
    for (const CLI::App* sub : subs)
        text += fmt::format("complete -c {} -f -n '{}' -a {} -d {}\n", tool, when, sub->get_name(),
                            fish_quoted(sub->get_description()));
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        std::string line = fmt::format("complete -c {} -n '{}'", tool, when);
        for (const std::string& name : option->get_lnames()) line += " -l " + name;
        for (const std::string& name : option->get_snames()) line += " -s " + name;
        if (option->get_expected_max() != 0) line += " -r";
        if (const auto choices = choices_of(*option); !choices.empty())
            line += fmt::format(" -a '{}'", fmt::join(choices, " "));
        text += line + " -d " + fish_quoted(option->get_description()) + "\n";
    }
    for (const CLI::App* sub : subs) {
        path.push_back(sub->get_name());
        add_fish_lines(*sub, tool, path, text);
        path.pop_back();
    }
}

std::string fish_completion(const CLI::App& app) {
    std::string text = fmt::format("# fish completion of {}\n", app.get_name());
    add_fish_lines(app, app.get_name(), {}, text);
    return text;
}

void write_manual(const CLI::App& app, const std::string& folder) {
    write_pages(app, fs::path(folder) / "man");
    write(fs::path(folder) / "completion" / app.get_name(), bash_completion(app));
    write(fs::path(folder) / "zsh" / ("_" + app.get_name()), zsh_completion(app));
    write(fs::path(folder) / "fish" / (app.get_name() + ".fish"), fish_completion(app));
}

}  // namespace ttsim::impl::cli
