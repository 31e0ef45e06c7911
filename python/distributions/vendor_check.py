"""Whether packages of the vendor are installed that a distribution of this folder would overwrite."""
from __future__ import annotations

import importlib.metadata
from collections.abc import Collection, Sequence


def refusal(folders: Sequence[str], names: Collection[str], own: str) -> str:
    """What of `names`, top-level packages, is installed in these folders by another distribution than `own`, with a remedy;
    "": nothing."""
    for found in importlib.metadata.distributions(path=list(folders)):
        name = found.metadata["Name"] or ""
        if name == own:
            continue
        if name in names or any(file.parts and file.parts[0] in names for file in found.files or ()):
            return (f"the distribution '{name}' is installed, whose packages this one would overwrite. Install into another "
                    "environment, or run scripts with 'ttsim python SCRIPT', which needs no installing")
    return ""
