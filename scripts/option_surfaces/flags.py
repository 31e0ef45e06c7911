"""Command lines: statements that add options to a CLI::App, and the table that option files are read by."""
from .cpp import camel, quoted, words
from .schema import default_text, flag_name, inverted, sentence, words_of


def option_call(option, surface, field, help_text):
    """The call that adds the option; `field`: the variable that it sets."""
    flag, kind = quoted(option["flag"]), option["type"]
    text = quoted(help_text)
    if "writes" in option:
        how = option["writes"]
        if how.startswith("FileKind::"):
            return f"to.outputs.file({flag}, {field}, {how}, {text})"
        if how == "folder_of_files":
            return f"to.outputs.folder_of_files({flag}, {field}, {text})"
        return f"to.outputs.folder({flag}, {field}, {how}, {text})"
    if inverted(option):
        return f"command.add_flag_callback({flag}, [&field = {field}] {{ field = false; }}, {text})"
    if kind == "bool":
        return f"command.add_flag({flag}, {field}, {text})"
    if kind == "optional_bool":
        return f"command.add_flag({flag}, [&field = {field}](std::int64_t n) {{ field = n > 0; }}, {text})"
    if kind in ("numbers", "names"):
        low_high = ", ".join(map(str, [quoted(option.get("form", "")), *option.get("range", [])]))
        form = f"{{{low_high}}}, " if kind == "numbers" else ""
        return (f"command.add_option_function<std::vector<std::string>>({flag}, [&field = {field}]"
                f"(const std::vector<std::string>& all) {{ set_{kind}({flag}, all, {form}field); }}, {text})"
                "->allow_extra_args(false)")
    if kind == "choice" and "enum" in option:
        pairs = ", ".join(f"{{{quoted(word)}, Word::{camel(word)}}}" for word in words_of(option, surface))
        return (f"command.add_option_function<std::string>({flag}, [&field = {field}](const std::string& word) "
                f"{{ using Word = std::remove_reference_t<decltype(field)>; set_word(field, word, {{{pairs}}}); }}, {text})")
    return f"command.add_option({flag}, {field}, {text})"


def checked(option, surface, call):
    """The call with its checks."""
    kind = option["type"]
    if kind in ("ints", "texts"):
        if not option.get("repeat"):
            call += "->delimiter(',')"
        call += "->allow_extra_args(false)"  # else it takes the arguments that follow
    if kind == "yaml":
        call += "->check(existing_file())"
    if "reads" in option:
        call += f"->check(existing_{option['reads']}())"
    if "range" in option and kind != "numbers":
        number = "double" if kind == "real" else "std::int64_t"
        low, high = option["range"]
        call += f"->check(in_range<{number}>({low}, {high}))"
    if kind == "format":
        call += "->check(float_format())"
    if kind == "choice":
        call += f"->check(one_of({words(words_of(option, surface))}))"
    if "each" in option:
        call += f"->check(one_of({words(option['each'])}))"
    if "metavar" in option and "writes" not in option:
        call += f"->type_name({quoted('|'.join(words_of(option, surface)) if 'words' in option else option['metavar'])})"
    return call


def add_options(grouped, surface, field_of, headings, passes=False):
    """Statements that add the options of groups; `passes`: the help names the passes that read the option."""
    lines = ""
    for group, options in grouped:
        for option in options:
            if "flag" not in option:
                continue
            help_text = sentence(option, surface, inverted(option))
            if passes and "passes" in option:
                help_text += f". Passes: {', '.join(option['passes'])}"
            call = checked(option, surface, option_call(option, surface, field_of(option), help_text))
            for relation in ("needs", "excludes"):
                for other in option.get(relation, []):
                    call += f"->{relation}(command.get_option({quoted(other)}))"
            lines += f"    {call}" + (f"->group({quoted(group)})" if headings else "") + ";\n"
    return lines


def kind_of_value(option):
    """How a value of an options file becomes words of the command line."""
    if option["type"] in ("bool", "optional_bool"):
        if inverted(option):
            return "NegativeFlag"
        return "SignedFlag" if ",!" in option.get("flag", "") else "Flag"
    if option["type"] in ("ints", "texts"):
        return "List"
    return "Map" if option["type"] in ("numbers", "names") else "One"


def table(name, grouped, surface, comment):
    """A function that returns the options of a command, for files of options."""
    rows = ""
    for group, options in grouped:
        for option in options:
            no_effect = "true" if option.get("no_effect") else "false"
            rows += (f"        {{{quoted(option['key'])}, {quoted(flag_name(option))}, {quoted(group)}, "
                     f"ValueKind::{kind_of_value(option)}, {quoted(sentence(option, surface))}, "
                     f"{quoted(default_text(option))}, {no_effect}}},\n")
    return (f"/// {comment}\ninline const std::vector<OptionInfo>& {name}() {{\n"
            f"    static const std::vector<OptionInfo> all{{\n{rows}    }};\n    return all;\n}}\n")
