"""Lines of the user that ops of a captured module stand at.

For each node torch looks up and formats its whole stack, which is a sixth of a capture. What is said of a node is one line
of it; here only that is looked up."""
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
_WHERE = "CapturedTraceback"  # what torch.fx takes stacks by


@contextlib.contextmanager
def innermost_lines(entry: CodeType) -> Iterator[None]:
    """Nodes that are made in here have as their stack one line: of those called by `entry` the innermost of the user,
    else of torch.nn. Where torch takes stacks in another way, it keeps whole ones."""
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
            # torch keeps what stands in a function of this name
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
