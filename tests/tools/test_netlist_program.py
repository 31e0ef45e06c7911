#!/usr/bin/env python3
"""The program ttsim-netlist: the same results as ttsim, clear refusals, and a build without the compiler."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTSIM_NETLIST = os.environ.get("TTSIM_NETLIST", str(ROOT / "build/release/bin/ttsim-netlist"))
BUILD = pathlib.Path(TTSIM_NETLIST).parent.parent
NETLIST = "examples/matmul_gelu.yaml"
# what only the full program may build: none of it is needed to run a netlist
FULL_PROGRAM = ("compiler", "runtime", "api")


def called(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=120,
                          check=False)


class SameAsTtsim(unittest.TestCase):
    def same(self, *arguments):
        expected, found = called(TTSIM, *arguments), called(TTSIM_NETLIST, *arguments)
        self.assertEqual((found.returncode, found.stdout, found.stderr),
                         (expected.returncode, expected.stdout, expected.stderr))
        return found

    def test_results_of_subcommands(self):
        for arguments in (["run", NETLIST], ["run", NETLIST, "--json", "-"], ["run", NETLIST, "--mode", "timing"],
                          ["check", NETLIST], ["ops"], ["devices", "--json"], ["new", "mlp", "-o", "-"]):
            with self.subTest(arguments):
                self.assertEqual(self.same(*arguments).returncode, 0)

    def test_errors(self):
        for arguments in (["run", "missing.yaml"], ["check", "docs/index.md"]):
            with self.subTest(arguments):
                self.assertEqual(self.same(*arguments).returncode, 2)

    def test_wrong_options_name_the_help_of_this_program(self):
        for options in (["--mdoe", "full"], ["--loops", "2"]):
            with self.subTest(options):
                expected, found = (called(program, "run", NETLIST, *options) for program in (TTSIM, TTSIM_NETLIST))
                self.assertEqual(found.returncode, 2)
                self.assertEqual(found.stderr, expected.stderr.replace("'ttsim run", "'ttsim-netlist run"))

    def test_examples_in_the_help_name_the_program_that_can_run_them(self):
        found = called(TTSIM_NETLIST, "run", "--help").stdout
        self.assertIn("\n  ttsim-netlist run examples/bert_encoder.yaml\n", found)
        self.assertIn("\n  ttsim compile model.onnx -o out && ttsim run out", found)
        self.assertIn("\n  ttsim-netlist new mlp && ttsim-netlist run mlp.yaml", called(TTSIM_NETLIST, "new", "--help").stdout)
        self.assertIn("\n  ttsim run examples/bert_encoder.yaml\n", called(TTSIM, "run", "--help").stdout)

    def test_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            traces = [pathlib.Path(folder) / name for name in ("a.ttperf", "b.ttperf")]
            for program, trace in zip((TTSIM, TTSIM_NETLIST), traces):
                self.assertEqual(called(program, "run", NETLIST, "--trace", trace).returncode, 0)
            self.assertEqual(traces[0].read_bytes(), traces[1].read_bytes())


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, pattern, *arguments):
        done = called(TTSIM_NETLIST, *arguments)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, pattern)

    def test_a_device_image_and_a_compiled_folder_name_the_program_that_runs_them(self):
        image, compiled = self.folder / "model.tti", self.folder / "compiled"
        image.write_bytes(b"unzipped_tti/")
        compiled.mkdir()
        (compiled / "host_steps.json").write_text("{}")
        for file in (image, compiled):
            with self.subTest(file):
                self.refused(f"{re.escape(str(file))}: error: is a compiled model, .*'ttsim run {re.escape(str(file))}' "
                             "does; 'scripts/build release ttsim' builds it", "run", file)

    def test_a_model_names_the_command_that_compiles_it(self):
        model = self.folder / "model.onnx"
        model.touch()
        self.refused("is an ONNX model, not a netlist; compile it: 'ttsim compile", "run", model)

    def test_a_page_names_the_program_that_writes_it(self):
        page = self.folder / "page.html"
        self.refused(f"--report: this program writes no pages; 'ttsim run {NETLIST}' does", "run", NETLIST, "--report", page)
        self.assertFalse(page.exists())

    def test_another_subcommand_names_the_program_that_has_it(self):
        self.refused("compile: there is no such command", "compile", "model.onnx")
        self.assertIn("'scripts/build release ttsim' builds it", called(TTSIM_NETLIST, "--help").stdout)


class Build(unittest.TestCase):
    @unittest.skipUnless((BUILD / "build.ninja").is_file() and shutil.which("ninja"), "not a build of ninja")
    def test_no_source_of_the_full_program_is_compiled(self):
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "ttsim-netlist"], capture_output=True, text=True,
                                  check=True).stdout
        made = re.findall(r" -o (\S+\.(?:o|gch)) ", commands)
        self.assertTrue(any(name.startswith("sim/") for name in made), "no object of the simulator was found")
        self.assertEqual([name for name in made if name.startswith(FULL_PROGRAM)], [])


if __name__ == "__main__":
    unittest.main()
