"""Source lines of ops in a captured module.

For each node torch looks up and formats the full stack, which takes a sixth of a capture. Only one line of it is
needed, so only that line is looked up here."""
from __future__ import annotations

import contextlib
import pathlib
import sys
import traceback
from collections.abc import Iterator
from types import CodeType, FrameType

import torch
import torch.fx.proxy

_OURS = str(pathlib.Path(__file__).parent)
_TORCH = str(pathlib.Path(torch.__file__).parent)
_MODULES = str(pathlib.Path(torch.__file__).parent / "nn")
_WHERE = "CapturedTraceback"  # the class with which torch.fx records stacks


@contextlib.contextmanager
def innermost_lines(entry: CodeType) -> Iterator[None]:
    """Nodes created in this context have one line as their stack: the innermost user code called by `entry`, else of
    torch.nn. If torch records stacks in another way, full stacks are kept."""
    real = getattr(torch.fx.proxy, _WHERE, None)
    if real is None:
        yield
        return

    class Innermost:
        @staticmethod
        def extract(**_: object) -> Innermost:
            return Innermost()

        def summary(self) -> traceback.StackSummary:
            found = _innermost(sys._getframe(1), entry)
            # torch keeps frames of functions with this name
            lines = [traceback.FrameSummary(found[0], found[1], "forward")] if found else []
            return traceback.StackSummary.from_list(lines)

    setattr(torch.fx.proxy, _WHERE, Innermost)
    try:
        yield
    finally:
        setattr(torch.fx.proxy, _WHERE, real)


def _innermost(frame: FrameType | None, entry: CodeType) -> tuple[str, int] | None:
    user = module = None
    while frame is not None and frame.f_code is not entry:
        file = frame.f_code.co_filename
        if user is None and not file.startswith((_TORCH, _OURS)):
            user = (file, frame.f_lineno)
        if module is None and file.startswith(_MODULES):
            module = (file, frame.f_lineno)
        frame = frame.f_back
    return None if frame is None else user or module
