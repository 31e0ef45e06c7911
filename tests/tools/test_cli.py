#!/usr/bin/env python3
"""The command line of ttsim as a user meets it: exit codes, files it writes, determinism. TTSIM names the program."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
EXAMPLES = ROOT / "examples"


def ttsim(*arguments, **options):
    return subprocess.run([TTSIM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, netlist, *arguments):
        file = self.folder / "report.json"
        done = ttsim("run", netlist, "--json", file, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return file.read_text()


class Usage(unittest.TestCase):
    def test_every_subcommand_explains_itself_with_an_example(self):
        for command in ["run", "check", "explain", "ops", "devices"]:
            with self.subTest(command):
                done = ttsim(command, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn("ttsim " + command, done.stdout)
                self.assertIn("Example", done.stdout)

    def test_a_wrong_command_line_exits_with_2(self):
        netlist = EXAMPLES / "eltwise_chain.yaml"
        for arguments in [[], ["no_such_command"], ["run"], ["run", "no_such_file.yaml"], ["run", netlist, "--mode", "x"],
                          ["run", netlist, "--threads", "0"], ["run", netlist, "--inputs-count", "0"],
                          ["run", netlist, "--param", "p"], ["run", netlist, "--param", "p=x"],
                          ["run", netlist, "--seed", "-1"], ["run", netlist, "--strict", "--no-check"],
                          ["run", netlist, "--harvested-rows", "99"], ["run", netlist, "--inputs", "no_such_folder"],
                          ["run", netlist, "--arch", "jawbridge"], ["run", netlist, "--device", "no_such_device"],
                          ["run", netlist, "--program", "no_such_program"], ["run", netlist, "--param", "p_none=1"]]:
            with self.subTest(arguments):
                done = ttsim(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertTrue(done.stderr.strip())

    def test_devices_lists_the_products(self):
        names = [device["name"] for device in json.loads(ttsim("devices", "--json").stdout)]
        for name in ["gs_e75", "gs_e150", "gs_e300", "wh_n150", "wh_n300", "galaxy"]:
            self.assertIn(name, names)

    def test_the_page_of_the_op_registry_is_up_to_date(self):
        page = ttsim("ops", "--markdown").stdout
        self.assertEqual(page, (ROOT / "docs/ops.md").read_text(), "run: ttsim ops --markdown > docs/ops.md")

    def test_ops_as_json_names_every_op_once(self):
        names = [op["name"] for op in json.loads(ttsim("ops", "--json").stdout)["ops"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("matmul", names)


class Examples(WithFolder):
    def test_every_example_is_valid_and_has_a_plan(self):
        for netlist in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(netlist.name):
                done = ttsim("check", netlist)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = ttsim("explain", netlist)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.strip())

    def test_threads_change_nothing_in_the_report_or_the_outputs(self):
        for netlist in ["bert_encoder.yaml", "two_chips.yaml"]:
            with self.subTest(netlist):
                reports, outputs = [], []
                for threads in ["1", "2"]:
                    dump = self.folder / f"{netlist}.{threads}"
                    reports.append(self.report(EXAMPLES / netlist, "--threads", threads, "--dump-io", dump))
                    outputs.append({p.name: p.read_bytes() for p in sorted(dump.rglob("*.npy"))})
                self.assertEqual(reports[0], reports[1])
                self.assertTrue(outputs[0])
                self.assertEqual(outputs[0], outputs[1])

    def test_timing_mode_counts_the_same_cycles_as_full_mode(self):
        for netlist in ["eltwise_chain.yaml", "matmul_gelu.yaml", "bert_encoder.yaml"]:
            with self.subTest(netlist):
                full = json.loads(self.report(EXAMPLES / netlist))
                timing = json.loads(self.report(EXAMPLES / netlist, "--mode", "timing"))
                self.assertEqual(full["cycles"], timing["cycles"])
                self.assertEqual(full["graphs"], timing["graphs"])
                self.assertEqual(timing["verdict"], "not checked")

    def test_functional_mode_gives_the_outputs_of_full_mode(self):
        dumps = []
        for mode in ["full", "functional"]:
            dump = self.folder / mode
            self.report(EXAMPLES / "kv_cache.yaml", "--mode", mode, "--dump-io", dump)
            dumps.append({p.name: p.read_bytes() for p in sorted(dump.rglob("*.npy"))})
        self.assertEqual(dumps[0], dumps[1])

    def test_dumped_inputs_give_the_same_outputs_again(self):
        first, second = self.folder / "first", self.folder / "second"
        netlist = EXAMPLES / "matmul_gelu.yaml"
        self.report(netlist, "--dump-io", first, "--seed", "7")
        self.report(netlist, "--inputs", first, "--dump-io", second)
        files = sorted(p.relative_to(first) for p in first.rglob("*.npy"))
        self.assertTrue(files)
        for file in files:
            self.assertEqual((first / file).read_bytes(), (second / file).read_bytes(), file)

    def test_another_seed_gives_other_values_and_the_same_cycles(self):
        netlist = EXAMPLES / "eltwise_chain.yaml"
        one, two = (json.loads(self.report(netlist, "--seed", seed)) for seed in ["1", "2"])
        self.assertEqual(one["cycles"], two["cycles"])
        self.assertNotEqual(one["outputs"][0]["max_error"], two["outputs"][0]["max_error"])

    def test_json_on_standard_output_is_only_json(self):
        done = ttsim("run", EXAMPLES / "eltwise_chain.yaml", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["verdict"], "pass")

    def test_progress_is_silent_without_a_terminal(self):
        self.assertEqual(ttsim("run", EXAMPLES / "eltwise_chain.yaml").stderr, "")


class BadOutput(WithFolder):
    def test_a_report_that_cannot_be_written_exits_with_2_and_leaves_nothing(self):
        done = ttsim("run", EXAMPLES / "eltwise_chain.yaml", "--json", self.folder / "no/report.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("report.json: error: cannot be written", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_standard_output_is_noticed(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([TTSIM, "devices"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output", done.stderr)

    def test_a_dump_below_a_file_exits_with_2(self):
        (self.folder / "file").write_text("")
        done = ttsim("run", EXAMPLES / "eltwise_chain.yaml", "--dump-io", self.folder / "file/io")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)

    def test_an_invalid_netlist_writes_no_report(self):
        netlist = self.folder / "cut.yaml"
        text = (EXAMPLES / "eltwise_chain.yaml").read_text()
        netlist.write_text(text[: len(text) // 2])
        report = self.folder / "report.json"
        done = ttsim("run", netlist, "--json", report)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"cut\.yaml:\d+:\d+: error: ")
        self.assertFalse(report.exists())


if __name__ == "__main__":
    unittest.main()
