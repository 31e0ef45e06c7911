"""Builds the distribution, unless packages of the vendor with these names are installed."""
import pathlib
import re
import site
import sys

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parents[1]
PACKAGES = {"ttnn": "ttnn", "ttnn.operations": "ttnn/operations", "tt_lib": "tt_lib", "tt_lib.tensor": "tt_lib/tensor",
            "libs": "libs"}

sys.path.insert(0, str(HERE))
from vendor_check import refusal  # noqa: E402

if problem := refusal(site.getsitepackages()):
    sys.exit(f"error: {problem}")
version = re.search(r"project\(ttsim VERSION ([0-9.]+)", (PYTHON.parent / "CMakeLists.txt").read_text()).group(1)
setup(version=version, packages=list(PACKAGES), package_data={"": ["*.pyi", "py.typed"]}, package_dir={name: f"../../{path}" for name, path in PACKAGES.items()})
