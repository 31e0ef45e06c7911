"""Several devices under one name: never more than a name."""
from __future__ import annotations

from typing import Any


class TTCluster:
    """A name of the original, which it does not use."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("TTCluster never ran; make a TTDevice with num_chips= or chip_ids=")
