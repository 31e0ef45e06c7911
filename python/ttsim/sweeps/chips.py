"""Chips with changed parameters: a folder that inherits from a chip (`like:`) and has only the changes."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from . import yaml_fields
from .errors import SweepError, nearest, unknown

_PARTS = ("isa", "timing", "memory", "noc")


@cache
def config_dirs() -> tuple[pathlib.Path, ...]:
    """Folders of configuration, in the order in which the tools search them."""
    package = pathlib.Path(__file__).resolve().parent.parent
    tool = pathlib.Path(os.environ.get("TTSIM", "ttsim")).resolve()
    candidates = [pathlib.Path(os.environ["TTSIM_CONFIG_DIR"])] if os.environ.get("TTSIM_CONFIG_DIR") else []
    candidates += [package / "share/ttsim/configs", tool.parent.parent / "share/ttsim/configs",
                   package.parent.parent / "configs"]
    return tuple(folder for folder in candidates if (folder / "chips").is_dir() or (folder / "products.yaml").is_file())


def products() -> dict[str, dict[str, Any]]:
    """Products by name, as in products.yaml."""
    found: dict[str, dict[str, Any]] = {}
    for folder in reversed(config_dirs()):
        file = folder / "products.yaml"
        if file.is_file():
            found.update(yaml.safe_load(file.read_text(encoding="utf-8")) or {})
    return found


def chip_folder(name: str) -> pathlib.Path:
    """The folder of a chip, by name or path. SweepError if there is none."""
    if (pathlib.Path(name) / "chip.yaml").is_file():
        return pathlib.Path(name).resolve()
    known = []
    for folder in config_dirs():
        known += [found.parent.name for found in folder.glob("chips/*/chip.yaml")]
        if (folder / "chips" / name / "chip.yaml").is_file():
            return folder / "chips" / name
    raise unknown("chip", name, known)


def part_file(folder: pathlib.Path, part: str) -> pathlib.Path | None:
    """The file of a part of a chip; None if the chip inherits the whole part."""
    if part == "chip":
        return folder / "chip.yaml"
    named = (yaml.safe_load((folder / "chip.yaml").read_text(encoding="utf-8")).get("parts") or {}).get(part)
    return folder / str(named) if named else None


@cache
def _part_trees(folder: pathlib.Path, part: str) -> list[tuple[pathlib.Path, yaml.Node]]:
    """The files of a part, from the chip's own to the one that it inherits from in the end."""
    found: list[tuple[pathlib.Path, yaml.Node]] = []
    while len(found) < 16:
        file = part_file(folder, part)
        base = folder
        if file is not None:
            root = yaml_fields.composed(file.read_text(encoding="utf-8"), str(file))
            found.append((file, root))
            if not yaml_fields.places(root, "like"):
                break
        like = yaml.safe_load((folder / "chip.yaml").read_text(encoding="utf-8")).get("like")
        if not like:
            break
        base = chip_folder(str(like))
        if base == folder:
            break
        folder = base
    return found


def _abbreviated(path: str, leaves: list[str]) -> str | None:
    """The only leaf whose components begin with those of the path, such as `sfpu_instructions.exp` for `sfpu.exp`."""
    wanted = path.split(".")
    fitting = [leaf for leaf in leaves if len(leaf.split(".")) == len(wanted)
               and all(have.startswith(want) for have, want in zip(leaf.split("."), wanted))]
    return fitting[0] if len(fitting) == 1 else None


def find_parameter(folder: pathlib.Path, name: str) -> tuple[str, list[str | int], yaml.Node]:
    """(part, place in its file, root of the file that defines it) of a parameter such as `memory.dram.peak_bytes` or
    `clock_mhz`. SweepError with the nearest name."""
    part, _, path = name.partition(".")
    if part not in _PARTS or not path:
        part, path = "chip", name.removeprefix("chip.")
    trees = _part_trees(folder, part)
    for _, root in trees:
        if found := yaml_fields.places(root, path):
            if len(found) > 1:
                raise SweepError(f"chip parameter '{name}' names {len(found)} fields; name one of them")
            return part, found[0], root
    every = [leaf for _, root in trees for leaf in yaml_fields.leaves(root)]
    if (full := _abbreviated(path, every)) is not None:
        return find_parameter(folder, full if part == "chip" else f"{part}.{full}")
    names = [*(f"{part}.{leaf}" if part != "chip" else leaf for leaf in every), "memory.dram.channels"]
    raise SweepError(f"chip {folder.name} has no parameter '{name}'{nearest(name, names)}")


def _set(values: dict[str, Any], place: list[str | int], value: Any) -> None:
    for key in place[:-1]:
        values = values.setdefault(str(key), {})
    values[str(place[-1])] = value


def _channels(folder: pathlib.Path, count: Any, changes: dict[str, dict[str, Any]]) -> None:
    """`memory.dram.channels`: the first channels of the chip, with the ports of each in both files."""
    part, place, root = find_parameter(folder, "dram.ports")
    ports = yaml_fields.read(root, place)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= len(ports):
        raise SweepError(f"memory.dram.channels is an integer from 1 to {len(ports)} on {folder.name}, not {count!r}")
    _set(changes.setdefault(part, {}), place, ports[:count])
    part, place, root = find_parameter(folder, "memory.dram.ports")
    controllers = yaml_fields.read(root, place)
    _set(changes.setdefault(part, {}), place, controllers[:count * len(controllers) // len(ports)])


def changes_of(folder: pathlib.Path, parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Values by part that parameters change. SweepError for an unknown one."""
    changes: dict[str, dict[str, Any]] = {}
    for name, value in sorted(parameters.items()):
        if name == "memory.dram.channels":
            _channels(folder, value, changes)
            continue
        part, place, root = find_parameter(folder, name)
        if any(isinstance(key, int) for key in place):
            raise SweepError(f"chip parameter '{name}' is an element of a list; vary the list")
        before = yaml_fields.read(root, place)
        if isinstance(before, dict) or isinstance(before, list) != isinstance(value, list):
            raise SweepError(f"chip parameter '{name}' is {json.dumps(before)}; {json.dumps(value)} is of another kind")
        _set(changes.setdefault(part, {}), place, value)
    return changes


def base_of(device: str) -> tuple[pathlib.Path, dict[str, Any], list[int]]:
    """(chip folder, changes of the board to chip.yaml, harvested rows) of a product with one chip, or of a chip."""
    known = products()
    if device not in known:
        if (pathlib.Path(device) / "chip.yaml").is_file() or any((d / "chips" / device).is_dir() for d in config_dirs()):
            return chip_folder(device), {}, []
        raise unknown("device", device, known)
    product = known[device]
    if product.get("chips", 1) != 1 or "dram_channels" in product:
        raise SweepError(f"chip parameters of {device} cannot be varied: name a chip, or a board with one whole chip")
    changes = {"clock_mhz": product["clock_mhz"]} if "clock_mhz" in product else {}
    return chip_folder(product["chip"]), changes, [int(row) for row in (product.get("harvested") or [[]])[0]]


def write_chip(device: str, parameters: Mapping[str, Any], inputs: pathlib.Path) -> tuple[str, list[int]]:
    """Writes a chip like that of `device` into a folder of `inputs` named by its content; an existing one is kept.
    Returns the folder and the harvested rows."""
    base, board, rows = base_of(device)
    changes = changes_of(base, parameters)
    changes["chip"] = {**board, **changes.get("chip", {})}
    digest = hashlib.sha256(json.dumps([str(base), changes], sort_keys=True).encode()).hexdigest()[:16]
    # inputs is a folder of configuration: with TTSIM_CONFIG_DIR, tools know the chip by its name
    name, folder = f"swept_{digest}", inputs / "chips" / f"swept_{digest}"
    if not (folder / "chip.yaml").is_file():
        parts = {part: f"{part}.yaml" for part in changes if part != "chip"}
        temporary = inputs / "chips" / f".{name}.{os.getpid()}.{os.urandom(4).hex()}"
        temporary.mkdir(parents=True)
        like = base.name if base.parent.name == "chips" and any(base.parent == d / "chips" for d in config_dirs()) else str(base)
        for part, part_name in parts.items():
            (temporary / part_name).write_text(yaml.safe_dump({"like": like, "chip": name, **changes[part]}), encoding="utf-8")
        own = {"name": name, "like": like, "summary": f"{base.name} with changed parameters", "parts": parts, **changes["chip"]}
        (temporary / "chip.yaml").write_text(yaml.safe_dump(own, sort_keys=False), encoding="utf-8")
        try:
            temporary.rename(folder)
        except OSError:  # another worker was faster
            for file in temporary.iterdir():
                file.unlink()
            temporary.rmdir()
    return str(folder), rows
