"""Measures of a point: figures of the JSON reports of `ttsim run` and `ttsim compile`."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jmespath

from .errors import SweepError, unknown

# name: (report, JMESPath expression, whether less is better)
KNOWN: dict[str, tuple[str, str, bool]] = {
    "cycles": ("run", "cycles", True),
    "inputs_per_second": ("run", "inputs_per_second", False),
    "end_to_end_per_second": ("run", "end_to_end_per_second", False),
    "latency_cycles": ("run", "latency_cycles", True),
    "load_cycles": ("run", "load_cycles", True),
    "clock_mhz": ("run", "clock_mhz", False),
    "busiest_op_share": ("run", "max(graphs[].ops[].busy_share)", False),
    "math_utilization": ("run", "math_utilization", False),
    "l1_bytes": ("run", "memory.l1_bytes", True),
    "l1_share": ("run", "memory.l1_share", True),
    "dram_bytes": ("run", "memory.dram_bytes", True),
    "dram_share": ("run", "memory.dram_share", True),
    "dram_busy_share": ("run", "memory.dram_busy_share", True),
    "pcc": ("run", "min(outputs[].pcc)", False),
    "host_seconds": ("run", "model.host_seconds", True),
    "seconds": ("process", "run.seconds", True),
    "cpu_seconds": ("process", "run.cpu_seconds", True),
    "peak_bytes": ("process", "run.peak_bytes", True),
    "compile_seconds": ("process", "compile.seconds", True),
    "compile_peak_bytes": ("process", "compile.peak_bytes", True),
    "estimated_cycles": ("compile", "estimated_cycles", True),
    "ops": ("compile", "ops", True),
    "epochs": ("compile", "epochs", True),
}
_DEFAULT = ("cycles", "inputs_per_second", "end_to_end_per_second", "latency_cycles", "pcc", "seconds")
# without end_to_end_per_second, which has the time that the host's steps really took
_DEFAULT_COMPILED = ("cycles", "inputs_per_second", "latency_cycles", "pcc", "seconds", "compile_seconds", "estimated_cycles")


@dataclass(frozen=True)
class Measure:
    """`report`: run, compile, or process (of the operating system). `path`: a JMESPath expression in it."""
    name: str
    report: str
    path: str
    less_is_better: bool = True

    def value(self, reports: Mapping[str, Any]) -> Any:
        """The figure; None if the report has none, such as a rate of a run that is too short."""
        report = reports.get(self.report)
        try:
            return None if report is None else jmespath.search(self.path, report)
        except jmespath.exceptions.JMESPathError:  # such as the maximum of no numbers
            return None


def _known(name: str) -> Measure:
    if name not in KNOWN:
        raise unknown("measure", name, KNOWN)
    report, path, less = KNOWN[name]
    return Measure(name, report, path, less)


def _own(given: Mapping[str, Any]) -> Measure:
    keys = {"name", "path", "report", "better"}
    for key in given:
        if key not in keys:
            raise SweepError(f"measures: {unknown('key', str(key), keys)}")
    name, path = given.get("name"), given.get("path")
    if not isinstance(name, str) or not isinstance(path, str):
        raise SweepError("a measure is a name, or {name:, path:, report: run or compile, better: less or more}")
    report, better = given.get("report", "run"), given.get("better", "less")
    if report not in ("run", "compile") or better not in ("less", "more"):
        raise SweepError(f"measure '{name}': report is run or compile, and better is less or more")
    try:
        jmespath.compile(path)
    except jmespath.exceptions.JMESPathError as error:
        raise SweepError(f"measure '{name}': '{path}' is not a JMESPath expression: {str(error).splitlines()[0]}") from None
    return Measure(name, report, path, better == "less")


def read_measures(given: Any, compiled: bool) -> tuple[Measure, ...]:
    """Measures from names of KNOWN and maps; None: the default ones. SweepError for anything else."""
    if given is None:
        return tuple(_known(name) for name in (_DEFAULT_COMPILED if compiled else _DEFAULT))
    if not isinstance(given, list) or not given:
        raise SweepError("measures is a list of names and of maps {name:, path:}")
    found = [_own(one) if isinstance(one, dict) else _known(str(one)) for one in given]
    for at, measure in enumerate(found):
        if any(other.name == measure.name for other in found[:at]):
            raise SweepError(f"measure '{measure.name}' is there twice")
        if not compiled and (measure.report == "compile" or measure.path.startswith("compile.")):
            raise SweepError(f"measure '{measure.name}' is of a compilation, and the sweep has no model")
    return tuple(found)
