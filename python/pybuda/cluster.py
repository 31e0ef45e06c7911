"""TTCluster, which exists in name only."""
from __future__ import annotations

from typing import Any


class TTCluster:
    """A name of the vendor's PyBuda, which never used it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("TTCluster never ran; make a TTDevice with num_chips= or chip_ids=")
