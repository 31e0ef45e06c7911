"""scripts/check_locks.py and scripts/check-licences: they pass on the tree, and fail on a copy with one part taken away."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SupplyChain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "scripts", self.copy / "scripts")
        (self.copy / "web").mkdir()
        for file in ("THIRD_PARTY.md", "web/package-lock.json"):
            shutil.copy(ROOT / file, self.copy / file)

    def edit(self, file, pattern, replacement):
        path = self.copy / file
        text, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.S)
        self.assertEqual(count, 1, f"{file} has no {pattern}")
        path.write_text(text)

    def check(self, script, root=None):
        done = subprocess.run([sys.executable, f"{root or self.copy}/scripts/{script}"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def refused(self, script, message):
        code, printed = self.check(script)
        self.assertEqual(code, 1, printed)
        self.assertIn(message, printed)

    def test_the_tree(self):
        for script in ("check_locks.py", "check-licences"):
            code, printed = self.check(script, ROOT)
            self.assertEqual(code, 0, printed)

    def test_python_without_a_hash(self):
        self.edit("scripts/requirements-python.txt", r"\nnumpy(==\S+)[^\n]*\n(    --hash[^\n]*\n)+", r"\nnumpy\1\n")
        self.refused("check_locks.py", "numpy has no hash")

    def test_python_without_a_version(self):
        self.edit("scripts/requirements-torch.txt", r"torch==\S+", "torch")
        self.refused("check_locks.py", "has no exact version")

    def test_a_new_python_name(self):
        self.edit("scripts/requirements-python.in", r"$", "\nscipy\n")
        self.refused("check_locks.py", "scipy of requirements-python.in is missing")

    def test_npm_without_a_hash(self):
        self.edit("web/package-lock.json", r'\n\s*"integrity": "[^"]*",', "")
        self.refused("check_locks.py", "has no integrity hash")

    def test_npm_without_a_platform(self):
        self.edit("web/package-lock.json", r'"node_modules/@esbuild/linux-arm64": \{.*?\n    \},', "")
        self.refused("check_locks.py", "@esbuild/linux-arm64, needed by node_modules/esbuild, is missing")

    def test_a_part_that_is_not_in_the_table(self):
        self.edit("THIRD_PARTY.md", r"\| elkjs[^\n]*\n", "")
        self.refused("check-licences", "elkjs: package-lock.json has licence EPL-2.0")

    def test_a_licence_that_is_not_allowed(self):
        self.edit("web/package-lock.json", "EPL-2.0", "GPL-3.0-only")
        self.edit("THIRD_PARTY.md", "EPL-2.0", "GPL-3.0-only")
        self.refused("check-licences", "elkjs: licence GPL-3.0-only is not one of")

    def test_licence_texts(self):
        # Boost's licence asks for none beside programs
        (self.copy / "THIRD_PARTY.md").write_text(
            "| a | deb coreutils | MIT | programs |\n| b | deb bash | BSL-1.0 | programs |\n| c | deb none-such | MIT | programs |\n")
        texts = self.copy / "texts"
        done = subprocess.run([sys.executable, self.copy / "scripts/third_party.py", texts], capture_output=True, text=True)
        self.assertEqual([file.name for file in texts.iterdir()], ["coreutils.txt"])
        self.assertIn("none-such is not installed", done.stderr)


if __name__ == "__main__":
    unittest.main()
