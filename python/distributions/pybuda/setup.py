"""Builds the distribution, unless packages of the vendor with these names are installed."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from packages import build  # noqa: E402

build("ttsim-pybuda", ["pybuda"])
