"""Opening and closing devices."""
from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Iterator
from typing import Any

from ttsim.eager import Device as _Device
from ttsim.eager import open_devices
from ttsim.eager.cores import CoreCoord, CoreGrid
from ttsim.eager.report import ReportMixin



class Arch(enum.Enum):
    """Architectures."""
    GRAYSKULL = 1
    WORMHOLE_B0 = 2
    BLACKHOLE = 3


class DispatchCoreType(enum.Enum):
    """Accepted, without effect."""
    WORKER = 0
    ETH = 1


class DispatchCoreAxis(enum.Enum):
    """Accepted, without effect."""
    ROW = 0
    COL = 1


class DispatchCoreConfig:
    """Accepted, without effect."""

    def __init__(self, type: DispatchCoreType | None = None, axis: DispatchCoreAxis | None = None) -> None:  # noqa: A002
        self.type, self.axis = type, axis


class Device(ReportMixin, _Device):
    """An open device; open_device() makes it."""

    def arch(self) -> Arch:
        """The architecture of its chip."""
        return {"grayskull": Arch.GRAYSKULL, "blackhole": Arch.BLACKHOLE}.get(self.chip, Arch.WORMHOLE_B0)

    def get_num_devices(self) -> int:
        """1: a device is one chip."""
        return 1

    def get_device_ids(self) -> list[int]:
        """Its id."""
        return [self.id]

    @property
    def shape(self) -> MeshShape:
        return MeshShape(1, 1)

    def compute_with_storage_grid_size(self) -> CoreCoord:
        """The grid of working cores."""
        return CoreCoord(*self.grid)

    @property
    def core_grid(self) -> CoreGrid:
        return CoreGrid(y=self.grid[1], x=self.grid[0])

    def get_mesh_device(self) -> Device:
        """Itself: a mesh of one device."""
        return self

    def dram_grid_size(self) -> CoreCoord:
        """One row of DRAM channels."""
        from ttsim._ttsim import DeviceMemory
        return CoreCoord(int(self.open_session("dram_grid_size").memory(DeviceMemory.Dram).banks), 1)

    def sfpu_eps(self) -> float:
        """The smallest difference of the vector unit."""
        return 1.19209e-7

    def __repr__(self) -> str:
        return f"<ttnn.Device {self.id}: {self.product}{'' if self.is_open else ', closed'}>"


class MeshShape(tuple[int, ...]):
    """Rows and columns of a mesh."""

    def __new__(cls, rows: int, columns: int) -> MeshShape:
        return super().__new__(cls, (rows, columns))


MeshDevice = Device
_default: list[Device] = []


def _product(device_id: int) -> str:
    """The product behind an id: from TTSIM_DEVICES, as pybuda has it, else wh_n150."""
    listed = [one.strip() for one in os.environ.get("TTSIM_DEVICES", "").split(",") if one.strip()]
    return listed[min(device_id, len(listed) - 1)] if listed else "wh_n150"


def open_device(*, device_id: int = 0, product: str | None = None, l1_small_size: int | None = None,
                trace_region_size: int | None = None, num_command_queues: int | None = None,
                dispatch_core_type: Any = None, dispatch_core_config: Any = None, **accepted: Any) -> Device:
    """Opens a simulated device. `product`: as in `ttsim devices`; by default the entry of TTSIM_DEVICES at `device_id`, or
    wh_n150. The other arguments have no effect. RuntimeError if it is open already."""
    if not isinstance(device_id, int) or device_id < 0:
        raise ValueError(f"ttnn.open_device: a device id is a number from 0, not {device_id!r}")
    return Device(device_id, product or _product(device_id))


def close_device(device: Device) -> None:
    """Frees the device's buffers. Using its tensors raises RuntimeError afterwards. A second call does nothing."""
    if not isinstance(device, _Device):
        raise TypeError(f"ttnn.close_device: a device is expected, not {type(device).__name__}")
    device.close()
    if device in _default:
        _default.clear()


def open(device_id: int) -> Device:  # noqa: A001
    """As open_device()."""
    return open_device(device_id=device_id)


close = close_device


def CreateDevice(device_id: int = 0, *args: Any, **kwargs: Any) -> Device:
    """As open_device()."""
    return open_device(device_id=device_id)


CloseDevice = close_device


def CreateDevices(device_ids: list[int], *args: Any, **kwargs: Any) -> dict[int, Device]:
    """Several devices, by id."""
    return {one: open_device(device_id=one) for one in device_ids}


def CloseDevices(devices: dict[int, Device]) -> None:
    """Closes them."""
    for one in devices.values():
        close_device(one)


@contextlib.contextmanager
def manage_device(device_id: int = 0, **keywords: Any) -> Iterator[Device]:
    """A device that is closed at the end of the block."""
    device = open_device(device_id=device_id, **keywords)
    try:
        yield device
    finally:
        close_device(device)


def open_mesh_device(mesh_shape: MeshShape | None = None, *args: Any, **kwargs: Any) -> Device:
    """A mesh of one device. NotImplementedError for more."""
    if mesh_shape is not None and tuple(mesh_shape) != (1, 1):
        raise NotImplementedError(f"ttnn.open_mesh_device: a mesh has one device here, not {list(mesh_shape)}")
    return open_device(device_id=int(kwargs.get("device_id", 0)))


close_mesh_device = close_device


def SetDefaultDevice(device: Device) -> None:
    """The device of GetDefaultDevice()."""
    _default[:] = [device]


def GetDefaultDevice() -> Device | None:
    """The default device; None: it was not set, or closed."""
    return _default[0] if _default and _default[0].is_open else None


def synchronize_device(device: Device, *args: Any, **kwargs: Any) -> None:
    """The host waits until the device has run all ops."""
    device.open_session("ttnn.synchronize_device").synchronize()


def enable_program_cache(device: Device) -> None:
    """It is enabled by default."""
    device.enable_program_cache()


def DumpDeviceProfiler(device: Device, *args: Any, **kwargs: Any) -> None:
    """Does nothing: device.write_ops_csv() writes the file that tt-perf-report reads."""


def ReadDeviceProfiler(device: Device, *args: Any, **kwargs: Any) -> None:
    """As DumpDeviceProfiler()."""


def get_num_devices() -> int:
    """Entries of TTSIM_DEVICES, or 1."""
    return max(1, len([one for one in os.environ.get("TTSIM_DEVICES", "").split(",") if one.strip()]))


GetNumAvailableDevices = GetNumPCIeDevices = get_num_devices


def get_device_ids() -> list[int]:
    """Ids of the devices that exist."""
    return list(range(get_num_devices()))


def is_grayskull(device: Device | None = None) -> bool:
    """Whether the chip is a Grayskull."""
    return device is not None and device.chip == "grayskull"


def is_wormhole_b0(device: Device | None = None) -> bool:
    """Whether the chip is a Wormhole."""
    return device is None or device.chip == "wormhole_b0"


def is_blackhole(device: Device | None = None) -> bool:
    """Whether the chip is a Blackhole."""
    return device is not None and device.chip == "blackhole"


def get_arch_name() -> str:
    """The architecture of device 0."""
    product = _product(0)
    return "grayskull" if product.startswith("gs_") else "blackhole" if product.startswith("p1") else "wormhole_b0"


class FabricConfig(enum.Enum):
    """Accepted, without effect: a mesh has one device."""
    DISABLED = 0
    FABRIC_1D = 1
    FABRIC_1D_RING = 2
    FABRIC_2D = 3


def set_fabric_config(*args: Any, **kwargs: Any) -> None:
    """Does nothing."""


def start_tracy_zone(*args: Any, **kwargs: Any) -> None:
    """Does nothing: a device always counts; device.report() has the result."""


stop_tracy_zone = tracy_message = tracy_frame = start_tracy_zone


class Event:
    """A point in the order of a device's ops."""

    def __init__(self, device: Device) -> None:
        self.device = device


def record_event(device: Device, cq_id: int = 0) -> Event:
    """The present point in the device's order of ops. All queues of a device keep one order."""
    device.open_session("ttnn.record_event")
    return Event(device)


def wait_for_event(cq_id: int, event: Event) -> None:
    """Does nothing: a device has one order of ops, so later ops come after the event."""


def event_synchronize(event: Event) -> None:
    """The host waits until the device has run all ops."""
    synchronize_device(event.device)


def set_printoptions(*, profile: str | None = None, **accepted: Any) -> None:
    """How values are printed: torch.set_printoptions() with this profile ("full", "short", "default")."""
    import torch
    torch.set_printoptions(profile=profile or "default")  # type: ignore[no-untyped-call]


def disable_and_clear_program_cache(device: Device) -> None:
    """Forgets all programs; later ops make theirs anew."""
    device.disable_and_clear_program_cache()


def dump_device_memory_state(device: Device, prefix: str = "") -> None:
    """Prints the live buffers."""
    print(device.memory_map())


__all__ = ["Event", "FabricConfig", "GetNumPCIeDevices", "set_fabric_config", "start_tracy_zone", "stop_tracy_zone", "tracy_frame",
           "tracy_message", "disable_and_clear_program_cache", "event_synchronize", "record_event", "set_printoptions", "wait_for_event",
           "Arch", "CloseDevice", "CloseDevices", "CreateDevice", "CreateDevices", "Device", "DispatchCoreAxis",
           "DispatchCoreConfig", "DispatchCoreType", "DumpDeviceProfiler", "GetDefaultDevice", "GetNumAvailableDevices",
           "MeshDevice", "MeshShape", "ReadDeviceProfiler", "SetDefaultDevice", "close", "close_device",
           "close_mesh_device", "dump_device_memory_state", "enable_program_cache", "get_arch_name", "get_device_ids",
           "get_num_devices", "is_blackhole", "is_grayskull", "is_wormhole_b0", "manage_device", "open", "open_device",
           "open_devices", "open_mesh_device", "synchronize_device"]
