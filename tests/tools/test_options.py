#!/usr/bin/env python3
"""Every option of every program is given what is not a number: options that want one refuse it, and none makes a program
crash or run on. The options are those of the programs themselves (--make-manual). TTSIM, TTPERF, TTSMI and TTSIM_OPT
name the programs."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = {name: os.environ.get(name.upper().replace("-", ""), str(ROOT / "build/release/bin" / name))
            for name in ("ttsim", "ttperf", "tt-smi", "ttsim-opt")}
NO_NUMBERS = ("nan", "inf", "-inf", "1e999", "")
# numbers that are part of a text
IN_TEXTS = """
ttsim export t.ttperf --perfetto x.json --cycles nan:5
ttsim export t.ttperf --perfetto x.json --cycles 0:inf
ttsim export t.ttperf --perfetto x.json --cycles -1:5
ttsim compile m.tg --queue-channel in_x=nan
ttsim run n.yaml --param p_loop_count=nan
ttsim run n.yaml --param p_loop_count=1e999
ttsim run n.yaml --param p_loop_count=
ttperf diff a.ttperf b.ttperf --threshold nan%
ttperf diff a.ttperf b.ttperf --threshold inf
ttperf diff a.ttperf b.ttperf --threshold -1%
ttperf diff a.ttperf b.ttperf --threshold 1e999%
""".split("\n")[1:-1]


def commands_of(program, folder):
    """(words of the command, its long options), as the program's own completion lists them."""
    subprocess.run([PROGRAMS[program], "--make-manual", folder], check=True)
    text = (folder / "completion" / program).read_text()
    for words, options in re.findall(r"^ +'([^']*)'\) words=\"([^\"]*)\"", text, re.MULTILINE):
        yield words.split()[1:], [word for word in options.split() if word.startswith("--") and word != "--help"]


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "work").mkdir()
        (cls.folder / "work/n.yaml").write_text((ROOT / "examples/matmul_gelu.yaml").read_text())
        (cls.folder / "work/m.tg").write_text('%x = input : f32[4, 8]\n%y = relu %x\noutput "y" = %y\n')

    def answer(self, program, *words):
        try:
            done = subprocess.run([PROGRAMS[program], *words], cwd=self.folder / "work", stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return "it does not end", None
        return done.stderr, done.returncode

    def test_every_option_refuses_non_numbers(self):
        options = [(program, command, option) for program in PROGRAMS
                   for command, names in commands_of(program, self.folder) for option in names]
        self.assertGreater(len(options), 250)

        def names_it(message, option):
            return re.search(re.escape(option) + r"(?![\w-])", message) is not None

        def check(one):
            program, command, option = one
            message, code = self.answer(program, *command, f"{option}=zzz")
            wrong = [] if code in (0, 1, 2, 4) else [f"=zzz: {code} {message}"]
            # an option that takes any text takes these too
            if code != 2 or not names_it(message, option):
                return wrong, False
            flag = "flag override" in message  # which is given with any value or none
            for value in NO_NUMBERS if not flag else NO_NUMBERS[:3]:
                message, code = self.answer(program, *command, f"{option}={value}")
                if code != 2 or not names_it(message, option):
                    wrong.append(f"={value}: {code} {message}")
            message, code = self.answer(program, *command, f"{option}=-1")
            if code not in (0, 1, 2, 4):
                wrong.append(f"=-1: {code} {message}")
            return wrong, True

        numeric = 0
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for one, (wrong, refuses) in zip(options, pool.map(check, options)):
                numeric += refuses
                with self.subTest(" ".join([one[0], *one[1], one[2]])):
                    self.assertEqual(wrong, [])
        self.assertGreater(numeric, 100)

    def test_options_that_were_reported(self):
        for line in ("tt-smi -i nan --device wh_n150 -d", "tt-smi --dur nan --device wh_n150 -d",
                     "ttsim compile m.tg --target-pcc nan", "ttsim run n.yaml --pcc nan",
                     "ttsim export t.ttperf --perfetto x --links nan"):
            with self.subTest(line):
                program, *words = line.split()
                message, code = self.answer(program, *words)
                self.assertEqual(code, 2)
                self.assertRegex(message, "'nan' is not an? (integer|number)")

    def test_numbers_in_texts(self):
        for line in IN_TEXTS:
            with self.subTest(line):
                program, *words = line.split()
                message, code = self.answer(program, *words)
                self.assertEqual(code, 2, message)
                self.assertIn(next(word for word in words if word.startswith("--") and word != "--perfetto"), message)


if __name__ == "__main__":
    unittest.main()
