"""Global state of the process, as programs use it."""
from __future__ import annotations

from typing import Any

from . import config
from .device import Device
from .process import (TILE_DIM, align_up_tile, clear_state_changed, current_call, get_devices, get_unique_node_id,
                      is_silicon, module_call, register_device, register_module, reset, reset_unique_node_id,
                      round_up_div, set_devices, set_state_changed, state_changed)
from .run import context
from .ttdevice import TTDevice

__all__ = ["TILE_DIM", "align_up_tile", "clear_state_changed", "current_call", "get_devices", "get_tenstorrent_device",
           "get_unique_node_id", "is_silicon", "module_call", "pybuda_reset", "register_device", "register_module",
           "reset_unique_node_id", "round_up_div", "set_device_pipeline", "set_state_changed", "state_changed"]


def get_tenstorrent_device() -> Any:
    """The first TTDevice, or None."""
    return next((device for device in get_devices() if isinstance(device, TTDevice)), None)


def set_device_pipeline(devices: Any) -> None:
    """Sets the order of devices. RuntimeError unless all are Devices."""
    if not isinstance(devices, (list, tuple)):
        raise RuntimeError(f"set_device_pipeline needs a tuple of devices, not a {type(devices).__name__}")
    for device in devices:
        if not isinstance(device, Device):
            raise RuntimeError(f"set_device_pipeline needs a tuple of devices; {device!r} is not a device")
    set_devices(list(devices))


def pybuda_reset() -> None:
    """Ends the run; removes devices, modules and configuration. Environment variables are read again."""
    context.end_run()
    context.forget_error()
    reset()
    config._clear_global_compiler_config()
