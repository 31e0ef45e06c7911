#!/usr/bin/env python3
"""Traces as a user meets them: ttsim run --trace, ttperf, ttsim export. TTSIM and TTPERF name the programs."""
import csv
import io
import json
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
EXAMPLES = ROOT / "examples"


def run(program, *arguments, **options):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                          **options)


def rows(trace, query):
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as database:
        return database.execute(query).fetchall()


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def trace(self, netlist, *arguments, name="a.ttperf"):
        trace = self.folder / name
        done = run(TTSIM, "run", EXAMPLES / netlist, "--trace", trace, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return trace


class Traces(WithFolder):
    def test_a_trace_agrees_with_the_report_of_every_example(self):
        for netlist in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(netlist.name):
                report_file = self.folder / "report.json"
                trace = self.trace(netlist, "--mode", "timing", "--json", report_file)
                report = json.loads(report_file.read_text())
                self.assertEqual(rows(trace, "SELECT cycles, status FROM run"), [(report["cycles"], "complete")])
                for graph in report["graphs"]:
                    for op in graph["ops"]:
                        found = rows(trace, "SELECT sum(c.tiles), min(c.start), max(c.end) FROM op_core c JOIN op o ON "
                                            f"o.id = c.op WHERE o.name = '{op['name']}' AND o.graph = '{graph['name']}'")
                        self.assertEqual(found, [(op["tiles"], op["first_cycle"], op["last_cycle"])], op["name"])

    def test_threads_and_names_of_files_change_nothing_in_a_trace(self):
        for level in ["1", "2"]:
            traces = [self.trace("two_chips.yaml", "--trace-level", level, "--threads", threads, name=name).read_bytes()
                      for threads, name in [("1", "one.ttperf"), ("2", "two.ttperf")]]
            self.assertEqual(traces[0], traces[1])

    def test_a_trace_names_its_run(self):
        trace = self.trace("matmul_gelu.yaml", "--mode", "timing", "--seed", "5", "--inputs-count", "2")
        self.assertEqual(
            rows(trace, "SELECT command, netlist, arch, mode, seed, inputs_count, level FROM run"),
            [("ttsim run matmul_gelu.yaml --inputs-count 2 --seed 5 --mode timing", "matmul_gelu.yaml", "grayskull",
              "timing", 5, 2, 1)])
        self.assertEqual(rows(trace, "SELECT text FROM file WHERE kind = 'netlist'"),
                         [((EXAMPLES / "matmul_gelu.yaml").read_text(),)])
        self.assertIn("grayskull", rows(trace, "SELECT text FROM file WHERE kind = 'chip'")[0][0])

    def test_tracing_changes_no_cycle(self):
        reports = []
        for more in [[], ["--trace", self.folder / "a.ttperf"], ["--trace", self.folder / "a.ttperf", "--trace-level", "2"]]:
            file = self.folder / "report.json"
            self.assertEqual(run(TTSIM, "run", EXAMPLES / "bert_encoder.yaml", "--json", file, *more).returncode, 0)
            reports.append(file.read_text())
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])


def processor_time(process):
    """Seconds of processor time that a running process has used."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Ends(WithFolder):
    def test_an_interrupted_run_keeps_its_results(self):
        for number, name in [(signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")]:
            with self.subTest(name):
                trace = self.folder / f"{name}.ttperf"
                command = [TTSIM, "run", str(EXAMPLES / "bert_encoder.yaml"), "--mode", "timing", "--no-extrapolate",
                           "--param", "p_loop_count=20000", "--trace", str(trace)]
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                    deadline = time.monotonic() + 60
                    while not list(self.folder.glob(f".{name}*")) and time.monotonic() < deadline:
                        time.sleep(0.02)  # the temporary file tells that the machine runs
                    ran = processor_time(process)
                    while processor_time(process) < ran + 2 and time.monotonic() < deadline:
                        time.sleep(0.02)  # some epochs' worth, however busy this computer is
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, errors)
                self.assertRegex(errors, rf"interrupted: {name} at cycle \d+\n.*{name}\.ttperf: contains the run so far")
                self.assertEqual(rows(trace, "SELECT status FROM run"), [("interrupted",)])
                self.assertGreater(rows(trace, "SELECT count(*) FROM epoch WHERE status = 'complete'")[0][0], 0)
                done = run(TTPERF, trace)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("the run ended early (interrupted)", done.stdout)
        self.assertEqual(len(list(self.folder.iterdir())), 2)  # no temporary file is left

    def test_a_second_signal_ends_at_once_without_leftovers(self):
        trace = self.folder / "a.ttperf"
        command = [TTSIM, "run", str(EXAMPLES / "bert_encoder.yaml"), "--mode", "full", "--param", "p_loop_count=2000",
                   "--threads", "1", "--trace", str(trace)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while not list(self.folder.glob(".a.ttperf*")) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])

    def test_a_disk_that_fills_up_loses_neither_the_report_nor_the_old_trace(self):
        trace, report = self.folder / "a.ttperf", self.folder / "report.json"
        old = self.trace("matmul_gelu.yaml", "--mode", "timing", name="a.ttperf").read_bytes()

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        done = run(TTSIM, "run", EXAMPLES / "bert_encoder.yaml", "--mode", "timing", "--trace", trace, "--json", report,
                   preexec_fn=small_files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"a\.ttperf: error: cannot be written: ")
        self.assertIn("verdict", done.stdout)
        self.assertGreater(json.loads(report.read_text())["cycles"], 0)
        self.assertEqual(trace.read_bytes(), old)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.ttperf", "report.json"])

    def test_a_trace_that_cannot_be_written_is_refused_before_the_run(self):
        for target in [self.folder / "none/a.ttperf", self.folder, "/dev/null"]:
            done = run(TTSIM, "run", EXAMPLES / "bert_encoder.yaml", "--trace", target)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{target}: error: cannot be written: ", done.stderr)
            self.assertEqual(done.stdout, "")


class Ttperf(WithFolder):
    def test_help_has_examples(self):
        done = run(TTPERF, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)
        self.assertIn("ttperf encoder.ttperf --epoch 0", done.stdout)

    def test_text_csv_and_json_agree(self):
        trace = self.trace("bert_encoder.yaml", "--mode", "timing")
        for arguments, key in [([], "epochs"), (["--epoch", "1"], "ops"), (["--resources"], "resources")]:
            with self.subTest(key):
                table = list(csv.DictReader(io.StringIO(run(TTPERF, trace, *arguments, "--csv").stdout)))
                listed = json.loads(run(TTPERF, trace, *arguments, "--json").stdout)[key]
                self.assertEqual(len(table), len(listed))
                self.assertGreater(len(table), 0)
                for line, item in zip(table, listed):
                    for title, value in item.items():
                        if not isinstance(value, float):
                            self.assertEqual(line[title], "" if value is None else str(value).lower() if isinstance(value, bool) else str(value))
                        if isinstance(value, float):
                            self.assertAlmostEqual(float(line[title]), value)
                text = run(TTPERF, trace, *arguments).stdout
                name = {"epochs": "graphs", "ops": "op", "resources": "name"}[key]
                self.assertTrue(all(item[name] in text for item in listed))

    def test_kernel_times_bound_simulated_times(self):
        trace = self.trace("bert_encoder.yaml", "--mode", "timing")
        for epoch in rows(trace, "SELECT id FROM epoch"):
            for op in json.loads(run(TTPERF, trace, "--epoch", epoch[0], "--json").stdout)["ops"]:
                with self.subTest(op["op"]):
                    self.assertLessEqual(op["kernel"], 1.02 * op["bw_kernel"] + 2)
                    self.assertLessEqual(op["bw_kernel"], op["cycles"] + 0.01)
                    self.assertIn(op["limit"], ["math", "unpack", "pack", "input NoC", "input DRAM", "output"])
                    self.assertLessEqual(op["math_utilization"], 1)

    def test_files_that_are_not_traces_exit_with_2(self):
        trace = self.trace("eltwise_chain.yaml", "--mode", "timing")
        whole = trace.read_bytes()
        (self.folder / "cut").write_bytes(whole[:-100])
        (self.folder / "text").write_text("no trace")
        for name, message in [("cut", "is cut short"), ("text", "is not a trace"), ("none", "there is no such file")]:
            for command in [[TTPERF, self.folder / name],
                            [TTSIM, "export", "--perfetto", self.folder / name, "-o", self.folder / "out.json"]]:
                done = run(*command)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{self.folder / name}: error: {message}", done.stderr)
        self.assertFalse((self.folder / "out.json").exists())


class Export(WithFolder):
    def test_an_exported_trace_has_every_input_and_step(self):
        trace = self.trace("two_chips.yaml", "--mode", "timing", "--trace-level", "2")
        out = self.folder / "out.json"
        done = run(TTSIM, "export", "--perfetto", trace, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads(out.read_text())["traceEvents"]
        for kind, view in [("input", "core_input"), ("step", "step"), ("epoch", "epoch")]:
            slices = [e for e in events if e["ph"] == "X" and e["cat"] == kind]
            chips = 2 if kind == "epoch" else 1  # an epoch has a slice on each of its chips
            self.assertEqual(len(slices), chips * rows(trace, f"SELECT count(*) FROM {view}")[0][0])
        self.assertEqual(run(TTSIM, "export", "--perfetto", trace, "-o", "-").stdout, out.read_text())

    def test_an_export_that_cannot_be_written_leaves_nothing(self):
        trace = self.trace("two_chips.yaml", "--mode", "timing")

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        done = run(TTSIM, "export", "--perfetto", trace, "-o", self.folder / "out.json", preexec_fn=small_files)
        self.assertEqual(done.returncode, 2)
        self.assertIn("out.json: error: cannot be written: File too large", done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["a.ttperf"])


if __name__ == "__main__":
    unittest.main()
