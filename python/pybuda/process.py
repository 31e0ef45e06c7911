"""Global state of the process: devices in their order, modules, and counters of automatic names."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

TILE_DIM = 32


class _Process:
    def __init__(self) -> None:
        self.devices: list[Any] = []
        self.modules: list[Any] = []
        self.changed = True
        self.next_node = 0
        self.calls: list[int] = []  # active calls of modules' forward, the innermost last
        self.next_call = 0


_process = _Process()


def align_up_tile(d: int) -> int:
    """The next multiple of 32."""
    return round_up_div(d, TILE_DIM) * TILE_DIM


def round_up_div(n: int, d: int) -> int:
    """n / d, rounded up."""
    return (n + d - 1) // d


def get_devices() -> list[Any]:
    """Devices in the order of the pipeline."""
    return _process.devices


def register_device(device: Any) -> None:
    """Appends a device to the pipeline."""
    _process.devices.append(device)
    set_state_changed()


def register_module(module: Any) -> None:
    """Registers a module in the process."""
    _process.modules.append(module)
    set_state_changed()


def get_unique_node_id() -> int:
    """The number of the next op without a name."""
    _process.next_node += 1
    return _process.next_node - 1


@contextlib.contextmanager
def module_call() -> Iterator[None]:
    """Marks a call of a module's forward, so that ops record the call that created them."""
    _process.next_call += 1
    _process.calls.append(_process.next_call)
    try:
        yield
    finally:
        _process.calls.pop()


def current_call() -> int:
    """The current call; 0 outside of all calls."""
    return _process.calls[-1] if _process.calls else 0


def reset_unique_node_id() -> None:
    """Resets the counter of automatic names to 0."""
    _process.next_node = 0


def state_changed() -> bool:
    """Whether devices or modules changed since a run began, so that the next run must compile."""
    return _process.changed


def set_state_changed() -> None:
    """Makes the next run compile."""
    _process.changed = True


def clear_state_changed() -> None:
    """Lets the next run continue without compiling."""
    _process.changed = False


def is_silicon() -> bool:
    """False: devices are simulated."""
    return False


def set_devices(devices: list[Any]) -> None:
    """Replaces the devices of the pipeline."""
    _process.devices = devices
    set_state_changed()


def reset() -> None:
    """Removes devices and modules; resets counters."""
    _process.__init__()  # type: ignore[misc]
