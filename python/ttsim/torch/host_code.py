"""Host parts as programs of torch.export, for ops that steps cannot express. Loading them may execute any code: they
are for trusted files only."""
from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import TYPE_CHECKING

import torch

from .._ttsim import InputError
from . import host_ops
from .host_part_values import HostParts, parts_of
from .host_program import refused

if TYPE_CHECKING:
    from .imported import Imported

_MOST_RATIO, _ALWAYS = 4, 1 << 20  # limits of unpacked bytes; files written here are not compressed


def saved_as_code(imported: Imported) -> bytes:
    calls = imported._captured.arguments.samples
    made = [node.meta["val"] for node in imported._outputs]
    of_device = [torch.zeros(value.shape, dtype=value.dtype) for value in made]
    said = {"calls": [[list(one.shape), _name(one.dtype)] for one in calls], "inputs": imported.inputs,
            "outputs": imported.outputs, "dtypes": [_name(one.dtype) for one in made]}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("parts.json"), json.dumps(said))
        for name, part in parts_of(imported).items():
            samples = calls if name == "before" else [*of_device, *calls]
            program = io.BytesIO()
            with torch.no_grad():
                torch.export.save(torch.export.export(part, tuple(samples), strict=False), program)
            archive.writestr(zipfile.ZipInfo(f"{name}.pt2"), program.getvalue())
    return out.getvalue()


def loaded_code(data: bytes, place: str) -> HostParts:
    """ttsim.InputError for damaged files and for files that unpack to too much."""
    parts = _unpacked(data, place)
    programs = {}
    try:
        said = json.loads(parts["parts.json"])
        calls = [([int(size) for size in shape], host_ops.DTYPES[dtype]) for shape, dtype in said["calls"]]
        dtypes = [host_ops.DTYPES[dtype] for dtype in said["dtypes"]]
        names = [[str(one) for one in said[key]] for key in ("inputs", "outputs")]
        for name in ("before", "behind"):
            _unpacked(parts[f"{name}.pt2"], f"{place}/{name}.pt2", names_only=True)
            programs[name] = torch.export.load(io.BytesIO(parts[f"{name}.pt2"])).module()
    except RuntimeError as error:
        raise error if _is_ours(error) else refused(place, f"torch cannot load it: {error}") from error
    except Exception as error:  # torch raises many types
        raise refused(place, f"it is damaged: {type(error).__name__} {error}") from error
    return HostParts(calls, names[0], names[1], dtypes, programs["before"], programs["behind"])


def _is_ours(error: Exception) -> bool:
    return isinstance(error, InputError)


def _unpacked(data: bytes, place: str, names_only: bool = False) -> dict[str, bytes]:
    """Members of a zip file whose stated and real sizes are within a multiple of the size of the file."""
    most = _ALWAYS + _MOST_RATIO * len(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if sum(one.file_size for one in infos) > most:
                raise refused(place, f"it unpacks to more than the limit of {most} bytes")
            return {} if names_only else {one.filename: _read(archive, one, most, place) for one in infos}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, RecursionError) as error:
        raise refused(place, f"it is damaged: {error or type(error).__name__}") from error


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int, place: str) -> bytes:
    try:
        with archive.open(info) as member:
            data = member.read(most + 1)
    except (RuntimeError, zlib.error, IndexError) as error:  # a password, damaged streams
        raise refused(place, f"'{info.filename}' is damaged: {error}") from error
    if len(data) > most:
        raise refused(place, f"it unpacks to more than the limit of {most} bytes")
    return data


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
