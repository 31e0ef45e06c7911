"""Reads a schema of options, and what all surfaces show of an option: sentences, ranges, defaults."""
import sys
import tomllib

TYPES = {"bool", "optional_bool", "int", "uint", "real", "text", "format", "choice", "yaml", "ints", "texts", "numbers",
         "names"}
KEYS = {"key", "flag", "type", "default", "range", "choices", "off", "metavar", "help", "no_help", "unset", "since",
        "always", "unit", "on", "struct", "field", "repeat", "each", "form", "enum", "public_enum", "words", "meaning",
        "optional", "small", "reads", "writes", "needs", "excludes", "no_effect", "passes", "opt_flag", "opt_default"}
LIMITS = {2**63 - 1}  # of types, which are not upper bounds


class Schema:
    """groups: [(name, [option])]; structs: {name: how it is declared}."""

    def __init__(self, path, root):
        self.path = path
        self.name = path.relative_to(root).as_posix()
        with open(path, "rb") as file:
            read = tomllib.load(file)
        self.structs = read.get("structs", {})
        self.groups = [(group["name"], group["option"]) for group in read["group"]]
        seen = set()
        for option in self.options():
            self._check(option, seen)
            seen.add(option["key"])
            option.setdefault("on", read.get("on", []))
            if option["type"] == "choice":
                option["default"] = option["choices"][0]

    def _check(self, option, seen):
        where = f"{self.name}: option {option.get('key')}"
        if unknown := set(option) - KEYS:
            sys.exit(f"{where}: unknown keys {', '.join(sorted(unknown))}")
        if missing := {"key", "type", "help", "since"} - set(option):
            sys.exit(f"{where}: {', '.join(sorted(missing))} missing")
        if option["type"] not in TYPES or option["key"] in seen:
            sys.exit(f"{where}: type {option['type']} is unknown, or the key is there twice")
        if "struct" in option and option["struct"] not in self.structs:
            sys.exit(f"{where}: there is no struct {option['struct']}")
        if option.get("flag", "").startswith("--no-") and "no_help" not in option:
            sys.exit(f"{where}: no_help is missing")

    def options(self, surface=None):
        return [option for _, options in self.groups for option in options if not surface or surface in option["on"]]

    def grouped(self, surface=None):
        """Groups with an option on the surface."""
        chosen = [(name, [o for o in options if not surface or surface in o["on"]]) for name, options in self.groups]
        return [(name, options) for name, options in chosen if options]

    def of_struct(self, name):
        return [option for option in self.options() if option.get("struct") == name]


def for_passes(option):
    """The option as ttsim-opt has it."""
    made = {**option, **{key[4:]: value for key, value in option.items() if key.startswith("opt_")}}
    if "opt_default" in option:
        made.pop("unset", None)
    return made


def inverted(option):
    """Whether its flag sets the option to false."""
    return option["type"] == "bool" and option.get("flag", "").startswith("--no-")


def flag_name(option):
    return option.get("flag", "").split(",")[0]


def words_of(option, surface=None):
    return option.get("words", {}).get(surface, option.get("choices", []))


def range_text(option):
    """"1 to 32", "1 or more"; "" without a range."""
    if "range" not in option:
        return ""
    low, high = option["range"]
    unit = f" {option['unit']}" if "unit" in option else ""
    return f"{low} or more{unit}" if high in LIMITS else f"{low} to {high}{unit}"


def default_text(option):
    """The default as a value; "" if it is none."""
    default = option.get("default", option.get("off") if "unset" not in option else None)
    if option["type"] == "bool":
        return "true" if default else "false"
    if option["type"] in ("int", "uint", "real") and "unset" not in option:
        return str(default or 0)
    return str(default) if default is not None and "unset" not in option else ""


def shown_default(option):
    """What holds when the option is not given."""
    return option.get("unset") or default_text(option) or "none"


def meaning(option, surface=None, negative=False):
    """The sentence of the option, without range and default."""
    text = option["no_help"] if negative else option["help"]
    words = words_of(option, surface)
    if "meaning" in option:
        return text + ": " + "; ".join(f"{word}: {option['meaning'][word]}" for word in words)
    if any(word not in text + option.get("metavar", "") for word in words):
        text += f": {', '.join(words)}"
    return text


def sentence(option, surface=None, negative=False):
    """The help of the option, with range and default: the same on all surfaces."""
    text = meaning(option, surface, negative)
    if limits := range_text(option):
        text += f". Range: {limits}"
    default = shown_default(option)
    if negative or default in ("none", "false"):
        return text
    return text + f". Default: {'on' if option['type'] == 'bool' else default}"
