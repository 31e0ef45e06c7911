#!/usr/bin/env python3
"""The scripts that guard the project: scripts/check-includes, check_text.py and conformance; --help of all scripts."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import unittest.mock
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_script(self, *command):
        return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, check=False)


class Help(WithFolder):
    """Every script answers --help without a build and without any Python package."""

    def test_each(self):
        scripts = [path for path in sorted(SCRIPTS.iterdir()) if path.is_file() and not path.suffix and os.access(path, os.X_OK)]
        self.assertGreater(len(scripts), 40)
        copy = self.folder / "scripts"
        shutil.copytree(SCRIPTS, copy)
        shutil.copytree(ROOT / "tests/docs", self.folder / "tests/docs")  # scripts/recipes uses its replay
        for script in scripts:
            with self.subTest(script=script.name):
                bare = [sys.executable, "-E", "-S"] if "python" in script.read_text().splitlines()[0] else []
                done = subprocess.run([*bare, copy / script.name, "--help"], capture_output=True, text=True, check=False,
                                      stdin=subprocess.DEVNULL, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertGreater(len(done.stdout), 40)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["scripts", "tests"])


class Web(WithFolder):
    """scripts/web where the registry of npm cannot be reached."""

    def test_says_what_is_missing(self):
        for name in ("web", "usage.bash"):
            (self.folder / "scripts").mkdir(exist_ok=True)
            shutil.copy(SCRIPTS / name, self.folder / "scripts")
        self.write("web/package-lock.json", "{}")
        for name in ("node", "npm"):
            self.write(f"bin/{name}", "#!/bin/sh\necho 'npm error code ECONNREFUSED' >&2\nexit 1\n").chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run([self.folder / "scripts/web"], capture_output=True, text=True, env=os.environ | {"PATH": path})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.splitlines()[0], "npm error code ECONNREFUSED")
        self.assertRegex(done.stderr, "npm cannot get the packages of the pages.*'npm ping'")
        self.assertFalse((self.folder / "build").exists())


class Turn(WithFolder):
    """Parts of slow checks, by turns."""

    def test_the_part_follows_from_the_commit(self):
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for parts in (1, 3, 16):
            self.assertEqual(self.run_script(SCRIPTS / "turn", parts).stdout, f"{int(commit, 16) % parts}/{parts}\n")

    def test_every_python_test_has_a_turn(self):
        loader = SourceFileLoader("conftest", str(ROOT / "python/tests/conftest.py"))
        module = module_from_spec(spec_from_loader("conftest", loader))
        loader.exec_module(module)
        folder = module.HERE / "pybuda"
        module.changed_lately = lambda: {folder / "test_new.py"}

        def item(path, name, *marks):
            return types.SimpleNamespace(path=path, name=name, get_closest_marker=lambda mark: mark if mark in marks else None)

        def kept(part):
            items = [item(folder / file, f"{file}{index}") for file in ("test_a.py", "test_new.py") for index in range(6)]
            items += [item(folder / "test_a.py", "page", "docs"), item(module.HERE / "test_values.py", "v")]
            every, left_out = list(items), []
            config = types.SimpleNamespace(hook=types.SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items)))
            with unittest.mock.patch.dict(os.environ, TTSIM_TEST_PART=part):
                module.pytest_collection_modifyitems(config, items)
            self.assertEqual(len(items) + len(left_out), len(every))
            return [item.name for item in items]

        self.assertEqual(len(kept("")), 14)
        by_turns = [kept(f"{part}/3") for part in range(3)]
        always = [f"test_new.py{index}" for index in range(6)] + ["page", "v"]
        for names in by_turns:
            self.assertEqual([name for name in names if name in always], always)
        self.assertEqual(sorted(name for names in by_turns for name in names if name not in always),
                         [f"test_a.py{index}" for index in range(6)])


class CheckSkipped(WithFolder):
    """Tests 'a' (needs shared and torch) and 'b' (needs node) may be skipped, 'c' may not."""

    def check(self, skipped, missing="", required="", tests="# comment\nshared a\ntorch a\nnode b\n"):
        loader = SourceFileLoader("check_skipped", str(SCRIPTS / "check-skipped"))
        module = module_from_spec(spec_from_loader("check_skipped", loader))
        loader.exec_module(module)
        log = "".join(f"{n}/3 Test #{n}: {test} ...***Skipped   0.01 sec\n" for n, test in enumerate(skipped, 1))
        names = "".join(f"  Test   #{n}: {test}\n" for n, test in enumerate("abc", 1))
        return list(module.problems(log, names, module.allowed(tests, "may_skip.txt"), set(missing.split()), required.split()))

    def test_listed_tests_may_be_skipped_without_what_they_need(self):
        self.assertEqual(self.check("ab", "torch node"), [])
        self.assertEqual(self.check(""), [])

    def test_other_skips_fail(self):
        self.assertEqual(self.check("abc", "torch node"),
                         ["'c' was skipped, and tests/may_skip.txt does not allow it"])
        self.assertEqual(self.check("ab", "torch"), ["'b' was skipped although its needs are here: node"])

    def test_what_is_required_must_be_there(self):
        self.assertEqual(self.check("b", "node", "node chromium"),
                         ["TTSIM_REQUIRED_TESTS names node, which is missing, so tests that need it did not run"])
        self.assertEqual(self.check("", "shared", "node chromium"), [])

    def test_the_list_names_tests_that_exist(self):
        self.assertEqual(self.check("", tests="shared gone\n"), ["tests/may_skip.txt lists 'gone', which is not a test"])


class CheckIncludes(WithFolder):
    def check(self, name, text):
        self.write(name, text)
        return self.run_script(SCRIPTS / "check-includes", self.folder)

    def test_a_folder_may_use_those_below_it(self):
        done = self.check("sim/a.cpp", '#include "netlist/netlist.hpp"\n#include "sim/b.hpp"\n')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_room_must_not_use_those_above_it(self):
        done = self.check("sim/machine/a.cpp", '#include "sim/state/run_state.hpp"\n#include "sim/timed/machine.hpp"\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn('sim/machine/a.cpp:2: error: sim/machine must not include "sim/timed/machine.hpp": timed stands '
                      "above it", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_the_compiler_must_not_see_the_simulator(self):
        done = self.check("compiler/a.cpp", '\n#include "sim/run.hpp"\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn('compiler/a.cpp:2: error: compiler/ must not include "sim/run.hpp"', done.stderr)

    def test_an_include_must_name_its_folder(self):
        self.assertIn("from the root", self.check("isa/a.cpp", '#include "arch.hpp"\n').stderr)

    def test_libraries_have_their_places(self):
        for name, text in [("netlist/a.cpp", "#include <systemc>\n"), ("tests/netlist/a.cpp", "#include <systemc.h>\n"),
                           ("sim/a.cpp", "#include <CLI/CLI.hpp>\n"), ("netlist/b.cpp", "#include <yaml-cpp/yaml.h>\n")]:
            with self.subTest(name):
                self.assertIn("may be included only in", self.check(name, text).stderr)

    def test_only_its_part_may_include_systemc(self):
        self.assertEqual(self.check("sim/systemc/simulation.cpp", "#include <systemc>\n").returncode, 0)
        self.assertEqual(self.check("sim/machine/a.cpp", "#include <systemc>\n").returncode, 1)


class CheckText(WithFolder):
    def test_whitespace_and_ascii(self):
        for text, what in [("a \n", "space at the end"), ("a", "no newline"), ("a\tb\n", "tab"), ("a\r\n", "carriage"),
                           ("\u00e9\n", "not ASCII")]:
            with self.subTest(what):
                done = self.run_script(SCRIPTS / "check_text.py", self.write("a.cpp", text))
                self.assertEqual(done.returncode, 1)
                self.assertIn(what, done.stderr)

    def test_a_clean_file_passes(self):
        self.assertEqual(self.run_script(SCRIPTS / "check_text.py", self.write("a.cpp", "int a;\n")).returncode, 0)


# Acts as its netlist says: "exit 3", "sleep", "kill", or "pcc 0.5" or "verdict ..." and exits with 0.
FAKE_TTSIM = '''\
    #!/usr/bin/env python3
    import json, os, sys, time
    netlist, report = sys.argv[2], sys.argv[sys.argv.index("--json") + 1]
    word, value = (open(netlist).read().split() + [""])[:2]
    if "--program" in sys.argv:
        word = "pcc"
        value = "1"
    if word == "sleep":
        time.sleep(60)
    if word == "kill":
        os.abort()
    if word == "exit" and value not in ("0", "1"):
        print(netlist + ":12:5: error: no op 'x' of 7", file=sys.stderr)
        sys.exit(int(value))
    pcc = float(value) if word == "pcc" else 1.0
    passed = value != "1" or word != "exit"
    output = {"queue": "y", "judged": True, "pass": passed, "pcc": pcc, "first_failure": "" if passed else "entry 3"}
    verdict = value if word == "verdict" else "pass" if passed else "mismatch"
    output["verdict"] = verdict
    json.dump({"verdict": verdict.replace("_", " "), "outputs": [output]}, open(report, "w"))
    sys.exit(0 if passed else 1)
    '''


class Conformance(WithFolder):
    def setUp(self):
        super().setUp()
        self.program = self.write("ttsim", textwrap.dedent(FAKE_TTSIM))
        self.program.chmod(0o755)
        self.expected = self.write("expected.csv", "path,outcome,reason,args\n")

    def conformance(self, netlists, *arguments):
        for name, text in netlists.items():
            self.write(f"corpus/{name}.yaml", text)
        result = self.folder / "result.json"
        done = self.run_script(SCRIPTS / "conformance", self.folder / "corpus", "--ttsim", self.program, "--expected",
                               self.expected, "--json", result, "--timeout", "2", *arguments)
        runs = json.loads(result.read_text())["runs"] if result.exists() else []
        return done, {run["path"][:-5]: run for run in runs}

    def test_every_way_to_end_has_a_name(self):
        done, runs = self.conformance({"ok": "exit 0", "differs": "exit 1", "bad": "exit 2", "stuck": "exit 3",
                                       "new": "exit 4", "bug": "exit 70", "signal": "kill", "slow": "sleep"})
        outcomes = {name: run["outcome"] for name, run in runs.items()}
        self.assertEqual(outcomes, {"ok": "pass", "differs": "mismatch", "bad": "rejected", "stuck": "hang",
                                    "new": "unsupported", "bug": "crash", "signal": "crash", "slow": "timeout"})
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("1 passed, 7 failed\n"), done.stdout)

    def test_reasons_are_counted_without_places_names_and_numbers(self):
        done, _ = self.conformance({"a": "exit 2", "b": "exit 2"})
        self.assertIn("    2  rejected         no op '..' of N\n", done.stdout)

    def test_what_is_expected_is_no_failure(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,hang,a negative test,\n")
        done, _ = self.conformance({"a": "exit 3", "b": "exit 0"})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.endswith("2 passed, 0 failed\n"))

    def test_what_is_listed_as_a_hang_must_pass_where_nothing_can_hang(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,hang,operands wait for each other,\n")
        self.assertEqual(self.conformance({"a": "exit 0"}, "--mode", "functional")[0].returncode, 0)
        self.assertEqual(self.conformance({"a": "exit 3"}, "--mode", "functional")[0].returncode, 1)
        self.assertEqual(self.conformance({"a": "exit 3"}, "--mode", "timing")[0].returncode, 0)
        self.assertEqual(self.conformance({"a": "exit 0"}, "--mode", "timing")[0].returncode, 1)

    def test_a_kind_of_numerics_may_have_an_outcome_of_its_own_but_only_one(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,pass|mismatch@real,rounding,\n")
        self.assertEqual(self.conformance({"a": "exit 1"})[0].returncode, 0)
        self.assertEqual(self.conformance({"a": "exit 0"})[0].returncode, 1)
        self.assertEqual(self.conformance({"a": "exit 0"}, "--numerics", "float32")[0].returncode, 0)
        for outcome in ["pass|hang", "pass|mismatch@real|hang@real", "mismatch@real", "pass|mismatch@unreal", "passes"]:
            self.expected.write_text(f"path,outcome,reason,args\na.yaml,{outcome},several,\n")
            done, _ = self.conformance({"a": "exit 0"})
            self.assertIn("error: 'a.yaml' needs ", done.stderr, outcome)

    def test_a_file_that_is_listed_twice_is_an_error(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,pass,one,\na.yaml,hang,another,\n")
        done, _ = self.conformance({"a": "exit 0"})
        self.assertIn("error: 'a.yaml' has two rows", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_a_run_that_compared_nothing_has_not_passed(self):
        done, runs = self.conformance({"a": "verdict nothing_was_compared"})
        self.assertEqual(runs["a"]["outcome"], "nothing compared")
        self.assertEqual(done.returncode, 1)

    def test_an_ill_conditioned_file_is_marked_and_not_a_failure(self):
        done, runs = self.conformance({"a": "verdict ill-conditioned"}, "--numerics", "float32")
        self.assertEqual(runs["a"]["outcome"], "ill-conditioned")
        self.assertEqual(done.returncode, 0)

    def test_an_empty_list_is_an_error(self):
        chosen = self.write("list.txt", "# nothing\n")
        done, _ = self.conformance({"a": "exit 0"}, "--list", chosen)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no netlist matches", done.stderr)

    def test_a_pass_where_a_rejection_is_expected_is_a_failure(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,rejected,a negative test,\n")
        self.assertEqual(self.conformance({"a": "exit 0"})[0].returncode, 1)

    def test_extra_arguments_of_a_file_are_passed_on(self):
        self.expected.write_text("path,outcome,reason,args\na.yaml,pass,run by name,--program p\n")
        self.assertEqual(self.conformance({"a": "exit 3"})[0].returncode, 0)

    def test_without_rounding_the_correlation_must_be_five_nines(self):
        netlists = {"a": "pcc 0.9999"}
        self.assertEqual(self.conformance(netlists)[1]["a"]["outcome"], "pass")
        self.assertEqual(self.conformance(netlists, "--numerics", "float32")[1]["a"]["outcome"], "mismatch")

    def test_only_and_list_choose_files(self):
        netlists = {"a": "exit 0", "b": "exit 0", "c": "exit 0"}
        self.assertEqual(set(self.conformance(netlists, "--only", "[bc]")[1]), {"b", "c"})
        chosen = self.write("list.txt", "# comment\nc.yaml\n")
        self.assertEqual(set(self.conformance(netlists, "--list", chosen)[1]), {"c"})
        parts = [set(self.conformance(netlists, "--part", f"{part}/2")[1]) for part in range(2)]
        self.assertEqual(parts, [{"a", "c"}, {"b"}])

    def test_the_list_of_expected_outcomes_is_well_formed(self):
        self.expected = ROOT / "tests/conformance/expected.csv"
        self.assertEqual(self.conformance({"a": "exit 0"})[0].returncode, 0)


class Validate(WithFolder):
    def test_a_check_without_a_binary_or_data_does_not_pass(self):
        program = self.write("ttsim", "#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
        nowhere = self.folder / "nowhere"
        for command in [["--silicon", nowhere, "--ttsim", program], ["--silicon", self.folder, "--ttsim", nowhere]]:
            done = self.run_script(SCRIPTS / "validate", "--check", *command)
            self.assertEqual(done.returncode, 2)
            self.assertIn("nothing was compared", done.stderr)
        done = self.run_script(SCRIPTS / "validate", "--check", "--silicon", self.folder, "--ttsim", program)
        self.assertEqual(done.returncode, 1, "a folder without rows")
        self.assertIn("nothing was compared", done.stdout)


if __name__ == "__main__":
    unittest.main()
