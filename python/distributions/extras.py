"""The extras of ttsim's wheel, from [tool.scikit-build.metadata.optional-dependencies] of pyproject.toml. A distribution of
this folder, such as ttsim-pybuda, is taken from these sources by its path, so that `pip install '.[pybuda]'` finds it.
With TTSIM_RELEASE=1 (scripts/release) it is taken by its name, from where the wheel is."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent


def own_folder(requirement: str) -> str:
    """The requirement, with a path if it names a distribution of this folder."""
    folder = HERE / requirement.removeprefix("ttsim-")
    named = requirement.startswith("ttsim-") and (folder / "setup.py").is_file() and os.environ.get("TTSIM_RELEASE") != "1"
    return f"{requirement} @ {folder.as_uri()}" if named else requirement


def dynamic_metadata(field: str, settings: Mapping[str, Any], *given: Any) -> dict[str, list[str]]:
    """The extras by name."""
    if field != "optional-dependencies":
        raise RuntimeError(f"there are extras for 'optional-dependencies', not for '{field}'")
    return {name: [own_folder(one) for one in needed] for name, needed in settings["extras"].items()}


def dynamic_metadata_needs(field: str, settings: Mapping[str, Any]) -> list[str]:
    """Settings that are read: none but the own."""
    return []
