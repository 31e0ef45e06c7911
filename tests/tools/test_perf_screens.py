#!/usr/bin/env python3
"""The screens of ttperf, in a terminal of tmux and as files. TTSIM and TTPERF name the programs."""
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from tmux_screen import HAS_TMUX, TmuxScreen  # noqa: E402

TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
BERT = ROOT / "examples/bert_encoder.yaml"
COLOUR = re.compile(r"\x1b\[[0-9;]*3[1-7][0-9;]*m")


def run(*arguments, **options):
    return subprocess.run([TTPERF, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, **options)


class WithTrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.trace = pathlib.Path(cls.made.name) / "bert.ttperf"
        subprocess.run([TTSIM, "run", BERT, "--mode", "timing", "--trace", cls.trace], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


@unittest.skipUnless(HAS_TMUX, "tmux is missing")
class Screens(WithTrace):
    def screen(self, columns=80, lines=24, **environment):
        return TmuxScreen(f"{shlex.quote(TTPERF)} {shlex.quote(str(self.trace))}", columns, lines, **environment)

    def test_pages_at_both_sizes(self):
        for columns, lines in ((80, 24), (250, 60)):
            with self.subTest(columns), self.screen(columns, lines) as screen:
                text = screen.wait_for("slowest op")
                self.assertIn("Performance: ", text)
                self.assertEqual("graphs" in text, columns == 250)
                self.assertRegex(text.rstrip("\n").splitlines()[-1], "E epoch .*H help .*Q quit")
                screen.keys("Enter").wait_for(r"Epoch: 0[\s\S]* kernel \|[\s\S]* bw_kernel \|[\s\S]*bw problem")
                screen.keys("Enter").wait_for("Op: ")
                screen.keys("c").wait_for("Cores: busy")
                screen.keys("v").wait_for("Cores: math")
                screen.keys("d").wait_for("chip 0 dram 0")
                screen.keys("x").wait_for("est_lim")
                screen.keys("a").wait_for(r"1\. slow op 'softmax\.exp'[\s\S]*without it")
                screen.keys("p").wait_for("Epoch: 1")
                screen.keys("h").wait_for("full or short names")
                screen.keys("Space", "s").wait_for("slowest op")
                screen.keys("e", "9", "Enter").wait_for("slowest op")
                screen.keys("q").wait_for("exit code 0")

    def test_it_follows_the_size_of_its_terminal(self):
        with self.screen() as screen:
            screen.wait_for("slowest op")
            screen.resize(200, 50)
            self.assertEqual(screen.wait_for("inputs/s").rstrip("\n").count("\n"), 49)
            screen.resize(60, 12)
            screen.wait_for(r"slowest op +\| cycles")
            screen.keys("n").wait_for("Epoch: 0")
            screen.resize(10, 3)
            screen.resize(80, 24)
            screen.wait_for("bw problem")
            screen.keys("q").wait_for("exit code 0")

    def test_colours_where_they_are_wanted_and_known(self):
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False)):
            with self.subTest(environment), self.screen(**environment) as screen:
                screen.wait_for("slowest op")
                self.assertEqual(bool(COLOUR.search(screen.text(escapes=True))), coloured)
                screen.keys("j", "q").wait_for("exit code 0")

    def test_the_terminal_is_as_it_was_however_it_ends(self):
        for end in ("q", "C-c", signal.SIGTERM):
            with self.subTest(end), self.screen() as screen:
                screen.wait_for("slowest op")
                if isinstance(end, str):
                    screen.keys(end)
                else:
                    os.kill(screen.child_pid("ttperf"), end)
                text = screen.wait_for(r"(?s)exit code \d+.*echonl")
                self.assertIn(f"exit code {0 if end == 'q' else 130}", text)
                self.assertNotIn("slowest op", text)
                self.assertRegex(text, r" icanon\b")
                self.assertRegex(text, r" echo\b")

    def test_an_unknown_terminal_is_reported(self):
        with self.screen(TERM="no-such-terminal") as screen:
            self.assertIn("--text", screen.wait_for("exit code 2"))

    def test_a_file_that_changes_is_read_again(self):
        copy = self.folder / "copy.ttperf"
        copy.write_bytes(self.trace.read_bytes())
        with TmuxScreen(f"{shlex.quote(TTPERF)} {copy}", 80, 24) as screen:
            screen.wait_for("slowest op")
            with sqlite3.connect(copy) as database:
                database.execute("UPDATE run SET netlist = 'other.yaml'")
            screen.keys("r").wait_for("Netlist: other.yaml")
            copy.unlink()
            screen.keys("r").wait_for("no such file")
            screen.keys("j", "q").wait_for("exit code 0")

    def test_text_on_a_terminal(self):
        with TmuxScreen(f"{shlex.quote(TTPERF)} {self.trace} --text", 120, 24) as screen:
            self.assertIn("limiting op", screen.wait_for("exit code 0"))


class Files(WithTrace):
    def test_a_saved_file_needs_no_trace(self):
        saved, again = self.folder / "a.json", self.folder / "b"
        self.assertEqual(run(self.trace, "--save", saved).returncode, 0)
        for name, source in (("trace", [self.trace]), ("saved", ["--load", saved])):
            done = run(*source, "--save_epoch_screens", again / name)
            self.assertEqual(done.returncode, 0, done.stderr)
        summaries = sorted(again.rglob("epoch_summary.txt"))
        self.assertEqual(len(summaries), 2)
        self.assertEqual(summaries[0].read_text(), summaries[1].read_text())
        done = run("--load", saved)
        self.assertEqual(done.stdout, summaries[0].read_text())

    def test_screens_as_text_for_comparison(self):
        self.assertEqual(run(self.trace, "--save_epoch_screens", "out", cwd=self.folder).returncode, 0)
        folder = self.folder / "out/bert_encoder"
        summary = (folder / "epoch_summary.txt").read_text()
        self.assertEqual(len(summary.splitlines()) - 4, len(list(folder.glob("epoch_*_details.txt"))))
        details = (folder / "epoch_0_details.txt").read_text()
        self.assertRegex(details, r"name +\| grid \| mb")
        self.assertRegex(summary.splitlines()[3], "^=+$")
        # twice is no harm, but what is something else stays
        self.assertEqual(run(self.trace, "--save_epoch_screens", "out", cwd=self.folder).returncode, 0)
        (folder / "epoch_summary.txt").write_text("my own\n")
        done = run(self.trace, "--save_epoch_screens", "out", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual((folder / "epoch_summary.txt").read_text(), "my own\n")
        self.assertEqual(run(self.trace, "--save_epoch_screens", cwd=self.folder).returncode, 0)
        self.assertTrue((self.folder / "bert_encoder/epoch_summary.txt").exists())

    def test_a_netlist_besides_must_be_the_trace_s_own(self):
        self.assertEqual(run(self.trace, "-n", BERT).returncode, 0)
        done = run(self.trace, "--netlist", ROOT / "examples/two_chips.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not the netlist in", done.stderr)
        self.assertEqual(run("-n", BERT).returncode, 2)

    def test_wrong_input(self):
        whole = self.trace.read_bytes()
        self.assertEqual(run(self.trace, "--save", self.folder / "good.json").returncode, 0)
        saved = (self.folder / "good.json").read_bytes()
        files = {"empty": b"", "cut": whole[: len(whole) // 2], "text": b"hello\n",
                 "cut.json": saved[: len(saved) // 2], "other.json": b"{}", "list.json": b"[1]",
                 "version.json": re.sub(rb'"ttperf":[0-9]+', b'"ttperf":99', saved),
                 "damaged.json": saved.replace(b'"est_cycles"', b'"est_cyc"'),
                 "lost.json": saved.replace(b'"details":[[0,', b'"details":[[7,')}
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
            for flags in ([], ["--load"]):
                with self.subTest(name=name, flags=flags):
                    done = run(*flags, self.folder / name)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("error: ", done.stderr)
        old = self.folder / "old"
        old.write_bytes(whole)
        with sqlite3.connect(old) as database:
            database.execute("PRAGMA user_version = 1")
        self.assertIn("is a trace of version 1", run(old, "--save", self.folder / "x").stderr)
        self.assertFalse((self.folder / "x").exists())
        for wrong in ([], [self.trace, "--load", self.folder / "good.json"], ["--load", self.folder / "good.json", "--csv"],
                      [self.trace, "--save", self.trace], [self.trace, "--estimates", self.folder / "good.json"],
                      [self.trace, "--estimates", self.folder / "good.json", "--json"], [self.trace, "-s", "--csv"]):
            with self.subTest(wrong):
                self.assertEqual(run(*wrong).returncode, 2)

    def test_rows_by_graph(self):
        for flags in (["-s"], ["--spatial_epochs"]):
            done = run(self.trace, "--save_epoch_screens", self.folder, *flags)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
