"""Errors of sweeps, which name the place in the specification and a remedy."""
from __future__ import annotations

import difflib
from collections.abc import Iterable


class SweepError(Exception):
    """A specification, store or engine that cannot be used. The command prints it and exits with 2."""


def nearest(word: str, known: Iterable[str]) -> str:
    """"; did you mean 'X'?" for the nearest known word, else ""."""
    found = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{found[0]}'?" if found else ""


def unknown(kind: str, word: str, known: Iterable[str]) -> SweepError:
    """"there is no KIND 'WORD'; did you mean ...?", with all known words if there are few."""
    names = list(known)
    hint = nearest(word, names) or (f"; it has {', '.join(sorted(names))}" if 0 < len(names) <= 16 else "")
    return SweepError(f"there is no {kind} '{word}'{hint}")
