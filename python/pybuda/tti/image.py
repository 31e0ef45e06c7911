"""Device images: written of a device, and loaded as one."""
from __future__ import annotations

import io
import json
import os
import pathlib
import shutil
import tarfile
import types
from collections.abc import Sequence
from typing import Any

import ttsim

from .._C.backend_api import BackendDevice, BackendType, DeviceMode

_HOST_PARTS = "unzipped_tti/module_files/host_parts.zip"  # what a torch module computes around the device
_RECORD = "unzipped_tti/device.json"
_ARCHS = {"grayskull": BackendDevice.Grayskull, "wormhole_b0": BackendDevice.Wormhole_B0}


class TTDeviceImage:
    """One that lies in a file. ttsim.InputError for a file that is missing or damaged."""

    def __init__(self, path: str) -> None:
        self.path = os.fspath(path)
        self._info = ttsim.image_info(self.path)
        self.contents: dict[str, Any] = json.loads(self._info.json)
        self.compiled = ttsim.CompiledModel.read(self.path)
        self.host_parts = _host_parts(self.path)
        self.device_ids: Any = None  # in place of its own

    @staticmethod
    def load_from_disk(img_path: str, device_id_overrides: Any = None) -> TTDeviceImage:
        """`device_id_overrides`: as load_image() takes them, which hears of them."""
        image = TTDeviceImage(img_path)
        image.device_ids = device_id_overrides
        return image

    def info(self) -> None:
        """Prints what the image says of itself, its device and its model."""
        print(self._info.text)

    @staticmethod
    def save_to_disk(image: TTDeviceImage, img_path: str) -> None:
        """A copy of the file. RuntimeError for an image that was unpacked."""
        if os.path.isdir(image.path):
            raise RuntimeError(f"the image at {image.path} is unpacked; pack it as a .tti file, or copy the folder")
        if os.path.abspath(image.path) != os.path.abspath(image_path(img_path)):
            shutil.copyfile(image.path, image_path(img_path))

    def __getattr__(self, name: str) -> Any:
        """Fields of device.json (docs/tti.md): chip_ids, device_image_name, compiled_graph_state, ..."""
        record = {} if name.startswith("_") or name == "path" else self._record()
        if name not in record:
            raise AttributeError(f"a device image has no '{name}'; its fields are {', '.join(record)}")
        return types.SimpleNamespace(**record[name]) if name == "compiled_graph_state" else record[name]

    def _record(self) -> dict[str, Any]:
        return dict(json.loads(_member(self.path, _RECORD) or b"{}"))

    @property
    def microbatch_size(self) -> int:
        """Samples of a push."""
        return int(self.contents.get("microbatch", 1))

    def is_compiled_for_training(self) -> bool:
        """False of all images that are written here."""
        return bool(self.contents.get("training", False))

    def get_target_shapes(self) -> list[list[int]]:
        """Of targets, in order; [] of inference."""
        return [[self.microbatch_size * shape[0], *shape[1:]] for shape in self.contents.get("targets", [])]

    @property
    def arch(self) -> BackendDevice:
        """Of the chips that it was compiled for."""
        named = str(self.contents.get("arch", "Wormhole_B0"))
        return next((arch for name, arch in _ARCHS.items() if name in named.lower()), BackendDevice.Wormhole_B0)

    @property
    def devtype(self) -> BackendType:
        """Of the device that it was compiled for."""
        named: BackendType = BackendType.from_string(str(self.contents.get("device_type", "Silicon")))
        return named

    def get_input_shapes(self) -> list[list[int]]:
        """Of a push, in order; dim 0 is that of the micro-batch."""
        shapes = [list(info.shape) for info in self.compiled.inputs]
        if self.host_parts is not None:
            shapes = [shape for shape, _ in self.host_parts.calls]
        return [[self.microbatch_size * shape[0], *shape[1:]] for shape in shapes]


def _member(path: str, name: str) -> bytes | None:
    """Of an archive, or of the folder into which one was unpacked; None: it has none, or is packed as we do not."""
    if os.path.isdir(path):
        inside = os.path.relpath(name, "unzipped_tti")
        file = next((one for one in (os.path.join(path, inside), os.path.join(path, name)) if os.path.exists(one)), None)
        return None if file is None else pathlib.Path(file).read_bytes()
    try:
        with tarfile.open(path) as archive:
            member = archive.extractfile(name) if name in archive.getnames() else None
            return None if member is None else member.read()
    except tarfile.ReadError:
        return None


def _host_parts(path: str) -> Any:
    """None: the device computes all. Programs of torch.export, which run nothing else."""
    data = _member(path, _HOST_PARTS)
    if data is None:
        return None
    from ttsim.torch.host_parts import loaded
    return loaded(data)


def _add_host_parts(path: str, imported: Any) -> None:
    from ttsim.torch.host_parts import saved
    data = saved(imported)
    member = tarfile.TarInfo(_HOST_PARTS)
    member.size = len(data)
    with tarfile.open(path, "a") as archive:
        archive.addfile(member, io.BytesIO(data))


def image_path(path: str) -> str:
    """With .tti at its end."""
    return path if path.endswith(".tti") else path + ".tti"


def compile_to_image(device: Any, img_path: str | None, sample_inputs: Sequence[Any]) -> TTDeviceImage:
    """What a torch module computes on the host is in the image too. RuntimeError for several compilations."""
    device.compile_reference(sample_inputs)
    stages = device._stages
    if len(stages) != 1:
        raise RuntimeError(f"device '{device.name}' has {len(stages)} compilations (modules of different kinds); an "
                           "image holds one: place the modules on devices of their own")
    path = image_path(img_path or os.path.join("device_images", device.name))
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    stages[0].compiled.write(path, device.devtype.name, device.name)
    imported = getattr(stages[0], "imported", None)
    if imported is not None and imported.uses_host:
        _add_host_parts(path, imported)
    return TTDeviceImage(path)


def _as_list(chip_ids: Any) -> Any:
    return [chip_ids] if isinstance(chip_ids, int) else chip_ids


def load_image(img: TTDeviceImage | None, img_path: str | None, device_id_overrides: Any) -> Any:
    """AssertionError unless one of `img` and `img_path` is given."""
    from ..ttdevice import TTDevice
    assert (img is None) != (img_path is None), "load_image takes img= or img_path=, one of both"
    image = img if img is not None else TTDeviceImage.load_from_disk(str(img_path))
    device = TTDevice(str(image.contents.get("name", "tt0")), arch=image.arch,
                      devtype=image.devtype, device_mode=DeviceMode.RunOnly,
                      chip_ids=_as_list(device_id_overrides or image.device_ids or image.contents.get("chip_ids")))
    device._image = image
    return device
