"""Folders for the output of tests."""
from __future__ import annotations

import os


def get_netlist_dir() -> str:
    """Folder of netlists: backend_output_dir of the configuration."""
    return os.environ.get("PYBUDA_CI_DIR", "")


def capture_tensors() -> bool:
    """False: tensors of tests are not captured."""
    return os.environ.get("PYBUDA_CI_CAPTURE_TENSORS", "0") not in ("", "0")


def initialize_output_build_directory(path: str) -> None:
    """Creates the folder."""
    os.makedirs(path, exist_ok=True)
