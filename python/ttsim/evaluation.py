"""Modules of torch in evaluation mode for a while."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """No dropout, running statistics; afterwards every part is in the mode it was in."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training
