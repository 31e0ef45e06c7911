#!/usr/bin/env python3
"""Installs ttsim into a folder of its own, builds the programs that docs/embedding.md shows against that installation,
and runs them; looks at what else was installed.   test_embed.py ROOT BUILD"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SHOWN = re.compile(r"<!-- replay: no, tests/api/embed builds it: (\S+) -->\n```\w+\n(.*?)```", re.S)


def run(*command, exit=0, **how):
    environment = {k: v for k, v in os.environ.items() if k != "TTSIM_CONFIG_DIR"} | how.pop("env", {})
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, check=False, **how)
    if done.returncode != exit:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="ttsim_embed_"))
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.prefix = cls.work / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.examples = cls.prefix / "share/ttsim/examples"
        cls.program = cls.work / "program"
        cls.program.mkdir()
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        cls.shown = dict(SHOWN.findall(page))
        for name, text in cls.shown.items():
            (cls.program / name).write_text(text, encoding="utf-8")
        run("cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={cls.prefix}", cwd=cls.program)
        run("cmake", "--build", "build", cwd=cls.program)

    def embedded(self, name, *arguments, exit=0):
        return run(self.program / "build" / name, *arguments, exit=exit, cwd=self.work)

    def tool(self, name, *arguments, **how):
        return run(self.prefix / "bin" / name, *arguments, cwd=self.work, **how)

    def test_the_page_shows_the_examples(self):
        self.assertEqual(len(self.shown), 10)
        for name, text in self.shown.items():
            self.assertEqual(text, (self.examples / "embed" / name).read_text(encoding="utf-8"), name)

    def test_ops_run_one_by_one(self):
        lines = self.embedded("device").splitlines()
        self.assertEqual(lines[0], "8")
        self.assertRegex(lines[1], "^3 launches of [1-9][0-9]* cycles on wormhole_b0$")
        self.assertEqual(lines[2], "12288 bytes in use")
        self.assertRegex(lines[3], "buffer [0-9]+ of the device was deallocated")

    def test_a_file_runs_with_the_cycles_of_the_tool(self):
        netlist = self.examples / "own_chip/netlist.yaml"
        ours = self.embedded("run_file", netlist)
        self.assertIn("y: correlation 0.99", ours)
        cycles = re.search(r"(\d+) cycles on grayskull", ours).group(1)
        self.assertIn(f"total: {int(cycles):,} cycles", self.tool("ttsim", "run", netlist))
        self.assertIn("none.yaml", self.embedded("run_file", "none.yaml", exit=2))

    def test_a_session_computes(self):
        lines = self.embedded("session", self.examples / "own_chip/netlist.yaml").splitlines()
        for entry, line in enumerate(lines[:4]):  # gelu(1.5 + entry)
            self.assertAlmostEqual(float(line), [1.4, 2.48, 3.5, 4.5][entry], delta=0.03)
        self.assertRegex(lines[4], r"^\d{4,} cycles on wormhole_b0$")

    def test_every_engine_takes_the_same_calls(self):
        lines = self.embedded("engines", self.examples / "own_chip/netlist.yaml").splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], ["full", "timing", "functional", "golden"])
        at = [re.fullmatch(r"\w+: no entry ready yet, 4 entries ready at cycle (\d+)(?:, the first is (.*))?", line)
              for line in lines]
        self.assertTrue(all(at), lines)
        self.assertEqual(at[0].group(1), at[1].group(1))
        self.assertEqual([found.group(1) for found in at[2:]], ["0", "0"])
        for n in (0, 2, 3):  # gelu(2)
            self.assertAlmostEqual(float(at[n].group(2)), 1.954, delta=0.02)
        self.assertIn("timing mode", self.tool("ttperf", self.work / "session.ttperf"))

    def test_a_graph_made_node_by_node(self):
        lines = self.embedded("graph").splitlines()
        self.assertEqual(lines[:2], ["16", "32"])
        self.assertIn("matmul", lines[2])

    def test_a_model_from_a_file(self):
        out = self.work / "compiled"
        lines = self.embedded("model", self.examples / "own_chip/model.tg", out).splitlines()
        self.assertRegex(lines[0], r"^\d+ ops on grayskull$")
        outputs = [line for line in lines if " values, the first is " in line]
        self.assertEqual(len(outputs), 3)
        self.assertEqual(len(set(outputs)), 1)
        self.assertTrue(any(line.startswith("total: ") for line in lines), lines)
        self.assertIn("against the model in float32: pcc 0.99", self.tool("ttsim", "run", out))

    def test_an_image(self):
        image = self.work / "model.tti"
        self.tool("ttsim", "compile", self.examples / "own_chip/model.tg", "--device", "gs_e150", "-o", image)
        lines = self.embedded("image", image).splitlines()
        self.assertIn("input x of", lines[0])
        outputs = [line for line in lines if " values, the first is " in line]
        self.assertEqual(len(outputs), 2)
        self.assertEqual(len(set(outputs)), 1)
        broken = self.work / "broken.tti"
        broken.write_bytes(image.read_bytes()[:2000])
        self.assertIn("broken.tti", self.embedded("image", broken, exit=2))

    def embedded_program(self, folder, source):
        """Builds `source`, the text of a program, as examples/embedded does."""
        place = self.work / folder
        shutil.copytree(self.examples / "embedded", place)
        (place / "run_image.cpp").write_text(source, encoding="utf-8")
        run("cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", cwd=place)
        run("cmake", "--build", "build", cwd=place)
        return place / "build/run_image"

    def test_the_embedded_runtime(self):
        image = self.work / "embedded.tti"
        self.tool("ttsim", "compile", self.examples / "own_chip/model.tg", "--device", "gs_e150", "-o", image)
        program = self.embedded_program(
            "embedded", (self.examples / "embedded/run_image.cpp").read_text(encoding="utf-8"))
        lines = run(program, image, 2, cwd=self.work).splitlines()
        self.assertRegex(lines[0], r"^input x: \d+ bytes of Float16_b$")
        self.assertRegex(lines[1], r"^output out_y: \[1, 1, 128, 64\] of Float16_b, the first is 1\.6[45]\d*$")  # exp(0.5)
        self.assertEqual(lines[:2], lines[2:4])
        self.assertRegex(lines[4], r"^\d{4,} cycles on Grayskull$")
        self.assertTrue(list((self.work / "run_image.out/unzipped_tti/backend_build_binaries/l1_profile").iterdir()))
        self.assertIn("usage: run_image IMAGE", run(program, exit=2))
        self.assertIn("none.tti", run(program, "none.tti", exit=1, cwd=self.work))

    def test_the_program_of_the_original_s_guide(self):
        guide = ROOT / "../shared/guides/user_guide.txt"
        if not (ROOT / "../shared").exists():
            self.skipTest("the guide is not part of the project")
        listings = re.findall(r"\.\. code-block:: cpp\n\n((?:  .*\n|\n)+)", guide.read_text(encoding="utf-8"))
        source = "\n".join(line[2:] for line in next(t for t in listings if "tt_device_image" in t).split("\n"))
        image = self.work / "guide.tti"
        self.tool("ttsim", "compile", self.examples / "own_chip/model.tg", "--device", "wh_n150", "-o", image)
        lines = run(self.embedded_program("guide", source), image, 2, cwd=self.work).splitlines()
        self.assertEqual([line.split(" data ptr: 0x")[0] for line in lines],
                         ["Pushed Input tensor x", "Got Output tensor out_y"] * 2)

    def test_a_layer_is_trained(self):
        lines = self.embedded("training").splitlines()
        losses = [float(re.fullmatch(r"step \d+: loss (.*)", line).group(1)) for line in lines[:4]]
        self.assertEqual(losses[0], 4 * 8 * 8)
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertAlmostEqual(float(lines[4].split()[-1]), 1, delta=0.1)

    def test_a_chip_of_ones_own(self):
        text = self.embedded("own_chip", self.examples / "own_chip/netlist.yaml", self.examples / "own_chip")
        self.assertIn("wh_n150: 9x8 cores", text)
        self.assertIn("tiny: 4x5 cores", text)
        self.assertRegex(text, r"\d+ cycles at tiny")
        self.assertIn("mine.yaml:2:", text)

    def test_the_library_shows_its_namespace_only(self):
        library = next(self.prefix.glob("lib/**/libttsim.so"))
        names = [line.split(" ", 2)[2] for line in
                 run("nm", "-D", "--defined-only", "--without-symbol-versions", library).splitlines()]
        self.assertIn("_ZN5ttsim7SessionD1Ev", names)
        foreign = [n for n in names if not re.match(r"_ZT[ISV]?N5ttsim|_ZNK?5ttsim|TTSIM_0$|sc_main$", n)]
        self.assertEqual(foreign, [])

    def test_the_embedded_runtime_shows_its_interface_only(self):
        library = next(self.prefix.glob("lib/**/libtt_backend.so"))
        names = [line.split(" ", 2)[2] for line in
                 run("nm", "-D", "--defined-only", "--without-symbol-versions", library).splitlines()]
        self.assertIn("_ZN10tt_backend10initializeEv", names)
        wanted = (r"_ZNK?10tt_backend|_ZNK?2tt15tt_device_image|_ZN2tt7backend|_ZN2tt2io5utils|_ZN2ttlsERSo"
                  r"|_ZN2tt\d+get_(arch|device|device_mode|format|string|string_lowercase)(_from_string)?(B5cxx11)?E"
                  r"|TT_BACKEND_0$|sc_main$")
        self.assertEqual([n for n in names if not re.match(wanted, n) or "tt_backend4Impl" in n], [])

    def test_the_configuration_is_that_of_the_installation(self):
        moved = self.work / "moved"
        shutil.copytree(self.prefix, moved, symlinks=True)
        (moved / "share/ttsim/configs/products.yaml").write_text("only_here: nonsense\n", encoding="utf-8")
        self.assertIn("moved/share/ttsim/configs/products.yaml:1:", run(moved / "bin/ttsim", "devices", exit=2))
        link = self.work / "linked_ttsim"
        link.symlink_to(moved / "bin/ttsim")
        self.assertIn("moved/share/ttsim/configs/products.yaml:1:", run(link, "devices", exit=2))

    def test_man_pages_and_completion(self):
        pages = self.prefix / "share/man/man1"
        for name in ("ttsim", "ttsim-run", "ttsim-noc-bench", "ttperf", "ttsim-opt"):
            self.assertTrue((pages / f"{name}.1").is_file(), name)
        page = (pages / "ttsim-run.1").read_text(encoding="utf-8")
        self.assertIn(".TH \"ttsim\\-run\" 1", page)
        self.assertIn("\\fB\\-\\-device\\fR \\fINAME|FILE\\fR", page)
        self.assertNotIn("make\\-manual", page)
        for words, wanted in ((["ttsim", "comp"], "compile"), (["ttsim", "run", "--mo"], "--mode"),
                              (["ttsim", "compile", "--policy", "min"], "minimize_grid"),
                              (["ttsim", "compile", "--skip-passes", "fuse-ge"], "fuse-gelu"),
                              (["ttsim-opt", "--passes", "lower-to"], "lower-to-buda"),
                              (["ttsim-opt", "--pipeline", "tr"], "training"),
                              (["ttsim", "noc", "re"], "replay"), (["ttsim", "run", "--color", "al"], "always")):
            self.assertEqual(self.completed(words), wanted, words)
        self.assertEqual(self.completed(["ttsim", "run", "enc"]), "")  # files, by bash itself
        self.assertEqual(self.completed(["ttsim", "run", "--device", "wh_n15"]), "wh_n150")
        fish = (self.prefix / "share/fish/vendor_completions.d/ttsim.fish").read_text(encoding="utf-8")
        self.assertRegex(fish, r"complete -c ttsim -n '__fish_seen_subcommand_from run' -l mode .*-a 'full timing functional'")
        zsh = (self.prefix / "share/zsh/vendor-completions/_ttsim").read_text(encoding="utf-8")
        self.assertTrue(zsh.startswith("#compdef ttsim\n"))
        self.assertIn("'ttsim run --mode') choices=\"full timing functional\"", zsh)

    def completed(self, words):
        script = self.prefix / "share/bash-completion/completions" / words[0]
        line = " ".join(f"'{w}'" for w in words)
        return run("bash", "-c", f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
                   f"_{words[0].replace('-', '_')}; echo \"${{COMPREPLY[*]}}\"").strip()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
