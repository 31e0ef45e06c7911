"""The sentences, ranges and defaults of options: --help of every command shows those of docs/options.md; and the options
that passes read are those that the schema names."""
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/options.md").read_text(encoding="utf-8")
COMMANDS = {"compile": [os.environ["TTSIM"], "compile"], "run": [os.environ["TTSIM"], "run"],
            "check": [os.environ["TTSIM"], "check"], "explain": [os.environ["TTSIM"], "explain"],
            "debug": [os.environ["TTSIM"], "debug"], "opt": [os.environ["TTSIM_OPT"]]}


def help_of(command):
    """Descriptions by flag, with single spaces."""
    text = subprocess.run([*COMMANDS[command], "--help"], capture_output=True, text=True, check=True).stdout
    shown, flags = {}, []
    for line in text.split("\nExamples:")[0].splitlines():
        if match := re.match(r"  (-[^ ]+(?:,[^ ]+)*)(.*)", line):
            flags = match[1].split(",")
            words = match[2]
            if words.startswith(" ") and not words.startswith("  "):  # the form of a value, before two spaces or alone
                words = words.partition("  ")[2]
        elif line.startswith("   "):
            words = line
        else:
            flags = []
            continue
        for flag in flags:
            shown[flag] = " ".join((shown.get(flag, "") + " " + words).split())
    return shown


def rows():
    """Rows of the tables: (flags, type, default, range, meaning, last column)."""
    found = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 7 and cells[1]:
            found.append((re.findall(r"`([^`]+)`", cells[1]), *cells[2:]))
    return found


def expected(row):
    """The description of a flag."""
    flags, kind, default, limits, meaning, _ = row
    negative = f". `{flags[0]}`: "
    if negative in meaning:
        return meaning.split(negative)[1]
    limits = limits.split(";")[0]
    text = meaning + (f". Range: {limits}" if limits and kind != "choice" else "")
    return text if default in ("none", "false") else text + f". Default: {'on' if kind == 'bool' else default}"


def part_of(shown, whole):
    """Whether `shown` is `whole` without some of its words, as for a command that has fewer."""
    head, _, default = shown.rpartition(". Default: ")
    clauses = whole.rpartition(". Default: ")[0].split("; ")
    return whole.endswith(f". Default: {default}") and head.split("; ")[0] == clauses[0] and \
        all(any(clause == known for known in clauses) for clause in head.split("; "))


class Help(unittest.TestCase):
    def check(self, command, chosen, change=lambda row: row):
        shown = help_of(command)
        self.assertGreater(len(chosen), 5)
        for row in chosen:
            whole = expected(change(row))
            with self.subTest(f"{command} {row[0][0]}"):
                self.assertIn(row[0][0], shown)
                text = shown[row[0][0]]
                self.assertTrue(text == whole or (row[1] == "choice" and part_of(text, whole)), f"{text}\n{whole}")

    def compile_rows(self):
        alone = PAGE.index("## Options of passes alone")
        return [row for row in rows() if PAGE.index(f"| `{row[0][0]}`") < alone and "`" not in row[5]]

    def test_compile(self):
        alone = [row for row in rows() if row[0][0] in ("--wide-dest", "--no-fp16-quantizers", "--slice-bytes", "--sum-bytes", "--l1-bytes")]
        self.check("compile", [row for row in self.compile_rows() if row not in alone])

    def test_run_and_the_other_commands_on_netlists(self):
        for command, where in (("run", "`ttsim run`"), ("check", "`check`"), ("explain", "`explain`"), ("debug", "`debug`")):
            self.check(command, [row for row in rows() if where in row[5]])

    def test_passes(self):
        others = dict(re.findall(r"`(\w+)` \((\w+)\)", PAGE.split("a pass has other defaults of ")[1]))
        keys = {match[2]: match[1] for match in re.finditer(r"^\| `(\w+)` \| `(--[\w-]+)`", PAGE, re.MULTILINE)}

        def change(row):
            flags, kind, default, limits, meaning, passes = row
            key = keys[flags[0]]
            if key == "wide_results":  # true for models, and a flag that sets it for passes
                return ["--wide-results"], kind, "false", limits, meaning.split(". `--no-")[0] + f". Passes: {passes}", passes
            default = others.get(key, default)
            text = expected((flags, kind, default, limits, meaning, passes))
            return flags, kind, "none", "", f"{text}. Passes: {passes}", passes

        chosen = [row for row in rows() if row[5] and "`" not in row[5]]
        self.check("opt", [change(row) for row in chosen])

    def test_list_passes_names_the_options_of_each_pass(self):
        text = subprocess.run([*COMMANDS["opt"], "--list-passes"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(text, r"decompose-softmax .*\n +reads --no-stable-softmax\n")
        self.assertRegex(text, r"stream-slices .*\n +reads --no-t-streaming, --overrides, --slice-bytes, --l1-bytes\n")


class PassesRead(unittest.TestCase):
    """`options.NAME` in the source of a pass is an option that the schema declares for it, or one that no user sets."""

    INTERNAL = {"estimate", "host", "saved_entries", "tiling", "threads"}
    FIELDS = {"format": ["default_df"], "accumulate_format": ["accumulate_df"], "amp": ["rules"], "amp_light": ["rules"],
              "format_rules": ["rules"]}

    def read_by(self, text, helpers):
        read = set(re.findall(r"\boptions_?\.(\w+)", text)) - self.INTERNAL
        for name, fields in helpers.items():
            if re.search(rf"\b{name}\(options", text):
                read |= fields
        return read

    def test_the_schema_names_every_option_that_a_pass_reads(self):
        schema = tomllib.loads((ROOT / "compiler/options/compile_options.toml").read_text(encoding="utf-8"))
        declared = {}
        for group, option in ((group["name"], option) for group in schema["group"] for option in group["option"]):
            fields = ["training"] if group == "Training" else self.FIELDS.get(option["key"], [option["key"]])
            for name in option.get("passes", []):
                declared.setdefault(name, set()).update(fields)
        helpers = {}
        for path in (ROOT / "compiler/passes").glob("*.hpp"):
            for name, body in re.findall(r"inline \w+ (\w+)\(const PassOptions& options\) \{(.*?)\n\}", path.read_text(),
                                         re.DOTALL):
                helpers[name] = self.read_by(body, {})
        passes = 0
        for path in sorted((ROOT / "compiler/passes").glob("*.cpp")):
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r'\.name = "([\w-]+)"', text):
                passes += 1
                with self.subTest(name):
                    self.assertEqual(self.read_by(text, helpers), declared.pop(name, set()))
        self.assertGreater(passes, 30)
        self.assertEqual(declared, {}, "the schema names passes that do not exist")


if __name__ == "__main__":
    unittest.main()
