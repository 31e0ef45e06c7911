"""Specifications of sweeps (docs/sweeps.md): what is run, what varies, what is measured."""
from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from .axes import Axis, read_axis
from .conditions import Condition
from .errors import SweepError, unknown
from .measures import Measure, read_measures
from .options import option_key

BASES = ("netlist", "model", "image", "template")
_KEYS = {*BASES, "device", "run", "compile", "chip", "fields", "axes", "zip", "where", "seeds", "measures", "limits",
         "objectives", "thresholds", "fidelity", "keep_invalid"}


@dataclass(frozen=True)
class Limits:
    """Of each command of a point. `seconds` of wall time; `memory_mb` of resident memory; 0: none."""
    seconds: float = 0
    memory_mb: int = 0


@dataclass(frozen=True)
class Sweep:
    """A specification. `base_kind` is one of BASES and `base` its absolute path, or the name of a template. `run`,
    `compile`, `chip` and `fields` are values that do not vary."""
    base_kind: str
    base: str
    device: str
    run: Mapping[str, Any]
    compile: Mapping[str, Any]
    chip: Mapping[str, Any]
    fields: Mapping[str, Any]
    axes: tuple[Axis, ...]
    zips: tuple[tuple[str, ...], ...]
    where: tuple[Condition, ...]
    measures: tuple[Measure, ...]
    limits: Limits
    objectives: tuple[str, ...]
    thresholds: Mapping[str, str]
    fidelity: str
    keep_invalid: bool
    folder: pathlib.Path = field(default_factory=pathlib.Path.cwd)

    @property
    def compiles(self) -> bool:
        return self.base_kind == "model"

    def points(self) -> Iterator[dict[str, Any]]:
        """Values of all axes for each point, the last axis varying fastest; zipped axes vary together."""
        groups: list[list[dict[str, Any]]] = []
        done: set[str] = set()
        for axis in self.axes:
            if axis.name in done:
                continue
            together = next((z for z in self.zips if axis.name in z), (axis.name,))
            done.update(together)
            columns = [next(a for a in self.axes if a.name == name).values for name in together]
            groups.append([dict(zip(together, row)) for row in zip(*columns)])
        for parts in itertools.product(*groups):
            point = {axis.name: value for axis in self.axes for part in parts for name, value in part.items()
                     if name == axis.name}
            if all(condition.holds(point) for condition in self.where):
                yield point

    def measure(self, name: str) -> Measure:
        """SweepError for a name that is not measured."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise unknown("measure of this sweep", name, [m.name for m in self.measures])


def _map(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = given.get(key) or {}
    if not isinstance(value, dict):
        raise SweepError(f"'{key}' is a map, not {value!r}")
    return {str(name): one for name, one in value.items()}


def _texts(given: Mapping[str, Any], key: str) -> list[str]:
    value = given.get(key) or []
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise SweepError(f"'{key}' is a list of texts, not {value!r}")
    return value


def _zips(given: Any, axes: tuple[Axis, ...]) -> tuple[tuple[str, ...], ...]:
    groups = [tuple(group) for group in given or []] if isinstance(given or [], list) else None
    if groups is None or not all(isinstance(name, str) for group in groups for name in group):
        raise SweepError("'zip' is a list of groups of axes, such as [[run.inputs_count, device]]")
    sizes = {axis.name: len(axis.values) for axis in axes}
    seen: set[str] = set()
    for group in groups:
        for name in group:
            if name not in sizes:
                raise SweepError(f"zip: {unknown('axis', name, sizes)}")
            if name in seen:
                raise SweepError(f"zip: axis '{name}' is there twice")
            seen.add(name)
        if len({sizes[name] for name in group}) > 1:
            counts = ", ".join(f"{name} {sizes[name]}" for name in group)
            raise SweepError(f"zip: axes of one group have the same number of values; here: {counts}")
    return tuple(groups)


def _check_axis(axis: Axis, kind: str) -> None:
    group, _, rest = axis.name.partition(".")
    if group in ("run", "compile") and rest:
        if group == "compile" and kind != "model":
            raise SweepError(f"axis '{axis.name}': only a 'model' is compiled")
        option_key(group, rest)
    elif axis.name == kind and kind in ("netlist", "model", "image"):
        if not all(isinstance(value, str) for value in axis.values):
            raise SweepError(f"axis '{axis.name}' is a list of files")
    elif axis.name not in ("device", "seed") and not (group in ("chip", "netlist") and rest):
        groups = ["run.OPTION", "compile.OPTION", "chip.PARAMETER", "netlist.FIELD", "device", "seed", kind]
        raise unknown("axis", axis.name, groups)
    if group == "netlist" and rest and kind in ("model", "image"):
        raise SweepError(f"axis '{axis.name}': fields of netlists vary where the base is a netlist or a template")


def _limits(given: Mapping[str, Any]) -> Limits:
    limits = _map(given, "limits")
    for key, value in limits.items():
        if key not in ("seconds", "memory_mb"):
            raise SweepError(f"limits: {unknown('key', key, ['seconds', 'memory_mb'])}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise SweepError(f"limits: '{key}' is a number of 0 or more, not {value!r}")
    return Limits(float(limits.get("seconds", 0)), int(limits.get("memory_mb", 0)))


def _base(given: Mapping[str, Any], folder: pathlib.Path) -> tuple[str, str]:
    kinds = [key for key in BASES if key in given]
    if len(kinds) != 1:
        raise SweepError(f"a sweep has one of {', '.join(BASES)}; here: {', '.join(kinds) or 'none'}")
    kind, value = kinds[0], given[kinds[0]]
    if not isinstance(value, str) or not value:
        raise SweepError(f"'{kind}' is a file" if kind != "template" else "'template' is a name of 'ttsim new'")
    return kind, value if kind == "template" else str((folder / value).resolve())


def from_map(given: Any, folder: str | os.PathLike[str] = ".") -> Sweep:
    """A sweep from the keys of a specification. Files are relative to `folder`. SweepError with the nearest name for
    everything unknown."""
    if not isinstance(given, dict):
        raise SweepError("a specification is a map of keys")
    for key in given:
        if key not in _KEYS:
            raise unknown("key", str(key), _KEYS)
    place = pathlib.Path(folder).resolve()
    kind, base = _base(given, place)
    axes = tuple(read_axis(name, value) for name, value in _map(given, "axes").items())
    if given.get("seeds") is not None:
        axes += (read_axis("seed", given["seeds"]),)
    if not axes:
        raise SweepError("a sweep has at least one axis, such as axes: {run.inputs_count: [1, 2, 4]}")
    for axis in axes:
        _check_axis(axis, kind)
    fixed = {key: _map(given, key) for key in ("run", "compile", "chip", "fields")}
    for command in ("run", "compile"):
        fixed[command] = {option_key(command, key): value for key, value in fixed[command].items()}
    if fixed["compile"] and kind != "model":
        raise SweepError("'compile' has options of a compilation, and only a 'model' is compiled")
    measures = read_measures(given.get("measures"), kind == "model")
    names = [axis.name for axis in axes]
    sweep = Sweep(kind, base, str(given.get("device") or ""), fixed["run"], fixed["compile"], fixed["chip"], fixed["fields"],
                  axes, _zips(given.get("zip"), axes), tuple(Condition(text, names) for text in _texts(given, "where")),
                  measures, _limits(given), tuple(_texts(given, "objectives")),
                  {name: str(value) for name, value in _map(given, "thresholds").items()},
                  str(given.get("fidelity") or ""), bool(given.get("keep_invalid", False)), place)
    for name in (*sweep.objectives, *sweep.thresholds):
        sweep.measure(name)
    if sweep.fidelity and sweep.fidelity not in names:
        raise SweepError(f"fidelity: {unknown('axis', sweep.fidelity, names)}")
    return sweep


def read_spec(path: str | os.PathLike[str]) -> Sweep:
    """A sweep from a YAML file. SweepError with the file and the line for a text that is not YAML."""
    file = pathlib.Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SweepError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        given = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise SweepError(f"{where}: {getattr(error, 'problem', None) or error}") from None
    try:
        return from_map(given, file.parent)
    except SweepError as error:
        raise SweepError(f"{path}: {error}") from None
