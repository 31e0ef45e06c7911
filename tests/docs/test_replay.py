#!/usr/bin/env python3
"""The test of the pages must itself be able to fail: replay.py on pages that are right and wrong."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BINARIES = pathlib.Path(os.environ.get("TTSIM", ROOT / "build/release/bin/ttsim")).parent


class Replay(unittest.TestCase):
    def replay(self, text):
        with tempfile.TemporaryDirectory() as name:
            page = pathlib.Path(name).resolve() / "page.md"
            page.write_text(text)
            return subprocess.run([sys.executable, HERE / "replay.py", page.parent, BINARIES, page], capture_output=True,
                                  text=True, check=False)

    def passes(self, text):
        done = self.replay(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, text, word):
        done = self.replay(text)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(word, done.stderr)

    def test_what_is_shown_must_be_printed(self):
        self.passes("    $ echo one; echo two\n    one\n    two\n")
        self.passes("```\n$ echo one\none\n```\n")
        self.fails("    $ echo one\n    two\n", "page.md:1: prints something else now: echo one")
        self.fails("    $ echo one\n", "prints something else")
        self.fails("text\n\n    $ true\n    one\n", "page.md:3: prints something else")

    def test_dots_match_anything(self):
        self.passes("    $ echo one; echo two; echo three\n    ...\n    three\n")
        self.passes("    $ echo took 12 s of 15\n    took ... s of 15\n")
        self.fails("    $ echo one; echo two\n    ...\n    three\n", "prints something else")

    def test_a_command_succeeds_unless_its_exit_code_is_shown(self):
        self.fails("    $ false\n", "exit code 1 of: false")
        self.passes("    $ false\n    $ echo $?\n    1\n")

    def test_commands_share_a_folder_and_a_block_goes_on_behind_empty_lines(self):
        self.passes("    $ echo one > file\n    $ cat file; echo; echo two\n    one\n\n    two\n")

    def test_every_block_is_a_session_or_gives_a_reason(self):
        self.fails("text\n\n    some output\n", "page.md:3: a block without '$ ' and without a mark")
        self.assertIn("page.md:4: not replayed: a drawing",
                      self.passes("\n<!-- replay: no, a drawing -->\n\n    o--o\n"))
        self.fails("<!-- replay: no, a drawing -->\n\n    o--o\n\ntext\n\n    o--o\n", "page.md:7: a block")

    def test_what_is_missing_is_named_and_setup_is_run(self):
        self.assertIn("needs no_such_thing", self.passes("<!-- replay: needs no_such_thing -->\n\n    $ false\n"))
        self.passes("<!-- replay: needs bash -->\n<!-- replay: setup echo hidden > f -->\n\n    $ cat f\n    hidden\n")

    def test_commands_in_the_text_must_exist(self):
        self.passes("Call `ttsim run NETLIST --mode timing` or `ttperf TRACE --epoch 0`.\n")
        self.fails("Call `ttsim rnu NETLIST`.\n", "page.md:1: there is no such command: ttsim rnu NETLIST")
        self.fails("Call `ttsim run NETLIST --mdoe full`.\n", "'ttsim run' has no --mdoe")


class Demo(unittest.TestCase):
    def test_the_demo_builds_what_the_readme_calls(self):
        called = set(re.findall(r"build/release/bin/([a-z-]+)", (ROOT / "README.md").read_text()))
        called |= {word for word in re.findall(r"`(ttsim-opt|ttperf|ttsim)\b", (ROOT / "README.md").read_text())}
        builds = re.findall(r"^scripts/build release (.*)$", (ROOT / "scripts/demo").read_text(), re.MULTILINE)
        built = " ".join(builds).split()
        self.assertTrue(called)
        self.assertEqual(sorted(called - set(built)), [])


if __name__ == "__main__":
    unittest.main()
