"""Temporary evaluation mode of torch modules."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """Evaluation mode: no dropout, running statistics. Afterwards every submodule has its earlier mode. The module of an
    exported program has a mode that cannot change."""
    modes = [(part, part.training) for part in module.modules()]
    with contextlib.suppress(NotImplementedError):
        module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
