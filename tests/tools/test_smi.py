#!/usr/bin/env python3
"""tt-smi: snapshots, dumps and the live display. TTSIM and TTSMI name the programs."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTSMI = os.environ.get("TTSMI", str(ROOT / "build/release/bin/tt-smi"))
CHAIN = ROOT / "examples/eltwise_chain.yaml"
GUIDE = ["Timestamp (s)", "Core Voltage (V)", "AICLK (MHz)", "ARCCLK (MHz)", "AXICLK (MHz)", "Core Current (A)",
         "Core Power (W)", "Core Temp (\u00b0C)", "VREG Temp (\u00b0C)", "Inlet Temp (\u00b0C)", "Outlet Temp 1 (\u00b0C)",
         "Outlet Temp 2 (\u00b0C)"]


class Smi(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def call(self, *words, code=0):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, cwd=self.path,
                              stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def trace(self):
        self.call(TTSIM, "run", CHAIN, "--mode", "timing", "--trace", "chain.ttperf")
        return "chain.ttperf"

    def test_idle_snapshot(self):
        seen = json.loads(self.call(TTSMI, "--device", "wh_n300", "-s", "-f", "-"))
        left, right = seen["device_info"]
        self.assertEqual([left["board_info"]["board_type"], right["board_info"]["board_type"]], ["n300 L", "n300 R"])
        self.assertEqual((int(left["board_info"]["board_id"], 16) >> 36) & 0xFFFFF, 0x14)
        self.assertEqual(left["limits"]["board_power_limit"], "300")
        self.assertNotIn("voltage", left["telemetry"])
        self.assertEqual(seen["processes"], [])
        self.assertEqual(seen["simulation"]["status"], "idle")

    def test_run_reports_its_progress(self):
        self.call(TTSIM, "run", CHAIN, "--telemetry", "run.json")
        plain = self.call(TTSIM, "run", CHAIN)
        self.assertEqual(plain, self.call(TTSIM, "run", CHAIN, "--telemetry", "run.json"))
        seen = json.loads(self.call(TTSMI, "run.json", "-s", "-f", "-"))
        self.assertEqual(seen["simulation"]["status"], "complete")
        report = json.loads(self.call(TTSIM, "run", CHAIN, "--json", "-"))
        self.assertEqual(seen["simulation"]["cycle"], report["cycles"])
        self.assertGreater(seen["device_info"][0]["simulation"]["dram_bytes"], 0)
        self.assertGreater(seen["device_info"][0]["simulation"]["math_utilization"], 0)

    def test_dump_of_a_trace(self):
        self.call(TTSMI, "--trace", self.trace(), "-d", "-dir", "out", "-i", "0.00002")
        with open(self.path / "out/tt-smi-dump.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0][:12], GUIDE)
        self.assertEqual(rows[1][1], "N/A")
        busy = [float(row[rows[0].index("Math (%)")]) for row in rows[1:]]
        self.assertGreater(max(busy), 0)
        self.assertEqual(busy[0], 0)  # kernels load
        with zipfile.ZipFile(self.path / "out/tt-smi-dump.xlsx") as book:
            sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
        self.assertEqual(len(sheet.findall(f".//{space}row")), len(rows))

    def test_replay_adds_up(self):
        """The bytes of the last reading are those of the trace, however it is cut."""
        last = []
        for step in ("0.00002", "0.0001"):
            self.call(TTSMI, "--trace", self.trace(), "-d", "-dir", "out" + step, "-i", step)
            with open(self.path / f"out{step}/tt-smi-dump.csv", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            last.append(rows[-1][rows[0].index("DRAM (bytes)")])
        self.assertEqual(last[0], last[1])
        self.assertGreater(float(last[0]), 0)

    def test_wrong_input(self):
        for name, content in (("empty", b""), ("text", b"hello"), ("other.json", b"{}"),
                              ("cut.json", b'{"ttsim_telemetry": 1, "status"'),
                              ("less.json", b'{"ttsim_telemetry": 1, "status": "running"}'),
                              ("later.json", b'{"ttsim_telemetry": 9}')):
            (self.path / name).write_bytes(content)
            self.assertIn("error:", self.call(TTSMI, name, "-s", "-f", "-", code=2), name)
        self.assertIn("did you mean 'wh_n150'?", self.call(TTSMI, "--device", "wh_n15", "-s", code=2))
        self.assertIn("there is nothing to watch", self.call(TTSMI, code=2))
        self.assertIn("needs a terminal", self.call(TTSMI, "--device", "gs_e150", code=2))
        (self.path / "mine.txt").write_text("mine")
        self.call(TTSMI, "--device", "gs_e150", "-s", "-f", "mine.txt", code=2)
        self.assertEqual((self.path / "mine.txt").read_text(), "mine")

    def test_reset_lists_devices(self):
        self.assertIn("nothing to reset", self.call(TTSMI, "--device", "galaxy", "-wr"))
        one = self.call(TTSMI, "--device", "wh_n300", "-r", "1")
        self.assertIn("device 1:", one)
        self.assertNotIn("device 0:", one)
        self.assertIn("there is no chip '7'", self.call(TTSMI, "--device", "wh_n300", "-r", "7", code=2))

    def test_list_and_snapshot_on_standard_output(self):
        lines = self.call(TTSMI, "--device", "wh_n300", "-ls").splitlines()
        self.assertIn("Board Number", lines[0])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["0", "1"])
        for flag in ("-s", "--snapshot_no_tty"):
            self.assertEqual(len(json.loads(self.call(TTSMI, "--device", "wh_n300", flag))["device_info"]), 2)
        self.assertIn("tt-smi-logs/tt-smi-snapshot_", self.call(TTSMI, "--device", "wh_n300", "-s", "-f"))

    @unittest.skipUnless(shutil.which("tmux"), "needs tmux")
    def test_live_display(self):
        socket = str(self.path / "socket")

        def tmux(*words):
            return subprocess.run(["tmux", "-S", socket, *words], capture_output=True, text=True, check=True).stdout

        def wait_for(text):
            for _ in range(100):
                shown = tmux("capture-pane", "-p")
                if text in shown:
                    return shown
                time.sleep(0.1)
            self.fail(f"'{text}' is not on the screen:\n{shown}")

        trace = self.path / self.trace()
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", self.folder.name,
             f"{TTSMI} --trace {trace} -i 0.00005; sleep 60")
        try:
            wait_for("Board Type")
            tmux("send-keys", "2")
            self.assertIn("N/A", wait_for("DRAM GB/s"))
            tmux("send-keys", "3")
            wait_for("FW Bundle")
            tmux("send-keys", "h")
            wait_for("averages over all readings")
            wait_for("at the end, 100 %")
            tmux("send-keys", "Home", "Space")
            wait_for("paused, ")
            tmux("send-keys", "h", "s")
            wait_for("wrote tt-smi-logs/tt-smi-snapshot_")
            tmux("resize-window", "-x", "250", "-y", "60")
            tmux("send-keys", "1")
            wait_for("Harvested")
            tmux("send-keys", "d")
            time.sleep(1.2)
            tmux("send-keys", "d")
            wait_for("wrote tt-smi-logs/tt-smi-dump_")
            tmux("send-keys", "q")
        finally:
            tmux("kill-server")
        self.assertEqual(len(list(self.path.glob("tt-smi-logs/tt-smi-snapshot_*.json"))), 1)
        self.assertEqual(len(list(self.path.glob("tt-smi-logs/tt-smi-dump_*/tt-smi-dump.xlsx"))), 1)


if __name__ == "__main__":
    unittest.main()
