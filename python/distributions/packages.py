"""What the setup.py of each distribution of this folder does: packages of python/ with the vendor's names."""
from __future__ import annotations

import pathlib
import re
import site
import sys

from setuptools import setup
from vendor_check import refusal

PYTHON = pathlib.Path(__file__).resolve().parents[1]


def build(name: str, packages: list[str]) -> None:
    """Builds the distribution `name` with these top-level packages of python/. Exits with an error where other
    distributions with them are installed."""
    if problem := refusal(site.getsitepackages(), packages, name):
        sys.exit(f"error: {problem}")
    version = re.search(r"project\(ttsim VERSION ([0-9.]+)", (PYTHON.parent / "CMakeLists.txt").read_text())
    assert version is not None
    folders = sorted({file.parent.relative_to(PYTHON) for package in packages for file in (PYTHON / package).rglob("*.py")})
    setup(name=name, version=version.group(1), packages=[".".join(one.parts) for one in folders],
          package_dir={".".join(one.parts): f"../../{one.as_posix()}" for one in folders},
          package_data={"": ["*.pyi", "py.typed", "*.in"]})
