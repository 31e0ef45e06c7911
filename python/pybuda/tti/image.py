"""Device images: written from a device, and loaded as one."""
from __future__ import annotations

import json
import os
import shutil
import types
import warnings
from collections.abc import Sequence
from typing import Any

import ttsim
from ttsim.torch.host_parts import loaded, saved

from .. import upper_layers
from .._C.backend_api import BackendDevice, BackendType


class TTDeviceImage:
    """An image in a file. ttsim.InputError for a missing or damaged file."""

    def __init__(self, path: str, trust_host_parts: bool = False) -> None:
        self.path = os.fspath(path)
        self._info = ttsim.image_info(self.path)
        self.contents: dict[str, Any] = json.loads(self._info.json)
        self.compiled = ttsim.CompiledModel.read(self.path)
        self.host_parts = _host_parts(self.path, self.compiled, trust_host_parts)
        self.device_ids: Any = None  # replacement of its own ids
        self._name_unread()

    @staticmethod
    def load_from_disk(img_path: str, device_id_overrides: Any = None, *,
                       trust_host_parts: bool = False) -> TTDeviceImage:
        """`device_id_overrides`: for load_image(), which applies them. `trust_host_parts`: also loads images whose host
        parts are code, which may then execute; for trusted images only. ttsim.InputError without it."""
        image = TTDeviceImage(img_path, trust_host_parts)
        image.device_ids = device_id_overrides
        return image

    def _name_unread(self) -> None:
        names = [one["member"] for one in self.contents["not_read"]]
        if names:
            warnings.warn(f"{self.path}: {len(names)} members are ignored: {', '.join(names[:8])}"
                          f"{', ...; info() lists all' if len(names) > 8 else ''}", stacklevel=3)

    def info(self) -> None:
        """Prints a summary of the image, its device and its model."""
        print(self._info.text)

    @staticmethod
    def save_to_disk(image: TTDeviceImage, img_path: str) -> None:
        """Copies the file. RuntimeError for an unpacked image."""
        if os.path.isdir(image.path):
            raise RuntimeError(f"the image at {image.path} is unpacked; pack it as a .tti file, or copy the folder")
        if os.path.abspath(image.path) != os.path.abspath(image_path(img_path)):
            shutil.copyfile(image.path, image_path(img_path))

    def __getattr__(self, name: str) -> Any:
        """Fields of device.json (docs/tti.md): chip_ids, device_image_name, compiled_graph_state, ..."""
        record = {} if name.startswith("_") or name == "path" else self._record()
        if name not in record:
            raise AttributeError(f"a device image has no field '{name}'; its fields are {', '.join(record)}")
        return types.SimpleNamespace(**record[name]) if name == "compiled_graph_state" else record[name]

    def _record(self) -> dict[str, Any]:
        return dict(json.loads(self._info.record))

    @property
    def microbatch_size(self) -> int:
        """Number of samples per push."""
        return int(self.contents.get("microbatch", 1))

    def is_compiled_for_training(self) -> bool:
        """Whether run_training() trains it; else it runs inference."""
        return bool(self.contents.get("training", False))

    def get_target_shapes(self) -> list[list[int]]:
        """Shapes of targets, in order; [] for inference."""
        return [[self.microbatch_size * shape[0], *shape[1:]] for shape in self.contents.get("targets", [])]

    @property
    def arch(self) -> BackendDevice:
        """Architecture of the chips that it was compiled for. RuntimeError for an unknown one."""
        return BackendDevice.of_chip(str(self.contents["arch"]).rsplit(".", 1)[-1])

    @property
    def devtype(self) -> BackendType:
        """Type of the device that it was compiled for."""
        named: BackendType = BackendType.from_string(str(self.contents.get("device_type", "Silicon")))
        return named

    def get_input_shapes(self) -> list[list[int]]:
        """Shapes of the inputs of a push, in order; dim 0 is the micro-batch."""
        shapes = [list(info.shape) for info in self.compiled.inputs]
        if self.host_parts is not None:
            shapes = [shape for shape, _ in self.host_parts.calls]
        return [[self.microbatch_size * shape[0], *shape[1:]] for shape in shapes]


def _host_parts(path: str, compiled: ttsim.CompiledModel, trusted: bool) -> Any:
    """The host parts; None if there are none."""
    files = compiled.host_files
    if not files:
        return None
    parts = loaded(files, os.path.join(path, "module_files"), trusted)
    parts.check_device({info.name: list(info.shape) for info in compiled.inputs},
                       {info.name: list(info.shape) for info in compiled.outputs}, path)
    return parts


def _host_files(imported: Any, name: str) -> dict[str, bytes]:
    """Files of the host parts of a module's stage."""
    files, why = saved(imported)
    if why:
        warnings.warn(f"{name}: the host parts are written to the image as code, because images cannot store as data: "
                      f"{why}. Loading it requires trust: load_from_disk(..., trust_host_parts=True)", stacklevel=4)
    return files


def image_path(path: str) -> str:
    """The path with the ending .tti."""
    return path if path.endswith(".tti") else path + ".tti"


def compile_to_image(device: Any, img_path: str | None, sample_inputs: Sequence[Any]) -> TTDeviceImage:
    """Writes an image, including the host parts of a torch module. RuntimeError for several compilations."""
    device.compile_reference(sample_inputs)
    stages = device._stages
    if len(stages) != 1:
        raise RuntimeError(f"device '{device.name}' has {len(stages)} compilations (modules of different types); an "
                           "image can have only one: place the modules on separate devices")
    if stages[0].host_ops:
        raise RuntimeError(f"device '{device.name}' runs {', '.join(stages[0].host_ops)} in the framework of the module, which "
                           "an image cannot hold: replace these ops, or place that part of the model on a CPUDevice")
    imported = getattr(stages[0], "imported", None)
    files = _host_files(imported, device.name) if imported is not None and imported.uses_host else {}
    return write_stage(device, stages[0], img_path, files)


def write_stage(device: Any, stage: Any, img_path: str | None, files: dict[str, bytes]) -> TTDeviceImage:
    """Writes the only stage of a device, with files of the host parts."""
    path = image_path(img_path or os.path.join("device_images", device.name))
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    stage.compiled.write(path, device.devtype.name, device.name, files)
    return TTDeviceImage(path, trust_host_parts=True)  # created by this process


def given_image(img: TTDeviceImage | None, img_path: str | None, trust_host_parts: bool = False) -> TTDeviceImage:
    """The image, or that of the file. AssertionError unless one of both is given."""
    assert (img is None) != (img_path is None), "load_image needs either img= or img_path="
    return img if img is not None else TTDeviceImage.load_from_disk(str(img_path), trust_host_parts=trust_host_parts)


def load_image(img: TTDeviceImage | None, img_path: str | None, device_id_overrides: Any,
               trust_host_parts: bool = False) -> Any:
    """TTDevice.load_image()."""
    return upper_layers.call("device_of_image", img, img_path, device_id_overrides, trust_host_parts)
