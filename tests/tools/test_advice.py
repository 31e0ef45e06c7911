#!/usr/bin/env python3
"""ttperf advice, top and diff as a user meets them. TTSIM and TTPERF name the programs."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import planted  # noqa: E402
from test_trace import EXAMPLES, TTPERF, TTSIM, WithFolder, run  # noqa: E402


class PlantedCauses(unittest.TestCase):
    """The first line names the cause that was planted, and of the netlist without it something else."""

    def first_line(self, folder, name, text):
        netlist, trace = folder / f"{name}.yaml", folder / f"{name}.ttperf"
        netlist.write_text(text)
        done = run(TTSIM, "run", netlist, "--mode", "timing", "--trace", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(TTPERF, "advice", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[0]

    def test_every_planted_cause_is_named_first(self):
        self.assertEqual(len(planted.PLANTS), 18)
        with tempfile.TemporaryDirectory() as folder:
            for plant in planted.PLANTS:
                with self.subTest(plant.__name__):
                    text, said = plant(True)
                    self.assertRegex(self.first_line(pathlib.Path(folder), plant.__name__, text), said)
                    text, _ = plant(False)
                    self.assertNotRegex(self.first_line(pathlib.Path(folder), plant.__name__ + "_not", text), said)

    def causes(self, folder, text):
        netlist, trace = folder / "netlist.yaml", folder / "run.ttperf"
        netlist.write_text(text)
        self.assertEqual(run(TTSIM, "run", netlist, "--mode", "timing", "--trace", trace).returncode, 0)
        return trace, json.loads(run(TTPERF, "advice", trace, "--json").stdout)

    def test_a_small_share_that_costs_most_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, report = self.causes(pathlib.Path(folder), planted.streamed_weights(False)[0])
            first, second = report["causes"][:2]
            self.assertLess(first["share"], 0.25)
            self.assertGreater(second["share"], 3 * first["share"])
            self.assertGreater(first["measured_gain"], 3 * second["measured_gain"])
            asked = json.loads(run(TTPERF, "advice", trace, "--json", "--what-if", "dram:2").stdout)
            self.assertEqual(1 - asked["without"][0]["cycles"] / report["cycles"], first["measured_gain"])

    def test_equal_ops_of_layers_are_one_cause(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, report = self.causes(pathlib.Path(folder), planted.repeated_layers(4))
            first = report["causes"][0]
            self.assertEqual(first["place"], "op 'layers.*.act.1' (4 of them)")
            self.assertEqual({m["op"] for m in first["members"]}, {f"layers.{k}.act.1" for k in range(4)})
            self.assertAlmostEqual(sum(m["cycles"] for m in first["members"]) / report["shared_out"], first["share"])
            free = [f"op:layers.{k}.act.1" for k in range(4)]
            asked = json.loads(run(TTPERF, "advice", trace, "--json", "--what-if", ",".join(free)).stdout)["without"]
            self.assertEqual(1 - asked[-1]["cycles"] / report["cycles"], first["measured_gain"])
            self.assertIn("larger grid for 'layers.*.act.1'", first["remedies"][0])


class Commands(WithFolder):
    def setUp(self):
        super().setUp()
        self.slow = self.trace("bert_encoder.yaml", "--mode", "timing", name="slow.ttperf")

    def test_json_has_the_content_of_the_text(self):
        report = json.loads(run(TTPERF, "advice", self.slow, "--json").stdout)
        first = run(TTPERF, "advice", self.slow).stdout.splitlines()[0]
        cause = report["causes"][0]
        self.assertIn(cause["place"], first)
        self.assertIn(cause["remedies"][0], first)
        self.assertTrue(all(a["share"] >= b["share"] for a, b in zip(report["causes"], report["causes"][1:])))
        self.assertLessEqual(sum(c["share"] for c in report["causes"]), 1.001)
        self.assertEqual(len(json.loads(run(TTPERF, "advice", self.slow, "--json", "--limit", "1").stdout)["causes"]), 1)

    def test_causes_are_simulated_and_parts_made_free(self):
        causes = json.loads(run(TTPERF, "advice", self.slow, "--json", "--limit", "2").stdout)["causes"]
        self.assertFalse(causes[0]["estimate"])
        self.assertGreater(causes[0]["measured_gain"], 0.1)
        estimate = json.loads(run(TTPERF, "advice", self.slow, "--json", "--estimate").stdout)["causes"]
        self.assertTrue(all(cause["estimate"] for cause in estimate))
        asked = json.loads(run(TTPERF, "advice", self.slow, "--json", "--what-if", "op:softmax.exp,dram").stdout)
        alone, dram, both = (row["cycles"] for row in asked["without"])
        self.assertLess(both, min(alone, dram))
        self.assertLess(max(alone, dram), asked["cycles"])
        self.assertEqual(1 - alone / asked["cycles"], causes[0]["measured_gain"])
        # the same run by itself, and one without anything free
        for words, cycles in ((("--free", "op:softmax.exp"), alone), ((), asked["cycles"])):
            done = run(TTSIM, "run", EXAMPLES / "bert_encoder.yaml", "--mode", "timing", "--json", "-", *words)
            self.assertEqual(json.loads(done.stdout)["cycles"], cycles)

    def test_unknown_parts_are_told(self):
        for words, says in (("op:softmax.exq", "did you mean 'softmax.exp'"), ("nok", "not one of noc, eth"),
                            ("dram:x", "not one of noc, eth"), ("op:", "not one of noc, eth")):
            done = run(TTPERF, "advice", self.slow, "--what-if", words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)
        done = run(TTSIM, "run", EXAMPLES / "bert_encoder.yaml", "--mode", "timing", "--free", "room:nobody")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the netlist has no op 'nobody'", done.stderr)

    def test_top_sorts_and_limits(self):
        ops = json.loads(run(TTPERF, "top", self.slow, "--sort", "wait_room", "--limit", "3", "--json").stdout)
        waits = [op["wait_room"] for op in ops["ops"]]
        self.assertEqual(len(waits), 3)
        self.assertEqual(waits, sorted(waits, reverse=True))
        names = [line.split(",")[0] for line in run(TTPERF, "top", self.slow, "--sort", "op", "--csv").stdout.splitlines()]
        self.assertEqual(names[1:], sorted(names[1:]))
        self.assertEqual(len(names) - 1, 3 + ops["left_out"])
        self.assertEqual(run(TTPERF, "top", self.slow, "--sort", "nothing").returncode, 2)

    def test_diff_distinguishes_slower_from_faster(self):
        fast = self.trace("bert_encoder.yaml", "--mode", "timing", "--without", "firmware", name="fast.ttperf")
        for arguments, code in (((self.slow, fast), 0), ((fast, self.slow), 1), ((self.slow, self.slow), 0),
                                ((fast, self.slow, "--threshold", "50%"), 0), ((fast, self.slow, "--threshold", "x"), 2),
                                ((fast, EXAMPLES / "two_chips.yaml"), 2), ((fast,), 2)):
            with self.subTest(arguments):
                self.assertEqual(run(TTPERF, "diff", *arguments).returncode, code)
        report = json.loads(run(TTPERF, "diff", fast, self.slow, "--json").stdout)
        self.assertIn("the run", report["slower"])
        self.assertEqual(report["run"]["difference"], report["after"]["cycles"] - report["before"]["cycles"])
        changes = [abs(row["difference"]) for row in report["ops"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        lines = run(TTPERF, "diff", fast, self.slow, "--csv").stdout.splitlines()
        self.assertEqual(len(lines), 2 + sum(len(report[kind]) for kind in ("epochs", "ops", "resources")))

    def test_bad_files_are_reported(self):
        cut = self.folder / "cut.ttperf"
        cut.write_bytes(self.slow.read_bytes()[:5000])
        empty = self.folder / "empty.ttperf"
        empty.write_bytes(b"")
        for command in ("advice", "top"):
            for file in (cut, empty, self.folder / "none.ttperf", EXAMPLES / "two_chips.yaml"):
                with self.subTest((command, file.name)):
                    done = run(TTPERF, command, file)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("error: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
