#!/usr/bin/env python3
"""The figures of a run: each the same on every surface (docs/figures.md), rates that can be, and JSON as its schemas
describe it. TTSIM and TTPERF name the programs."""
import base64
import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
EXAMPLES, SCHEMAS = ROOT / "examples", ROOT / "configs" / "schemas"
NETLISTS = sorted(EXAMPLES.glob("*.yaml"))


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{program} {arguments}: {done.returncode}\n{done.stderr}")
    return done.stdout


def whole(text):
    """A number as texts print it; None for '-'."""
    return None if text == "-" else float(text.replace(",", ""))


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def timed(self, netlist, *flags, name="run"):
        """The text, the JSON and the trace of a run."""
        report, trace = self.folder / f"{name}.json", self.folder / f"{name}.ttperf"
        text = run(TTSIM, "run", netlist, "--mode", "timing", "--json", report, "--trace", trace, "--force", *flags)
        return text, json.loads(report.read_text()), trace


class Surfaces(WithFolder):
    """One run with a known steady rate, read everywhere."""

    def setUp(self):
        super().setUp()
        self.text, self.report, self.trace = self.timed(EXAMPLES / "bert_encoder.yaml", "--param", "p_loop_count=3")
        self.table = json.loads(run(TTPERF, self.trace, "--json"))

    def rates_in(self, text):
        found = re.search(r"end to end: ([\d,]+|-) inputs/s, (?:steady|loop): ([\d,]+|-)", text)
        self.assertIsNotNone(found, text)
        return whole(found[1]), whole(found[2])

    def assert_rates(self, end_to_end, steady, delta):
        self.assertAlmostEqual(end_to_end, self.report["end_to_end_per_second"], delta=delta)
        self.assertAlmostEqual(steady, self.report["inputs_per_second"], delta=delta)

    def test_rates_of_the_run(self):
        self.assertIsNotNone(self.report["inputs_per_second"])
        self.assert_rates(*self.rates_in(self.text), 0.5)
        self.assert_rates(*self.rates_in(run(TTPERF, self.trace, "--text")), 0.5)
        for tables in [self.table, json.loads(run(TTPERF, self.trace, "--epoch", "0", "--json"))]:
            self.assert_rates(tables["run"]["end_to_end_per_second"], tables["run"]["inputs_per_second"], 1e-6)
        saved = self.folder / "saved.json"
        run(TTPERF, self.trace, "--save", saved)
        screen = run(TTPERF, "--load", saved)
        word = "Loop" if ", loop: " in self.text else "Steady"
        shown = [float(re.search(rf"{name}: ([\d.]+) inputs/s", screen)[1]) for name in ("End to end", word)]
        self.assert_rates(*shown, 1)

    def test_screens_call_a_rate_of_loops_so(self):
        text, _, trace = self.timed(EXAMPLES / "int8_matmul.yaml", name="loops")
        self.assertIn(", loop: ", text)
        saved = self.folder / "loops_saved.json"
        run(TTPERF, trace, "--save", saved)
        self.assertIn("Loop: ", run(TTPERF, "--load", saved))

    def test_rates_of_epochs(self):
        by_name = {graph["name"]: graph for graph in self.report["graphs"]}
        rows = list(csv.DictReader(io.StringIO(run(TTPERF, self.trace, "--csv"))))
        with sqlite3.connect(self.trace) as database:
            stored = dict(database.execute("SELECT id, inputs_per_second FROM epoch"))
        text = run(TTPERF, self.trace, "--text").splitlines()
        last = {}
        for epoch, row in zip(self.table["epochs"], rows):
            rate = epoch["inputs_per_second"]
            self.assertEqual(stored[epoch["epoch"]], rate)
            self.assertEqual(row["inputs_per_second"], "" if rate is None else json.dumps(rate))
            line = next(line.split() for line in text if line.split()[:2] == [str(epoch["epoch"]), epoch["graphs"]])
            self.assertAlmostEqual(whole(line[4]) or 0, rate or 0, delta=0.5)
            if rate is not None:
                last[epoch["graphs"]] = rate
        self.assertEqual(last, {name: g["inputs_per_second"] for name, g in by_name.items() if g["inputs_per_second"]})
        for name, graph in by_name.items():
            shown = re.search(rf"graph {name} on .*, ([\d,]+|-) inputs/s", self.text)[1]
            self.assertAlmostEqual(whole(shown) or 0, graph["inputs_per_second"] or 0, delta=0.5)

    def test_utilization_and_speed_are_those_of_the_screens(self):
        saved = self.folder / "saved.json"
        run(TTPERF, self.trace, "--save", saved)
        lines = [[cell.strip() for cell in line.split("|")] for line in run(TTPERF, "--load", saved).splitlines()
                 if "|" in line]
        titles, cells = lines[0], [dict(zip(lines[0], line)) for line in lines[1:]]
        self.assertIn("inputs/s", titles)
        text = run(TTPERF, self.trace, "--text")
        for epoch, shown in zip(self.table["epochs"], cells):
            self.assertAlmostEqual(float(shown["util"]), 100 * epoch["utilization"], delta=0.11)
            self.assertAlmostEqual(float(shown["speed"]), epoch["speed_per_second"], delta=1)
            steady = epoch["inputs_per_second"]
            self.assertEqual(shown["inputs/s"], "-" if steady is None else f"{steady:.0f}")
            self.assertRegex(text, rf"(?m)^ +{epoch['epoch']}  .* {100 * epoch['utilization']:.1f} %  ")

    def test_ops_wait_for_the_same_share_everywhere(self):
        one = json.loads(run(TTPERF, self.trace, "--epoch", "0", "--json"))
        text = run(TTPERF, self.trace, "--epoch", "0")
        for op in one["ops"]:
            self.assertAlmostEqual(op["wait_source_share"] * op["cycles"], op["wait_source"], delta=1e-3)
            line = next(line for line in text.splitlines() if line.split()[:1] == [op["op"]])
            shares = re.findall(r"([\d.]+) %", line)
            for shown, key in zip(shares, ["wait_source_share", "wait_room_share", "math_utilization"]):
                self.assertAlmostEqual(float(shown), 100 * op[key], delta=0.051)
        top = json.loads(run(TTPERF, "top", self.trace, "--json"))
        for op in top["ops"]:
            self.assertAlmostEqual(op["wait_source_share"] * op["cycles"], op["wait_source"], delta=1e-3)

    def test_busy_shares(self):
        for graph in self.report["graphs"]:
            for op in graph["ops"]:
                self.assertAlmostEqual(op["busy_share"], op["busy_cycles"] / graph["cycles"])
                line = next(line for line in self.text.splitlines() if line.split()[:1] == [op["name"]])
                self.assertTrue(line.endswith(f"{100 * op['busy_share']:.1f} %"), line)

    @unittest.skipUnless((ROOT / "build/web/report.html").exists(), "the page is not built: scripts/web")
    def test_page_data(self):
        page = self.folder / "page.html"
        run(TTSIM, "report", self.trace, "-o", page)
        packed = re.search(r'id="ttsim-data"[^>]*>([^<]*)<', page.read_text())[1]
        trace = json.loads(zlib.decompress(base64.b64decode(packed.splitlines()[0])))["runs"][0]["trace"]
        self.assert_rates(trace["run"]["end_to_end_per_second"], trace["run"]["inputs_per_second"], 1e-3)
        for shown, epoch in zip(trace["epochs"], self.table["epochs"]):
            for key in ["inputs_per_second", "speed_per_second", "utilization", "math_utilization"]:
                self.assertAlmostEqual(shown[key] or 0, epoch[key] or 0, delta=1e-3)

    def test_titles_of_the_page_are_those_of_the_tables(self):
        figures = dict(re.findall(r"(?m)^\| `(\w+)` \| ([^|;]+?)(?:;[^|]*)? \|", (ROOT / "docs/figures.md").read_text()))
        source = (ROOT / "web/src/pages/tables.ts").read_text().partition("export const resourceColumns")[0]
        for key, title in re.findall(r"key: '(\w+)', title: '([^']+)'", source):
            if key in figures:
                self.assertEqual(title, figures[key])


class Steps(WithFolder):
    def test_a_step_of_training_is_the_same_everywhere(self):
        model = self.folder / "model"
        run(TTSIM, "compile", ROOT / "tests/lit/train_run.tg", "--device", "wh_n150", "--training", "-o", model)
        text, report, trace = self.timed(model / "netlist.yaml", "--inputs", model)
        table = json.loads(run(TTPERF, trace, "--json"))
        self.assertEqual(report["training"], table["training"])
        *types, step = *report["training"]["types"], report["training"]["step"]
        self.assertEqual([row["epoch_type"] for row in types], ["forward", "backward", "optimizer"])
        self.assertEqual(sum(row["cycles"] for row in types), step["cycles"])
        self.assertAlmostEqual(sum(row["step_share"] for row in types), 1)
        self.assertEqual(step["cycles"], sum(graph["cycles"] for graph in report["graphs"]))
        self.assertGreater(report["training"]["saved_bytes"], 0)
        self.assertEqual([graph["epoch_type"] for graph in report["graphs"]],
                         [epoch["epoch_type"] for epoch in table["epochs"]])
        for shown in [text, run(TTPERF, trace, "--text")]:
            self.assertIn(f"saved activations: {report['training']['saved_bytes']:,} bytes", shown)
            for row in types:
                line = next(line for line in shown.splitlines() if line.split()[:1] == [row["epoch_type"]])
                self.assertIn(f"{100 * row['step_share']:.1f} %", line)

    def test_a_netlist_without_gradients_has_no_step(self):
        text, report, trace = self.timed(EXAMPLES / "matmul_gelu.yaml")
        self.assertIsNone(report["training"])
        self.assertIsNone(json.loads(run(TTPERF, trace, "--json"))["training"])
        self.assertNotIn("of step", text)


class Rates(WithFolder):
    def test_no_graph_is_faster_than_its_slowest_kernel(self):
        for netlist in NETLISTS:
            _, report, trace = self.timed(netlist)
            with sqlite3.connect(trace) as database:
                slowest = dict(database.execute("SELECT graph, max(kernel) FROM op GROUP BY graph"))
            for graph in report["graphs"]:
                if graph["inputs_per_second"] is None:
                    continue
                with self.subTest(netlist=netlist.name, graph=graph["name"]):
                    hz = 1e6 * report["clock_mhz"]
                    self.assertLessEqual(graph["inputs_per_second"], hz / slowest[graph["name"]] * (1 + 1e-9))
                    busiest = max(op["busy_cycles"] for op in graph["ops"]) / graph["inputs"]
                    self.assertLessEqual(graph["inputs_per_second"], hz / busiest * (1 + 1e-9))

    def test_four_times_the_inputs_go_as_fast(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/rates", EXAMPLES, "--ttsim", TTSIM], capture_output=True,
                              text=True, timeout=280, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        count = {name: int(n) for name, n in re.findall(r"([\w %]+): (\d+)", done.stdout.splitlines()[-1])}
        count = {name.strip(): n for name, n in count.items()}
        self.assertEqual(count["more than 5 % above it"], 0, done.stdout)
        self.assertGreaterEqual(count["compared with four times the inputs"], 4, done.stdout)

    def test_the_drain_does_not_count_for_the_rate(self):
        # README's example with more inputs: the last leaves sooner behind the one before than all others, 10,832
        text = (EXAMPLES / "matmul_gelu.yaml").read_text().replace("entries: 8", "entries: 64")
        netlist = self.folder / "longer.yaml"
        netlist.write_text(text.replace("input_count: 4", "input_count: 16"))
        _, report, _ = self.timed(netlist)
        rate = report["graphs"][0]["inputs_per_second"]
        self.assertAlmostEqual(1e6 * report["clock_mhz"] / rate, 10832, delta=0.02 * 10832)

    def test_one_input_has_no_steady_rate(self):
        text, report, trace = self.timed(EXAMPLES / "matmul_gelu.yaml", "--inputs-count", "1", "--param",
                                         "p_loop_count=1")
        self.assertIsNone(report["graphs"][0]["inputs_per_second"])
        self.assertIsNone(report["inputs_per_second"])
        self.assertRegex(text, r" cycles \(\+- \d+ %\), - inputs/s\n")
        self.assertIn("steady: - (too few inputs to tell)\n", text)
        self.assertIsNone(json.loads(run(TTPERF, trace, "--json"))["epochs"][0]["inputs_per_second"])

    def test_skipping_inputs_changes_no_rate(self):
        for netlist in ["two_chips.yaml", "bert_encoder.yaml"]:
            reports = [self.timed(EXAMPLES / netlist, *flags, name=str(n))[1]
                       for n, flags in enumerate([[], ["--no-extrapolate"]])]
            self.assertEqual(*reports)


class Schemas(WithFolder):
    def setUp(self):
        super().setUp()
        try:
            import jsonschema
        except ModuleNotFoundError:
            self.skipTest("python3-jsonschema is not installed")
        self.jsonschema = jsonschema

    def check(self, name, document):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
        self.jsonschema.Draft202012Validator.check_schema(schema)
        self.assertEqual(document["schema_version"], schema["properties"]["schema_version"]["const"])
        self.jsonschema.validate(document, schema)

    def test_runs(self):
        for netlist in NETLISTS:
            for flags in [["--mode", "timing"], ["--mode", "functional"], ["--check", "ops"]]:
                with self.subTest(netlist=netlist.name, flags=flags):
                    self.check("run", json.loads(run(TTSIM, "run", netlist, "--json", "-", *flags)))

    def test_checks(self):
        netlist = EXAMPLES / "matmul_gelu.yaml"
        self.check("check", json.loads(run(TTSIM, "check", netlist, "--json", "-")))
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / "wrong.yaml"
            wrong.write_text(netlist.read_text().replace("type: matmul", "type: matmlu"))
            done = subprocess.run([TTSIM, "check", wrong, "--json", "-"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        document = json.loads(done.stdout)
        self.check("check", document)
        self.assertTrue(document["problems"])

    def test_traces(self):
        _, _, trace = self.timed(EXAMPLES / "two_chips.yaml")
        for flags in [[], ["--epoch", "0"], ["--resources"]]:
            self.check("trace", json.loads(run(TTPERF, trace, "--json", *flags)))
        self.check("top", json.loads(run(TTPERF, "top", trace, "--json")))
        self.check("diff", json.loads(run(TTPERF, "diff", trace, trace, "--json")))
        self.check("advice", json.loads(run(TTPERF, "advice", trace, "--json", "--estimate")))

    def test_kernels(self):
        self.check("kernel", json.loads(run(TTSIM, "kernel", "--arch", "wormhole_b0", "--op", "exp", "--json")))

    def test_models(self):
        model = ROOT / "tests/lit/compile/inputs/product.tg"
        compiled, report = self.folder / "product", self.folder / "compile.json"
        for flags in [[], ["--explain"]]:
            run(TTSIM, "compile", model, "-o", compiled, "--json", report, "--force", *flags)
            self.check("compile", json.loads(report.read_text()))
        ran = json.loads(run(TTSIM, "run", compiled, "--json", "-"))
        self.check("run", ran)
        model = ran["model"]
        seconds = ran["cycles"] / (1e6 * ran["clock_mhz"]) + model["host_seconds"]
        self.assertAlmostEqual(ran["end_to_end_per_second"] * seconds / model["samples"], 1, places=6)
        self.assertAlmostEqual(model["host_time_share"], model["host_seconds"] / seconds, places=6)

    def test_every_object_that_a_command_prints_has_the_version(self):
        version = json.loads((SCHEMAS / "run.schema.json").read_text())["properties"]["schema_version"]["const"]
        for command in [["isa", "--arch", "wormhole_b0"], ["pipe", "bench"], ["eth", "bench"], ["dram", "bench"]]:
            with self.subTest(command=command):
                self.assertEqual(json.loads(run(TTSIM, *command, "--json"))["schema_version"], version)


if __name__ == "__main__":
    unittest.main()
