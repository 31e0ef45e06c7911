"""Where tests keep what they write."""
from __future__ import annotations

import os


def get_netlist_dir() -> str:
    return os.environ.get("PYBUDA_CI_DIR", "")


def capture_tensors() -> bool:
    return os.environ.get("PYBUDA_CI_CAPTURE_TENSORS", "0") not in ("", "0")


def initialize_output_build_directory(path: str) -> None:
    os.makedirs(path, exist_ok=True)
