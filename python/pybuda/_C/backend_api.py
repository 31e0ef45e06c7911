"""Kinds of devices, and which there are."""
from __future__ import annotations

import os

from .enumeration import NamedEnum


class BackendType(NamedEnum):
    Model = 0
    Versim = 1
    Silicon = 2
    Golden = 3
    Emulation = 5
    NoBackend = 0xFF


class BackendDevice(NamedEnum):
    Grayskull = 0
    Wormhole_B0 = 1
    Blackhole = 2
    Invalid = 0xFF


class DeviceMode(NamedEnum):
    CompileAndRun = 0
    CompileOnly = 1
    RunOnly = 2


def default_arch() -> BackendDevice:
    """Of the simulated chip where a program names none."""
    if os.environ.get("PYBUDA_GOLDEN_BLACKHOLE", "0") not in ("", "0"):
        return BackendDevice.Blackhole
    if os.environ.get("GOLDEN_WORMHOLE_B0", "0") not in ("", "0"):
        return BackendDevice.Wormhole_B0
    return BackendDevice.Grayskull


def detect_available_silicon_devices() -> list[BackendDevice]:
    """One entry for each chip; PYBUDA_OVERRIDE_NUM_CHIPS says how many the simulated machine has (1)."""
    return [default_arch()] * int(os.environ.get("PYBUDA_OVERRIDE_NUM_CHIPS", "1"))
