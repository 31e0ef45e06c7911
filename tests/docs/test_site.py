#!/usr/bin/env python3
"""The documentation site reads its search worker from a file of its own: a small site with the theme, plugins of the search
and hooks of the real one. Needs the environment of 'scripts/setup docs'."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MKDOCS = ROOT / "build/venv-docs/bin/mkdocs"
SETTINGS = """
site_name: small
use_directory_urls: false
theme: {name: material, font: false}
hooks: [scripts/docs_hooks.py]
plugins: [search, offline]
"""


@unittest.skipUnless(MKDOCS.exists(), "mkdocs is not installed: scripts/setup docs")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        docs = root / "docs"
        (docs / "below").mkdir(parents=True)
        (root / "scripts").mkdir()
        # the hooks take pages from the root above them
        (root / "scripts/docs_hooks.py").write_text((ROOT / "scripts/docs_hooks.py").read_text())
        for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"):
            (root / name).write_text("# A page\n")
        (docs / "offline_worker.js").write_text((ROOT / "docs/offline_worker.js").read_text())
        (docs / "index.md").write_text("# First\n\nTensix cores.\n")
        (docs / "below/page.md").write_text("# Below\n\nHarvested rows.\n")
        (root / "mkdocs.yml").write_text(SETTINGS)
        done = subprocess.run([MKDOCS, "build", "-q", "-d", root / "site"], cwd=root, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.site = root / "site"

    def test_scripts_are_files_of_the_site(self):
        for name in ("index.html", "below/page.html", "404.html"):
            page = self.site / name
            text = page.read_text()
            self.assertNotIn("iframe-worker", text, name)
            scripts = re.findall(r'<script[^>]* src="([^"]+)"', text)
            self.assertTrue(any(script.endswith("offline_worker.js") for script in scripts), name)
            for script in scripts:
                self.assertNotIn("//", script, name)
                # 404.html is shown at any depth, so its addresses start at the root of the site
                place = self.site / script.lstrip("/") if name == "404.html" else page.parent / script
                self.assertTrue(place.is_file(), f"{name}: {script}")

    def test_the_search_finds_a_word(self):
        chromium = shutil.which("chromium")
        if not chromium:
            self.skipTest("chromium is not installed: scripts/setup test")
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom",
                               f"file://{self.site}/index.html?q=harvested"], capture_output=True, text=True, timeout=60)
        found = re.findall(r'<a href="([^"]+)" class="md-search-result__link', done.stdout)
        self.assertEqual([pathlib.Path(link.partition("?")[0]).name for link in found], ["page.html"])


if __name__ == "__main__":
    unittest.main()
