"""Whether packages of the vendor are installed that this distribution would overwrite."""
from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence

NAMES = ("ttnn", "tt_lib", "libs")
OURS = "ttsim-ttnn"


def refusal(folders: Sequence[str]) -> str:
    """What is installed in these folders by another distribution, with a remedy; "": nothing."""
    for found in importlib.metadata.distributions(path=list(folders)):
        if found.metadata["Name"] == OURS:
            continue
        if found.metadata["Name"] in NAMES:
            return _text(found.metadata["Name"])
        for file in found.files or ():
            if file.parts and file.parts[0] in NAMES:
                return _text(found.metadata["Name"])
    return ""


def _text(name: str) -> str:
    return (f"the distribution '{name}' is installed, whose packages this one would overwrite. Install into another "
            "environment, or run scripts with 'ttsim python SCRIPT', which needs no installing")

