"""Reports which ops of a device's modules run on the host, after compilation and in the report of a run."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from typing import Any

log = logging.getLogger("pybuda")
_MOVES = ("reshape", "transpose", "cast", "gather_rows")  # host steps that only pass tensors on


def host_ops(stage: Any) -> list[str]:
    """Ops of the modules that run on the host, as `name (type)`, without data movement at the ends."""
    found: list[str] = list(stage.host_ops)
    for step in stage.compiled.host_steps:
        named = f"{step.origin} ({step.op})"
        if step.op not in _MOVES and named not in found:
            found.append(named)
    return found


def warn_of_host_ops(device: Any, stages: Sequence[Any]) -> None:
    """Gives one warning for each compiled device; the importer has already named ops that run in torch."""
    for stage in stages:
        if not hasattr(stage, "compiled"):
            continue
        ops = [op for op in host_ops(stage) if op not in stage.host_ops]
        for line in stage.compiled.report().host_steps:
            log.info("device '%s': on the host: %s", device.name, line)
        if ops:
            shown = ", ".join(ops[:10]) + (f" and {len(ops) - 10} more" if len(ops) > 10 else "")
            runs = "1 op runs" if len(ops) == 1 else f"{len(ops)} ops run"
            warnings.warn(f"device '{device.name}': {runs} on the host, because the device cannot compute them exactly: {shown}; "
                          "get_report() has the time", stacklevel=4)
