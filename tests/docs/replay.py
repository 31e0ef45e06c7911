#!/usr/bin/env python3
"""Replays what README.md and docs show: every command of a code block is run, and what it prints compared.

A block (indented by four columns, or fenced) is a session: lines that begin with '$ ' are commands, those below are
what they print on standard output and error. '...' stands for anything in a line; a line of its own for any lines. A
command succeeds, unless the next one is 'echo $?'. Commands of a page run one after the other in an empty folder with
the project's examples/, scripts/, configs/, tests/ and build/ in it, and the tools on PATH. Lines before a block may be

  <!-- replay: no, REASON -->      it is not replayed: a drawing, or a command that takes too long
  <!-- replay: needs THING -->     only where THING is a file of the project or a program that is installed
  <!-- replay: setup COMMAND -->   run before, without being shown

A block that is neither a session nor marked is an error, and so is a command in the text that no tool knows.

  replay.py ROOT BINARIES [PAGE...]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MARK = re.compile(r"<!-- replay: (no|needs|setup)[, ]\s*(.+?) -->")

class Block:
    def __init__(self, line, marks):
        self.line, self.lines = line, []
        self.marks = marks

    def mark(self, kind):
        return [text for word, text in self.marks if word == kind]

    def is_session(self):
        return any(line.startswith("$ ") for line in self.lines)

    def commands(self):
        """(line number, command, lines of output)"""
        found = []
        for at, line in enumerate(self.lines):
            if line.startswith("$ "):
                found.append((self.line + at, line[2:], []))
            elif found and found[-1][1].endswith("\\") and not found[-1][2]:
                number, command, output = found[-1]
                found[-1] = (number, command[:-1] + line.strip(), output)
            elif found:
                found[-1][2].append(line)
        return found


def blocks_of(text):
    """The code blocks of a page, with the marks before them."""
    blocks, marks, fence, open_block, blank = [], [], None, None, True
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if fence is not None:
            if stripped.startswith(fence):
                fence = open_block = None
            else:
                open_block.lines.append(line)
            continue
        if stripped.startswith("```"):
            fence = "```"
            open_block = Block(number + 1, marks)
            blocks.append(open_block)
            marks = []
            continue
        indented = line.startswith("    ")
        if indented and (open_block or blank):
            if open_block is None:
                open_block = Block(number, marks)
                blocks.append(open_block)
                marks = []
            open_block.lines += [""] * (number - open_block.line - len(open_block.lines))
            open_block.lines.append(line[4:])
        elif stripped:
            open_block = None
            mark = MARK.fullmatch(stripped)
            if mark:
                marks = marks + [mark.groups()]
            else:
                marks = []
        blank = not stripped or bool(MARK.fullmatch(stripped))
    return blocks


def matches(expected, printed):
    """Whether lines are as shown, with '...' for what may differ."""
    if not expected:
        return not printed
    if expected[0].strip() == "...":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("..."))
    return re.fullmatch(pattern, printed[0]) is not None and matches(expected[1:], printed[1:])


def trimmed(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


class Page:
    def __init__(self, root, binaries, path):
        self.root, self.binaries, self.path = root, binaries, path
        self.name = str(path.relative_to(root))
        self.errors, self.left_out, self.replayed = [], [], 0

    def error(self, line, text):
        self.errors.append(f"{self.name}:{line}: {text}")

    def chosen(self):
        """Commands to run: (line, command, output or None, whether it may fail)"""
        chosen = []
        for block in blocks_of(self.path.read_text()):
            reasons = block.mark("no")
            missing = [thing for thing in block.mark("needs")
                       if not (self.root / thing).exists() and not shutil.which(thing)]
            reasons += [f"needs {thing}" for thing in missing]
            if reasons:
                self.left_out.append(f"{self.name}:{block.line}: not replayed: {'; '.join(reasons)}")
                continue
            if not block.is_session():
                self.error(block.line, "a block without '$ ' and without a mark '<!-- replay: no, REASON -->'")
                continue
            chosen += [(block.line, command, None, False) for command in block.mark("setup")]
            commands = block.commands()
            for at, (line, command, output) in enumerate(commands):
                told = at + 1 < len(commands) and commands[at + 1][1] == "echo $?"
                chosen.append((line, command, output, told))
        return chosen

    def replay(self):
        chosen = self.chosen()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "build").mkdir()
            (folder / "build/release").symlink_to(self.binaries.parent)
            for part in ("models", "venv-frameworks", "python"):
                if (self.root / "build" / part).exists():
                    (folder / "build" / part).symlink_to(self.root / "build" / part)
            for part in ("examples", "scripts", "configs", "tests"):
                if (self.root / part).exists():
                    (folder / part).symlink_to(self.root / part)
            script = ""
            for at, (_, command, _, _) in enumerate(chosen):
                script += f"{{ {command}\n}} > ../out.{at} 2>&1 < /dev/null; s=$?; echo $s > ../status.{at}; (exit $s)\n"
            work = folder / "work"
            work.mkdir()
            for part in folder.iterdir():
                if part != work:
                    (work / part.name).symlink_to(part)
            environment = {**os.environ, "PATH": f"{self.binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
            subprocess.run(["bash"], input=script, text=True, cwd=work, env=environment, check=False)
            for at, (line, command, output, told) in enumerate(chosen):
                self.judge(line, command, output, told, (folder / f"out.{at}").read_text(errors="replace"),
                           int((folder / f"status.{at}").read_text()))

    def judge(self, line, command, output, told, printed, status):
        self.replayed += 1
        if status != 0 and not told:
            self.error(line, f"exit code {status} of: {command}\n{printed}")
        elif output is not None and not matches(trimmed(output), trimmed(printed.splitlines())):
            shown = "\n".join("    " + text for text in trimmed(printed.splitlines()))
            self.error(line, f"prints something else now: {command}\n{shown}")

    def check_inline(self, helps):
        """`ttsim WORD ... --option` in running text: the word and the options must exist."""
        text = self.path.read_text()
        for number, line in enumerate(text.splitlines(), 1):
            for found in re.findall(r"`(?:build/release/bin/)?((?:ttsim|ttperf|ttsim-opt|tt-smi)\b[^`]*)`", line):
                words = found.split()
                command = helps.known(words)
                if command is None:
                    self.error(number, f"there is no such command: {found}")
                    continue
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", found):
                    if option not in helps.options(command):
                        self.error(number, f"'{' '.join(command)}' has no {option}: {found}")


class Helps:
    """--help of every command, read once."""

    def __init__(self, binaries):
        self.binaries, self.texts = binaries, {}

    def text(self, command):
        if command not in self.texts:
            done = subprocess.run([self.binaries / command[0], *command[1:], "--help"], capture_output=True, text=True,
                                  check=False)
            self.texts[command] = done.stdout if done.returncode == 0 else ""
        return self.texts[command]

    def subcommands(self, command):
        _, _, rest = self.text(command).partition("Subcommands:\n")
        return re.findall(r"^  ([a-z]\S*)", rest.partition("\n\n")[0], re.MULTILINE)

    def known(self, words):
        """The command at the beginning of these words, as far as it has sub-commands; None for a wrong one."""
        command = (words[0],)
        for word in words[1:]:
            names = self.subcommands(command)
            file = (word.isupper() or "." in word) and "Positionals:" in self.text(command)
            if not names or word.startswith("-") or file:
                break  # an option, or a file of the command's own
            if word not in names:
                return None
            command += (word,)
        return command

    def options(self, command):
        return re.findall(r"--[a-z][a-z-]*", self.text(command))


def main():
    root, binaries = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    paths = [pathlib.Path(name).resolve() for name in sys.argv[3:]]
    paths = paths or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    helps = Helps(binaries)
    errors, replayed = [], 0
    for path in paths:
        page = Page(root, binaries, path)
        page.replay()
        page.check_inline(helps)
        replayed += page.replayed
        errors += page.errors
        for line in page.left_out:
            print(line)
    for text in errors:
        print(text, file=sys.stderr)
    print(f"{replayed} commands of {len(paths)} pages replayed, {len(errors)} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
