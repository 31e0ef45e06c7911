"""Where tests keep what they write."""
from __future__ import annotations

import os


def get_netlist_dir() -> str:
    """Folder of netlists; the configuration's backend_output_dir."""
    return os.environ.get("PYBUDA_CI_DIR", "")


def capture_tensors() -> bool:
    """False: tensors of tests are not captured."""
    return os.environ.get("PYBUDA_CI_CAPTURE_TENSORS", "0") not in ("", "0")


def initialize_output_build_directory(path: str) -> None:
    """Makes the folder."""
    os.makedirs(path, exist_ok=True)
