#!/usr/bin/env python3
"""The command line of ttsim as a user meets it: exit codes, files it writes, determinism. TTSIM names the program."""
import csv
import json
import os
import pathlib
import subprocess
import sys
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
        for command in ["run", "check", "explain", "ops", "devices", "isa", "kernel"]:
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

    def test_the_page_of_options_is_up_to_date(self):
        made = subprocess.run([sys.executable, ROOT / "scripts/generate-options", "--docs"],
                              capture_output=True, text=True, check=True).stdout
        page = (ROOT / "docs/options.md").read_text().split("--docs -->\n\n")[1]
        self.assertEqual(page, made, "run: scripts/generate-options --docs")

    def test_the_page_of_ops_of_graphs_is_up_to_date(self):
        made = subprocess.run([sys.executable, ROOT / "scripts/generate-ops", ROOT / "compiler/ops/ops.toml", "--docs"],
                              capture_output=True, text=True, check=True).stdout
        page = (ROOT / "docs/graph-text.md").read_text().split("--docs -->\n\n")[1]
        self.assertEqual(page, made, "run: scripts/generate-ops compiler/ops/ops.toml --docs")

    def test_ops_as_json_names_every_op_once(self):
        names = [op["name"] for op in json.loads(ttsim("ops", "--json").stdout)["ops"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("matmul", names)


class Rows(WithFolder):
    """Files of measured rows: kernel, dram bench, eth bench."""

    KERNEL = ("arch,op,approx,vector_mode,math_fidelity,in0_df,in1_df,out_df,intermed_df,acc_df,t,mblock_m,mblock_n,ublock_rt,"
              "ublock_ct,m_k,u_kt,z,l1_acc,nz_strips,nz_ublocks,nz_tiles,cycles_per_input\n")
    DRAM = "arch,n_dram_channels,n_tensix_tiles,pairing,direction,vc_alloc,noc,GBps\n"
    ETH = "arch,test,direction,packet_bytes,expected,unit\n"

    def rows(self, text):
        file = self.folder / "rows.csv"
        file.write_text(text)
        return file

    def refused(self, command, text, *words):
        with self.subTest(words):
            out = self.folder / "out.csv"
            done = ttsim(*command, "--csv", self.rows(text), "--out", out)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertFalse(out.exists())

    def test_wrong_rows_are_refused_with_their_place_and_nothing_is_written(self):
        kernel, dram, eth = ["kernel", "--arch", "wormhole_b0"], ["dram", "bench"], ["eth", "bench"]
        for command, columns in [(kernel, self.KERNEL), (dram, self.DRAM), (eth, self.ETH)]:
            self.refused(command, "", "rows.csv:1: error: the file is empty")
            self.refused(command, columns.replace("arch,", "arc,"), "rows.csv:1: error: the column 'arch' is missing; did you mean 'arc'?")
            self.refused(command, columns + "wormhole_b0\n", "rows.csv:2: error: 1 fields")
            self.refused(command, columns + columns.replace("arch", "wormhole_b2"), "rows.csv:2: error: 'arch' is 'wormhole_b2'")
            self.refused(command, columns + "\0" * 1000, "rows.csv:2: error: 1 fields")
        good = "wormhole_b0,exp,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,2,2,1,2,,,,,,,,1000\n"
        for old, new, word in [("LoFi,Bfp8_b", "LoFi,Bfp9", "'in0_df' is 'Bfp9', which is not a data format"),
                               ("1,2,2,1,2", "1,-2,2,1,2", "'mblock_m' is '-2'; an integer in 1.."),
                               ("1,2,2,1,2", "1,2,2,1e30,2", "'ublock_rt' is '1e30'"),
                               ("1000", "nan", "'cycles_per_input' is 'nan'")]:
            self.refused(kernel, self.KERNEL + good + good.replace(old, new), "rows.csv:3: error: " + word)
        self.refused(dram, self.DRAM + "wormhole_b0,1,99999,randomly,read,Static,0,1\n", "'n_tensix_tiles' is '99999'")
        self.refused(eth, self.ETH + "wormhole_b0,erisc_bw,uni,-1,1,GB/s\n", "'packet_bytes' is '-1'")
        self.assertIn("there is no such file", ttsim(*dram, "--csv", self.folder / "none.csv", "--report").stderr)
        self.assertIn("is a folder", ttsim(*eth, "--csv", self.folder, "--report").stderr)

    def test_an_unknown_op_rejects_its_row_alone(self):
        good = "wormhole_b0,exp,0,,LoFi,Bfp8_b,,Bfp8_b,,,1,2,2,1,2,,,,,,,,1000\n"
        file, out = self.rows(self.KERNEL + good.replace("exp", "expp") + good), self.folder / "out.csv"
        done = ttsim("kernel", "--arch", "wormhole_b0", "--csv", file, "--out", out, "--report")
        self.assertEqual(done.returncode, 2)
        why = "'op' is 'expp', which is not an op; did you mean 'exp'?"
        self.assertEqual(done.stderr, f"{file}:2: error: {why}\n")
        with out.open(encoding="ascii") as rows:
            wrong, right = csv.DictReader(rows)
        self.assertEqual((wrong["predicted_cycles"], wrong["reason"]), ("", why))
        self.assertGreater(float(right["predicted_cycles"]), 0)
        self.assertIn("exp ", done.stdout)

    def test_ops_have_the_names_of_the_sweeps(self):
        row = "wormhole_b0,{},0,,HiFi3,Float16_b,Float16_b,Float16_b,Float16_b,,1,2,2,1,2,4,2,,{},{},,1000\n"
        pairs = [(("matmul_l1_acc", ""), ("matmul", "1")), (("Matmul", "0"), ("matmul", ""))]
        for (op, l1), (plain, plain_l1) in pairs:
            file = self.rows(self.KERNEL + row.format(op, l1, ",") + row.format(plain, plain_l1, ","))
            done = ttsim("kernel", "--arch", "wormhole_b0", "--csv", file, "--out", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            one, other = csv.DictReader(done.stdout.splitlines())
            self.assertEqual(one["predicted_cycles"], other["predicted_cycles"])
        sparse = row.replace("{},{},,1000", "{},4,8,16,1000")
        file = self.rows(self.KERNEL + sparse.format("sparse matmul", "") + sparse.format("matmul_sparse", ""))
        one, other = csv.DictReader(ttsim("kernel", "--arch", "wormhole_b0", "--csv", file, "--out", "-").stdout.splitlines())
        self.assertTrue(one["predicted_cycles"])
        self.assertEqual(one["predicted_cycles"], other["predicted_cycles"])

    def test_rows_without_prediction_keep_their_place_with_a_reason(self):
        file = self.rows(self.ETH + "wormhole_b0,erisc_bw,uni,1024,11.74,GB/s\nwormhole_b0,other_test,uni,1024,1,GB/s\n")
        lines = ttsim("eth", "bench", "--csv", file, "--out", "-").stdout.splitlines()
        self.assertEqual(lines[0], self.ETH.strip() + ",predicted,reason")
        self.assertTrue(lines[1].startswith("wormhole_b0,erisc_bw,uni,1024,11.74,GB/s,1"))
        self.assertEqual(lines[2], "wormhole_b0,other_test,uni,1024,1,GB/s,,no model of the test 'other_test'")

    def test_reports_are_tables_or_json(self):
        file = self.rows(self.ETH + "wormhole_b0,erisc_bw,uni,1024,11.74,GB/s\n")
        self.assertIn("erisc_bw", ttsim("eth", "bench", "--csv", file, "--report").stdout)
        errors = json.loads(ttsim("eth", "bench", "--csv", file, "--report", "--json").stdout)["errors"]
        self.assertEqual([e["kind"] for e in errors], ["erisc_bw", "all"])
        self.assertLess(errors[-1]["mean_error_percent"], 5)

    def test_a_report_without_a_row_to_judge_does_not_pass(self):
        nothing = "error: nothing was compared"
        for command, rows in [(["eth", "bench"], self.ETH), (["dram", "bench"], self.DRAM),
                              (["eth", "bench"], self.ETH + "wormhole_b0,other_test,uni,1024,1,GB/s\n")]:
            done = ttsim(*command, "--csv", self.rows(rows), "--report")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(nothing, done.stderr)
        done = ttsim("kernel", "--arch", "wormhole_b0", "--csv", self.rows(self.KERNEL), "--report")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(nothing, done.stderr)

    def test_single_cases_as_text_and_json(self):
        self.assertIn("GB/s", ttsim("eth", "bench", "--bytes", 512).stdout)
        case = json.loads(ttsim("dram", "bench", "--placements", 1, "--json").stdout)
        self.assertAlmostEqual(case["gb_per_second"], 22.3, delta=0.5)
        self.assertEqual(ttsim("dram", "bench", "--channels", 13).returncode, 2)
        self.assertEqual(ttsim("dram", "bench", "--tiles", 1000).returncode, 2)
        self.assertEqual(ttsim("dram", "bench", "--bytes", 9000).returncode, 2)
        self.assertEqual(ttsim("eth", "bench", "--arch", "grayskull").returncode, 2)
        self.assertEqual(ttsim("dram").returncode, 2)


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

    def test_figures_of_a_run_fit_together_and_do_not_depend_on_skipping(self):
        for netlist in ["matmul_gelu.yaml", "bert_encoder.yaml"]:
            with self.subTest(netlist):
                arguments = ["--mode", "timing", "--param", "p_loop_count=6"]
                report = json.loads(self.report(EXAMPLES / netlist, *arguments))
                inputs = max(graph["inputs"] for graph in report["graphs"])
                rate = inputs * report["clock_mhz"] * 1e6 / report["cycles"]
                self.assertAlmostEqual(report["end_to_end_per_second"], rate, delta=1e-6 * rate)
                self.assertGreater(report["inputs_per_second"], report["end_to_end_per_second"])
                self.assertGreater(report["load_cycles"], 0)
                self.assertGreater(report["latency_cycles"], report["clock_mhz"] * 1e6 / report["inputs_per_second"])
                self.assertLess(report["latency_cycles"] + report["load_cycles"], report["cycles"])
                self.assertEqual(report, json.loads(self.report(EXAMPLES / netlist, *arguments, "--no-extrapolate")))

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


class KeptFiles(WithFolder):
    """Nothing that is read or of another kind is overwritten."""

    def setUp(self):
        super().setUp()
        self.netlist = self.folder / "n.yaml"
        self.netlist.write_text((EXAMPLES / "eltwise_chain.yaml").read_text())

    def kept(self, file, *arguments, word="is an input of this command"):
        """The command is refused and changes nothing; with --force it goes through."""
        before = file.read_bytes()
        names = sorted(self.folder.iterdir())
        with self.subTest(arguments):
            done = ttsim(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(file.read_bytes(), before)
            self.assertEqual(sorted(self.folder.iterdir()), names)
            done = ttsim(*arguments, "--force")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotEqual(file.read_bytes(), before)
            file.write_bytes(before)

    def test_no_input_is_overwritten_under_any_name(self):
        n = self.netlist
        link, hard = self.folder / "link.json", self.folder / "hard.json"
        link.symlink_to("n.yaml")
        for name in [n, self.folder / "." / "n.yaml", str(self.folder) + "//n.yaml", link]:
            self.kept(n, "run", n, "--mode", "timing", "--json", name)
        hard.hardlink_to(n)
        self.kept(hard, "run", n, "--mode", "timing", "--json", hard)
        self.kept(n, "run", n, "--mode", "timing", "--trace", n)

    def test_inputs_behind_other_flags_are_known(self):
        rows = self.folder / "rows.csv"
        rows.write_text(Rows.DRAM + "wormhole_b0,1,1,randomly,read,Static,0,20\n")
        self.kept(rows, "dram", "bench", "--csv", rows, "--out", rows)
        traffic = self.folder / "t.json"
        traffic.write_text((ROOT / "tests/lit/noc/inputs/trace.json").read_text())
        self.kept(traffic, "noc", "replay", traffic, "--json", traffic)
        trace = self.folder / "t.ttperf"
        self.assertEqual(ttsim("run", self.netlist, "--mode", "timing", "--trace", trace).returncode, 0)
        self.kept(trace, "export", "--perfetto", trace, "-o", trace)

    def test_files_of_another_kind_stay(self):
        notes = self.folder / "notes.txt"
        notes.write_text("mine, not yours\n")
        for arguments in [["run", self.netlist, "--mode", "timing", "--json"],
                          ["run", self.netlist, "--mode", "timing", "--trace"],
                          ["noc", "replay", ROOT / "tests/lit/noc/inputs/trace.json", "--json"]]:
            self.kept(notes, *arguments, notes, word="exists and is not")

    def test_results_replace_their_own_kind(self):
        report, trace = self.folder / "r.json", self.folder / "t.ttperf"
        for _ in range(2):
            done = ttsim("run", self.netlist, "--json", report, "--trace", trace, "--dump-io", self.folder / "io")
            self.assertEqual(done.returncode, 0, done.stderr)
        for _ in range(2):
            done = ttsim("export", "--perfetto", trace, "-o", self.folder / "p.json")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])

    def test_two_results_need_two_files(self):
        done = ttsim("run", self.netlist, "--json", self.folder / "a", "--trace", f"{self.folder}/./a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is also the value of --json", done.stderr)

    def test_folders_are_replaced_only_by_their_kind(self):
        io = self.folder / "io"
        io.mkdir()
        (io / "notes.txt").write_text("mine")
        done = ttsim("run", self.netlist, "--dump-io", io, "--force")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the folder holds something else than a dump of inputs and outputs", done.stderr)
        self.assertEqual((io / "notes.txt").read_text(), "mine")
        (io / "notes.txt").unlink()
        self.assertEqual(ttsim("run", self.netlist, "--dump-io", io).returncode, 0)
        self.kept(io / "manifest.json", "run", self.netlist, "--inputs", io, "--json", io / "manifest.json")
        done = ttsim("run", self.netlist, "--inputs", io, "--dump-io", io)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds inputs of this command", done.stderr)
        (io / "notes.txt").write_text("mine")
        self.assertIn("'notes.txt' is not one of its parts", ttsim("run", self.netlist, "--dump-io", io).stderr)
        self.assertEqual(ttsim("run", self.netlist, "--dump-io", io, "--force").returncode, 0)
        self.assertFalse((io / "notes.txt").exists())

    def test_a_compiled_folder_keeps_the_model_that_lies_in_it(self):
        out = self.folder / "out"
        model = self.folder / "m.tg"
        model.write_text('%x = input : f32[32, 32]\n%y = exp %x\noutput "y" = %y\n')
        for _ in range(2):
            self.assertEqual(ttsim("compile", model, "-o", out).returncode, 0)
        inside = out / "m.tg"
        inside.write_text(model.read_text())
        done = ttsim("compile", inside, "-o", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds inputs of this command", done.stderr)
        self.assertTrue(inside.exists())
        self.assertEqual(ttsim("run", out, "--mode", "functional", "--json", out / "host_steps.json").returncode, 2)

    def test_standard_output_devices_and_pipes_are_written_directly(self):
        run = ["run", self.netlist, "--mode", "timing", "--json"]
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]:
            self.assertEqual(json.loads(ttsim(*run, name).stdout)["mode"], "timing", name)
            file = self.folder / "out.txt"
            with file.open("w", encoding="utf-8") as out:
                subprocess.run([TTSIM, *map(str, run), name], stdout=out, check=True, timeout=120)
            self.assertEqual(json.loads(file.read_text())["mode"], "timing", name)
        self.assertEqual(ttsim(*run, "/dev/null").returncode, 0)
        done = subprocess.run(["bash", "-c", f'"{TTSIM}" run "{self.netlist}" --mode timing --json >(cat >&2) >/dev/null; wait'],
                              capture_output=True, text=True, timeout=120, check=True)
        self.assertEqual(json.loads(done.stderr)["mode"], "timing")
        trace = self.folder / "t.ttperf"
        self.assertEqual(ttsim("run", self.netlist, "--mode", "timing", "--trace", trace).returncode, 0)
        self.assertEqual(ttsim("export", "--perfetto", trace, "-o", "/dev/null").returncode, 0)
        json.loads(ttsim("export", "--perfetto", trace, "-o", "/dev/stdout").stdout)


class NoFiles(WithFolder):
    """Folders, devices and pipes where files are wanted: refused at once, none of them ever ends or begins."""

    def test_they_are_refused_with_their_name(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        netlist = EXAMPLES / "eltwise_chain.yaml"
        (self.folder / "io").mkdir()
        os.mkfifo(self.folder / "io/manifest.json")
        for name, word in [("/dev/zero", "is a device or a pipe"), (pipe, "is a device or a pipe"),
                           (self.folder, "is a ")]:
            for arguments in [["check", name], ["check", netlist, "--device", name], ["check", netlist, "--cluster", name],
                              ["noc", "replay", name], ["noc", "replay", "x.json", "--constants", name],
                              ["kernel", "--arch", "grayskull", "--csv", name, "--report"],
                              ["kernel", "--arch", "grayskull", "--op", "exp", "--timing", name],
                              ["dram", "bench", "--csv", name, "--report"], ["eth", "bench", "--csv", name, "--report"],
                              ["noc", "bench", "--csv", name, "--report"], ["export", "--perfetto", name, "-o", "-"]]:
                with self.subTest(arguments):
                    done = ttsim(*arguments)
                    self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                    self.assertTrue(done.stderr.strip())
                    if name != self.folder:
                        self.assertIn(word, done.stderr)
        self.assertIn("is a device or a pipe", ttsim("run", netlist, "--inputs", self.folder / "io").stderr)


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
