"""Device types, and the available devices."""
from __future__ import annotations

import os

import ttsim
from ttsim import _ttsim

from ..refusal import refusal
from .enumeration import NamedEnum

get_output = refusal("get_output", "the device reads the queues of the netlist itself",
                     "take results from the queue that pybuda.run_inference() returns")


class BackendType(NamedEnum):
    """The type of a device. Silicon, Versim and Emulation: the simulated chip with a clock; Golden and Model: values
    only."""
    Model = 0
    Versim = 1
    Silicon = 2
    Golden = 3
    Emulation = 5
    NoBackend = 0xFF


def _own_chips() -> list[str]:
    """Names of members for chips of `ttsim devices` that the vendor's enumeration does not have."""
    try:
        chips = {device.chip for device in ttsim.devices()}
    except ttsim.Error:  # an invalid configuration folder: the first use of a device reports it
        return []
    return ["_".join(part.capitalize() for part in chip.split("_"))
            for chip in sorted(chips - {"grayskull", "wormhole_b0", "blackhole"})]


class BackendDevice(NamedEnum):
    """Chip architectures: the vendor's, with its values, and after them the chips of configuration folders."""
    _ignore_ = ["_members", "_number", "_chip"]
    Grayskull = 0
    Wormhole_B0 = 1
    Blackhole = 2
    Invalid = 0xFF
    _members = vars()
    for _number, _chip in enumerate(_own_chips()):
        _members[_chip] = 0x100 + _number

    @classmethod
    def of_chip(cls, chip: str) -> BackendDevice:
        """The architecture of a chip by its name in `ttsim devices`. RuntimeError for an unknown one."""
        for member in cls:
            if member is not cls.Invalid and member.to_string() == chip.lower():
                return member
        raise RuntimeError(f"there is no architecture '{chip}'; known are "
                           f"{', '.join(member.to_string() for member in cls if member is not cls.Invalid)}")


class DeviceMode(NamedEnum):
    """Whether a device compiles, runs, or both."""
    CompileAndRun = 0
    CompileOnly = 1
    RunOnly = 2


def _set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def simulated_products() -> list[str]:
    """The simulated boards: TTSIM_DEVICES, a comma-separated list of names from `ttsim devices`; default: the device of
    compilations that name none. RuntimeError for an unknown name."""
    known = {device.name for device in ttsim.devices()}
    names = [name.strip() for name in os.environ.get("TTSIM_DEVICES", "").split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise RuntimeError(f"TTSIM_DEVICES: there is no product '{name}'; products are {', '.join(sorted(known))}")
    return names or [_ttsim.CompileOptions().device]


def detect_available_silicon_devices() -> list[BackendDevice]:
    """One entry per chip of the simulated boards; PYBUDA_OVERRIDE_NUM_CHIPS overrides the number."""
    boards = {device.name: device for device in ttsim.devices()}
    found = [BackendDevice.of_chip(boards[name].chip) for name in simulated_products()
             for _ in range(boards[name].chips)]
    if _set("GOLDEN_WORMHOLE_B0"):
        found = [BackendDevice.Wormhole_B0] * len(found)
    if _set("PYBUDA_GOLDEN_BLACKHOLE"):
        found = [BackendDevice.Blackhole] * len(found)
    count = os.environ.get("PYBUDA_OVERRIDE_NUM_CHIPS")
    if count and not (count.isdigit() and int(count)):
        raise RuntimeError(f"PYBUDA_OVERRIDE_NUM_CHIPS={count}: the number of chips must be at least 1")
    return [found[0]] * int(count) if count else found


def default_arch() -> BackendDevice:
    """The architecture of the simulated chip, used if a program names none."""
    return detect_available_silicon_devices()[0]


def golden_arch() -> BackendDevice:
    """The architecture used by verification if a program names none, as in the vendor's PyBuda."""
    if _set("PYBUDA_GOLDEN_BLACKHOLE"):
        return BackendDevice.Blackhole
    return BackendDevice.Wormhole_B0 if _set("GOLDEN_WORMHOLE_B0") else BackendDevice.Grayskull
