#!/usr/bin/env python3
"""Every command that reads a trace refuses an invalid file: it names file and reason, exits with 2, writes nothing.
TTSIM, TTPERF and TTSMI name the programs."""
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = {name: os.environ.get(name.upper().replace("-", ""), str(ROOT / "build/release/bin" / name))
            for name in ("ttsim", "ttperf", "tt-smi")}

# BAD: the file; GOOD: a trace; OUT: what would be written
COMMANDS = """
ttperf BAD
ttperf BAD --text
ttperf BAD --resources
ttperf BAD --epoch 0
ttperf BAD --csv
ttperf BAD --save OUT
ttperf BAD --save_epoch_screens OUT
ttperf --load BAD
ttperf advice BAD
ttperf advice BAD --estimate
ttperf advice BAD --what-if dram
ttperf top BAD
ttperf diff BAD GOOD
ttperf diff GOOD BAD
ttsim report BAD -o OUT
ttsim report GOOD BAD -o OUT
ttsim export BAD --perfetto OUT
ttsim export BAD --ops-csv OUT
ttsim export BAD --op-perf OUT
ttsim export BAD --perf-results OUT
ttsim export BAD --npe OUT
ttsim export BAD --visualizer OUT
ttsim export BAD --debuda OUT
ttsim debug BAD --commands map
tt-smi BAD -s -f OUT
tt-smi --trace BAD -s -f OUT
tt-smi --trace BAD -d -dir OUT
""".split("\n")[1:-1]


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.good = cls.folder / "good.ttperf"
        subprocess.run([PROGRAMS["ttsim"], "run", ROOT / "examples/eltwise_chain.yaml", "--arch", "wormhole_b0", "--mode",
                        "timing", "--trace", cls.good, "--trace-level", "2"], check=True, capture_output=True)
        # a build without the page of 'ttsim report' says so first
        report = subprocess.run([PROGRAMS["ttsim"], "report", cls.good, "-o", cls.folder / "good.html"], check=False,
                                capture_output=True, text=True)
        cls.no_page = "scripts/web" in report.stderr

    def refused(self, bad, *wanted):
        for line in COMMANDS:
            out = self.folder / "out"
            words = {"BAD": str(bad), "GOOD": str(self.good), "OUT": str(out)}
            program, *arguments = [words.get(word, word) for word in line.split()]
            with self.subTest(line):
                if self.no_page and line.startswith("ttsim report"):
                    self.skipTest("there is no page; scripts/web builds it")
                done = subprocess.run([PROGRAMS[program], *arguments], capture_output=True, text=True, timeout=60,
                                      check=False, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                said = " ".join(done.stderr.split())
                self.assertIn(str(bad), said)
                if "--load" not in line:  # which reads no traces
                    self.assertTrue(any(words in said for words in wanted), said)
                self.assertFalse(out.exists())

    def bad(self, name, contents):
        path = self.folder / name
        path.write_bytes(contents)
        return path

    def test_a_trace_that_is_cut(self):
        whole = self.good.read_bytes()
        for size in (5000, len(whole) // 2, len(whole) - 1):
            self.refused(self.bad("cut.ttperf", whole[:size]), f"error: is cut short: it has {size} of {len(whole)} bytes")

    def test_a_trace_of_another_version(self):
        other = self.bad("other.ttperf", self.good.read_bytes())
        for version in (1, 99):
            with sqlite3.connect(other) as database:
                database.execute(f"PRAGMA user_version = {version}")
            self.refused(other, f"error: is a trace of version {version}; this program reads version")

    def test_no_trace(self):
        self.refused(self.bad("empty.ttperf", b""), "error: is not a trace; 'ttsim run NETLIST --trace FILE.ttperf' writes one",
                     "error: the file is empty", "error: is not a telemetry")
        self.refused(self.bad("text.ttperf", b"hello world\n"), "error: is not a trace; 'ttsim run", ":1:1: error: ",
                     "error: is not a telemetry")
        self.refused(self.bad("bytes.ttperf", bytes(range(128, 256)) * 20), "error: is not a trace; 'ttsim run",
                     "is not UTF-8", "error: is not a telemetry")

    def test_values_that_no_run_writes(self):
        for change, place in {"UPDATE core_load SET series = replace(series, ',', ',-')": "of table 'core_load' holds '[[",
                              "UPDATE op SET unpack = -274865022107": "of table 'op' holds -274865022107 as 'unpack'",
                              "UPDATE run SET clock_mhz = 0": "row 1 of table 'run' holds 0 as 'clock_mhz'",
                              "UPDATE epoch SET start = 'x'": "of table 'epoch' holds no integer as 'start'"}.items():
            other = self.bad("values.ttperf", self.good.read_bytes())
            with sqlite3.connect(other) as database:
                database.execute(change)
            database.close()
            self.refused(other, place)

    def test_another_database(self):
        path = self.folder / "database"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE IF NOT EXISTS x (a)")
        self.refused(path, "error: is a database but not a trace of ttsim")

    def test_a_folder_and_nothing(self):
        folder = self.folder / "folder"
        folder.mkdir(exist_ok=True)
        self.refused(folder, "is a folder")
        self.refused(self.folder / "none.ttperf", "none.ttperf: error: there is no such file")


if __name__ == "__main__":
    unittest.main()
