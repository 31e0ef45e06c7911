"""Kinds of devices, and which there are."""
from __future__ import annotations

import os

from ..refusal import refusal
from .enumeration import NamedEnum

get_output = refusal("get_output", "queues of the netlist are read by the device itself",
                     "take results from the queue that pybuda.run_inference() returns")


class BackendType(NamedEnum):
    """What a device runs on. Silicon, Versim and Emulation are the simulated chip with its clock, Golden and Model its
    values alone."""
    Model = 0
    Versim = 1
    Silicon = 2
    Golden = 3
    Emulation = 5
    NoBackend = 0xFF


class BackendDevice(NamedEnum):
    """Architectures of chips; Grayskull and Wormhole_B0 are simulated."""
    Grayskull = 0
    Wormhole_B0 = 1
    Blackhole = 2
    Invalid = 0xFF


class DeviceMode(NamedEnum):
    """Whether a device compiles, runs, or both."""
    CompileAndRun = 0
    CompileOnly = 1
    RunOnly = 2


def _set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def simulated_products() -> list[str]:
    """Boards that there are: TTSIM_DEVICES, names of `ttsim devices` with commas between, else one wh_n150.
    RuntimeError for a name that is none."""
    import ttsim
    known = {device.name for device in ttsim.devices()}
    names = [name.strip() for name in os.environ.get("TTSIM_DEVICES", "").split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise RuntimeError(f"TTSIM_DEVICES: there is no product '{name}'; there are {', '.join(sorted(known))}")
    return names or ["wh_n150"]


def detect_available_silicon_devices() -> list[BackendDevice]:
    """One entry for each chip of the simulated boards; PYBUDA_OVERRIDE_NUM_CHIPS says another number."""
    import ttsim
    boards = {device.name: device for device in ttsim.devices()}
    found = [_arch(boards[name].chip) for name in simulated_products() for _ in range(boards[name].chips)]
    if _set("GOLDEN_WORMHOLE_B0"):
        found = [BackendDevice.Wormhole_B0] * len(found)
    if _set("PYBUDA_GOLDEN_BLACKHOLE"):
        found = [BackendDevice.Blackhole] * len(found)
    count = os.environ.get("PYBUDA_OVERRIDE_NUM_CHIPS")
    if count and not (count.isdigit() and int(count)):
        raise RuntimeError(f"PYBUDA_OVERRIDE_NUM_CHIPS={count}: it is a number of chips from 1 on")
    return [found[0]] * int(count) if count else found


def _arch(chip: str) -> BackendDevice:
    return BackendDevice.Grayskull if chip == "grayskull" else BackendDevice.Wormhole_B0


def default_arch() -> BackendDevice:
    """Of the simulated chip where a program names none."""
    return detect_available_silicon_devices()[0]


def golden_arch() -> BackendDevice:
    """Of verification where a program names none, as upstream has it."""
    if _set("PYBUDA_GOLDEN_BLACKHOLE"):
        return BackendDevice.Blackhole
    return BackendDevice.Wormhole_B0 if _set("GOLDEN_WORMHOLE_B0") else BackendDevice.Grayskull
