"""Builds the distribution, unless packages with these names of another one are installed."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from packages import build  # noqa: E402

build("ttsim-torch-ttnn", ["torch_ttnn", "torch_stat"])
