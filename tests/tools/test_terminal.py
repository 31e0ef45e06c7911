#!/usr/bin/env python3
"""ttsim on a terminal: width, colours, progress. TTSIM and TTPERF name the programs."""
import fcntl
import os
import pathlib
import pty
import re
import sqlite3
import struct
import subprocess
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
BERT = ROOT / "examples/bert_encoder.yaml"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")


def on_terminal(*command, columns=80, stderr_too=False, **environment):
    """What a command writes to a terminal of so many columns."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    env.update({"TERM": "xterm", **environment})
    with subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=other,
                          stderr=other if stderr_too else subprocess.DEVNULL, env=env) as running:
        os.close(other)
        written = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # how a terminal says that nobody has it open any more
                break
            if not piece:
                break
            written += piece
    os.close(main)
    return written.decode().replace("\r\n", "\n"), running.returncode


def widest(text):
    return max(len(line) for line in ESCAPE.sub("", text).splitlines() if not line.startswith(("tolerance", "parameter")))


class Terminal(unittest.TestCase):
    def test_help_of_the_debugger_is_whole(self):
        debug = [TTSIM, "debug", ROOT / "examples/matmul_gelu.yaml", "--commands", "help"]
        text, code = on_terminal(*debug)
        self.assertEqual(code, 0)
        self.assertLessEqual(widest(text), 80)
        self.assertNotIn("...", text.replace("[KIND ...]", ""))
        self.assertIn("  stop  [KIND ...]  break\n      sets a stop, or lists them: ", text)
        self.assertEqual(len(on_terminal(*debug, columns=200)[0].splitlines()), 25)

    def test_names_of_files_are_escaped_on_the_terminal(self):
        attack = "\x1b]0;title\x07\x1b[2J\u009b31m\u202efdp\r"
        quoted = '"' + "".join(f"\\u{ord(c):04x}" for c in attack) + '"'
        text = (ROOT / "examples/matmul_gelu.yaml").read_text().replace("dense", quoted).replace("layer", quoted)
        with tempfile.TemporaryDirectory() as folder:
            netlist, trace = pathlib.Path(folder) / "n.yaml", pathlib.Path(folder) / "t.ttperf"
            netlist.write_text(text)
            subprocess.run([TTSIM, "run", ROOT / "examples/matmul_gelu.yaml", "--mode", "timing", "--trace", trace],
                           check=True, capture_output=True)
            with sqlite3.connect(trace) as database:
                for table, column in (("op", "name"), ("epoch", "graphs"), ("resource", "name"), ("run", "netlist")):
                    database.execute(f"UPDATE {table} SET {column} = ?", (attack,))
            database.close()
            commands = [(TTSIM, "run", netlist, "--mode", "timing"), (TTSIM, "check", netlist),
                        (TTSIM, "explain", netlist), (TTSIM, "run", attack), (TTSIM, "run", netlist, "--" + attack),
                        (TTPERF, trace), (TTPERF, trace, "--text"), (TTPERF, trace, "--epoch", "0"),
                        (TTPERF, trace, "--resources"), (TTPERF, trace, "--json"), (TTPERF, trace, "--csv"),
                        (TTPERF, "top", trace), (TTPERF, "advice", trace), (TTPERF, "diff", trace, trace)]
            for command in commands:
                with self.subTest(command):
                    shown, _ = on_terminal(*command, stderr_too=True, TERM="dumb", NO_COLOR="1")
                    piped = subprocess.run(list(map(str, command)), capture_output=True, check=False)
                    for text in (shown, (piped.stdout + piped.stderr).decode()):
                        text = re.sub("\r[^\r\n]*\x1b\\[K", "", text)  # progress
                        self.assertEqual([c for c in text if ord(c) < 32 and c not in "\n\t" or c in "\u009b\u202e"], [])

    def test_tables_fit_the_terminal_and_verdicts_are_never_lost(self):
        for columns in (40, 60, 80):
            with self.subTest(columns):
                text, code = on_terminal(TTSIM, "run", BERT, columns=columns)
                self.assertEqual(code, 0)
                tables = "\n".join(line for line in text.splitlines() if line.startswith("  "))
                self.assertLessEqual(widest(tables), columns)
                self.assertIn("pass", tables)
        text, _ = on_terminal(TTSIM, "devices", columns=50)
        self.assertLessEqual(widest(text), 50)

    def test_columns_of_the_environment_count_more_than_the_terminal(self):
        text, _ = on_terminal(TTSIM, "ops", columns=200, COLUMNS="40")
        self.assertLessEqual(widest(text), 40)
        text, _ = on_terminal(TTSIM, "ops", columns=40, COLUMNS="nonsense")
        self.assertLessEqual(widest(text), 40)

    def test_a_pipe_gets_all_lines_without_escapes(self):
        for environment in ({}, {"COLUMNS": "20"}):
            done = subprocess.run([TTSIM, "run", BERT, "--mode", "timing"], capture_output=True, text=True, check=True,
                                  env={**os.environ, "TERM": "xterm", **environment})
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            self.assertNotIn("too narrow", done.stdout)
            self.assertEqual(done.stderr, "")

    def test_colours(self):
        example = ROOT / "examples/matmul_gelu.yaml"
        red, green = "\x1b[1;31merror:\x1b[0m", "verdict: \x1b[32mpass\x1b[0m"
        self.assertIn(green, on_terminal(TTSIM, "run", example)[0])
        self.assertIn(green, on_terminal(TTSIM, "run", example, NO_COLOR="")[0])
        self.assertNotIn("\x1b", on_terminal(TTSIM, "run", example, NO_COLOR="1")[0])
        self.assertNotIn("\x1b", on_terminal(TTSIM, "run", example, TERM="dumb")[0])
        self.assertNotIn("\x1b", on_terminal(TTSIM, "run", example, "--color", "never")[0])
        self.assertIn(green, on_terminal(TTSIM, "run", example, "--color", "always", NO_COLOR="1")[0])
        piped = subprocess.run([TTSIM, "run", example, "--color", "always"], capture_output=True, text=True, check=True)
        self.assertIn(green, piped.stdout)
        wrong = subprocess.run([TTSIM, "run", example, "--program", "rum", "--color", "always"], capture_output=True,
                               text=True, check=False)
        self.assertIn(red, wrong.stderr)
        self.assertIn(red, on_terminal(TTPERF, example, stderr_too=True)[0])

    def test_progress_moves_on_a_terminal_and_leaves_nothing_behind(self):
        text, code = on_terminal(TTSIM, "run", BERT, "--mode", "timing", "--no-extrapolate", "--param",
                                 "p_loop_count=1500", stderr_too=True, NO_COLOR="1")
        self.assertEqual(code, 0)
        progress, _, report = text.rpartition("\r\x1b[K")
        self.assertNotIn("simulating", report)
        shares = [int(share) for share in re.findall(r"simulating  \S+ of \S+ inputs  (\d+) %", progress)]
        self.assertGreater(len(set(shares)), 2, text)
        self.assertEqual(shares, sorted(shares))
        self.assertRegex(progress, r"elapsed, \d+:\d\d left")
        for line in re.split(r"[\r\n]+", ESCAPE.sub("", progress)):
            self.assertLess(len(line), 80)

    def test_ttperf_fits_too(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "t.ttperf"
            subprocess.run([TTSIM, "run", BERT, "--mode", "timing", "--trace", trace], check=True, capture_output=True)
            text, _ = on_terminal(TTPERF, trace, "--epoch", 0, columns=70)
            self.assertLessEqual(widest("\n".join(x for x in text.splitlines() if x.startswith("  "))), 70)


if __name__ == "__main__":
    unittest.main()
