"""The commands of a point, and the key under which its result is stored."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from . import chips, yaml_fields
from .errors import SweepError
from .options import TABLES, flags_of, option_key
from .spec import Sweep

COMPILED = "COMPILED"  # stands for the folder of the compiled model


@dataclass(frozen=True)
class Commands:
    """Words after `ttsim`. `run` has the word COMPILED in place of the result of `compile`; an empty `compile`: no model."""
    run: list[str]
    compile: list[str] = field(default_factory=list)

    def text(self) -> str:
        """A line for a shell that repeats the point."""
        run = shlex.join(["ttsim", *self.run])
        return f"{shlex.join(['ttsim', *self.compile, '-o', COMPILED])} && {run}" if self.compile else run


@cache
def tool() -> str:
    """The program ttsim: of TTSIM, else of PATH. SweepError if there is none."""
    found = os.environ.get("TTSIM") or shutil.which("ttsim")
    if not found or not os.access(found, os.X_OK):
        raise SweepError("the program ttsim was not found; name it in the environment variable TTSIM")
    return str(pathlib.Path(found).resolve())


@cache
def build() -> str:
    """Version, and a digest of the program and the chips' configuration: results of one build are comparable."""
    version = subprocess.run([tool(), "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    digest = hashlib.sha256(pathlib.Path(tool()).read_bytes())
    for folder in chips.config_dirs():
        for file in sorted(folder.rglob("*.yaml")):
            digest.update(file.read_bytes())
    return f"{version}+{digest.hexdigest()[:12]}"


@cache
def _digest(path: str, modified: int) -> str:
    file = pathlib.Path(path)
    digest = hashlib.sha256()
    for part in sorted(p for p in file.rglob("*") if p.is_file()) if file.is_dir() else [file]:
        digest.update(part.read_bytes())
    return digest.hexdigest()


def content(path: str) -> str:
    """Digest of a file or folder. SweepError if it cannot be read."""
    try:
        return _digest(path, pathlib.Path(path).stat().st_mtime_ns)
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror}") from None


def _part(point: Mapping[str, Any], fixed: Mapping[str, Any], group: str) -> dict[str, Any]:
    """Values of a group by name; options by their key."""
    own = {name[len(group) + 1:]: value for name, value in point.items() if name.startswith(group + ".")}
    if group in TABLES:
        own = {option_key(group, name): value for name, value in own.items()}
    return {**fixed, **own}


@cache
def _tree(path: str, digest: str) -> yaml.Node:
    return yaml_fields.composed(pathlib.Path(path).read_text(encoding="utf-8"), path)


def _file(sweep: Sweep, point: Mapping[str, Any]) -> str:
    return str((sweep.folder / str(point[sweep.base_kind])).resolve()) if sweep.base_kind in point else sweep.base


def _netlist(file: str, fields: Mapping[str, Any], inputs: pathlib.Path) -> str:
    """The netlist with other fields, written to `inputs` under a name of its content."""
    if not fields:
        return file
    root = _tree(file, content(file))
    for path, value in fields.items():
        node = yaml_fields.node_of(value)
        for place in yaml_fields.require(root, path, file):
            root = yaml_fields.replaced(root, place, node)
    text = yaml_fields.text_of(root)
    path_of_text = inputs / f"{pathlib.Path(file).stem}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.yaml"
    if not path_of_text.is_file():
        _write_whole(path_of_text, text)
    return str(path_of_text)


def _as_file(command: str, key: str, value: Any, inputs: pathlib.Path) -> Any:
    """A map that an option takes as a YAML file becomes such a file."""
    if TABLES[command][key][0] != "yaml" or not isinstance(value, dict):
        return value
    text = yaml.safe_dump(value, sort_keys=False)
    path = inputs / f"{key}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.yaml"
    if not path.is_file():
        _write_whole(path, text)
    return str(path)


def _write_whole(path: pathlib.Path, text: str) -> None:
    """Other workers see the file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def _device(sweep: Sweep, point: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    device = str(point.get("device", sweep.device))
    if device or not (sweep.chip or any(name.startswith("chip.") for name in point)):
        return device
    if sweep.compiles:
        return "wh_n150"
    if run.get("chip"):
        return str(run["chip"])
    raise SweepError("a sweep of chip parameters names its chip: device: wormhole_b0, or a product of 'ttsim devices'")


def commands_of(sweep: Sweep, point: Mapping[str, Any], inputs: pathlib.Path) -> Commands:
    """The commands of a point. Writes changed netlists and chips to the folder `inputs`. SweepError for a name that the
    netlist or chip does not have."""
    run = _part(point, sweep.run, "run")
    compiling = _part(point, sweep.compile, "compile")
    parameters = _part(point, sweep.chip, "chip")
    run.setdefault("engine", "timing")
    run.setdefault("threads", 1)
    if "seed" in point:
        run["seed"] = point["seed"]
    device = _device(sweep, point, run)
    rows: list[int] = []
    if parameters:
        device, rows = chips.write_chip(device, parameters, inputs)
    target = ["--device", device] if device else []
    file = _file(sweep, point)
    if sweep.compiles:
        if rows:
            compiling.setdefault("harvested_rows", rows)
        compiling.setdefault("threads", 1)
        words = ["compile", file, *target]
        for key, value in compiling.items():
            words += flags_of("compile", key, _as_file("compile", key, value, inputs))
        running = ["run", COMPILED]
    else:
        if rows:
            run.setdefault("harvested_rows", rows)
        words = []
        running = ["run", _netlist(file, _part(point, sweep.fields, "netlist"), inputs), *target]
    for key, value in run.items():
        running += flags_of("run", key, value)
    return Commands(running, words)


def key_of(sweep: Sweep, point: Mapping[str, Any]) -> str:
    """The address of a point's result: everything that determines it, and what is measured."""
    device = str(point.get("device", sweep.device))
    described = {
        "build": build(), "base": content(_file(sweep, point)), "kind": sweep.base_kind,
        "device": content(device) if os.path.exists(device) else device,
        "run": _part(point, sweep.run, "run"), "compile": _part(point, sweep.compile, "compile"),
        "chip": _part(point, sweep.chip, "chip"), "fields": _part(point, sweep.fields, "netlist"),
        "seed": point.get("seed"), "limits": [sweep.limits.seconds, sweep.limits.memory_mb],
        "measures": [[m.name, m.report, m.path] for m in sweep.measures],
    }
    return hashlib.sha256(json.dumps(described, sort_keys=True, default=str).encode()).hexdigest()[:32]
