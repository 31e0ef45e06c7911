"""Devices and the host."""
from __future__ import annotations

import enum
import os
from typing import Any

from ttsim.eager.report import DeviceReport, ReportMixin


class Arch(enum.Enum):
    """Architectures of accelerators."""
    GRAYSKULL = 0
    WORMHOLE_B0 = 1


class Host:
    """The machine that runs Python; goes into Tensor.to()."""

    def __repr__(self) -> str:
        return "<tt_lib.device.Host>"


_host = Host()
_default: list[Device] = []
_products = {Arch.GRAYSKULL: "gs_e150", Arch.WORMHOLE_B0: "wh_n150"}


class Device:
    """An accelerator; CreateDevice() makes it, InitializeDevice() makes it usable."""

    def __init__(self, arch: Arch, pcie_slot: int, product: str) -> None:
        self.arch, self.pcie_slot, self.product = arch, pcie_slot, product
        self._open: ReportMixin | None = None
        self._closed = False

    @property
    def initialized(self) -> bool:
        """Whether it can be used."""
        return self._open is not None and self._open.is_open

    def eager(self, who: str) -> ReportMixin:
        """The open device. RuntimeError before InitializeDevice() and after CloseDevice()."""
        if self._closed:
            raise RuntimeError(f"{who}: the device in slot {self.pcie_slot} was closed")
        if self._open is None:
            raise RuntimeError(f"{who}: the device in slot {self.pcie_slot} is not initialized; call InitializeDevice(device) first")
        return self._open

    @property
    def cycles(self) -> int:
        """Cycles since InitializeDevice()."""
        return self.eager("Device.cycles").cycles

    @property
    def clock_mhz(self) -> int:
        return int(self.eager("Device.clock_mhz").clock_mhz)

    def report(self) -> DeviceReport:
        """Per op: calls, cycles, launch costs, bytes, share; transfers and hidden steps."""
        return self.eager("Device.report").report()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "initialized" if self._open is not None else "not initialized"
        return f"<tt_lib.device.Device {self.arch.name} in slot {self.pcie_slot}, {state}>"


def configure(arch: Arch, product: str) -> None:
    """The product behind later devices of an architecture, as in `ttsim devices`; by default gs_e150 and wh_n150, or the
    entry of the environment variable TTSIM_DEVICES at the slot."""
    _products[arch] = product


def CreateDevice(arch: Arch, pci_express_slot: int) -> Device:
    """A device that is not initialized yet. TypeError and ValueError for an unknown architecture or slot."""
    if not isinstance(arch, Arch):
        raise TypeError(f"CreateDevice: arch is an Arch, not {type(arch).__name__}")
    if not isinstance(pci_express_slot, int) or pci_express_slot < 0:
        raise ValueError(f"CreateDevice: a slot is a number from 0, not {pci_express_slot!r}")
    listed = [one.strip() for one in os.environ.get("TTSIM_DEVICES", "").split(",") if one.strip()]
    fits = pci_express_slot < len(listed) and listed[pci_express_slot].startswith("gs_") == (arch is Arch.GRAYSKULL)
    return Device(arch, pci_express_slot, listed[pci_express_slot] if fits else _products[arch])


def InitializeDevice(device: Device) -> bool:
    """Makes a device usable; True. RuntimeError if it was initialized before, or another one is in its slot."""
    if device._open is not None or device._closed:
        raise RuntimeError(f"InitializeDevice: the device in slot {device.pcie_slot} was {'closed' if device._closed else 'initialized already'}")
    device._open = ReportMixin(device.pcie_slot, device.product, surface="tt_lib")
    return True


def CloseDevice(device: Device) -> bool:
    """Frees all buffers of a device; True. False if it is not initialized or was closed. Its tensors cannot be used any
    more."""
    if device in _default:
        _default.clear()
    if device._open is None or device._closed:
        return False
    device._closed = True
    return device._open.close()


def GetHost() -> Host:
    """The host, always the same object."""
    return _host


def SetDefaultDevice(device: Device | None) -> None:
    """The device of ops whose inputs are all on the host."""
    _default[:] = [] if device is None else [device]


def GetDefaultDevice() -> Device | None:
    """The default device; None: it was not set."""
    return _default[0] if _default else None


def default_for(who: str) -> Any:
    """The open default device. RuntimeError without one."""
    if not _default:
        raise RuntimeError(f"{who}: all operands are on the host, and there is no default device; call SetDefaultDevice(device), "
                           "or move an operand with to(device)")
    return _default[0].eager(who)
