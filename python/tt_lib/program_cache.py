"""The cache of programs, of all devices."""
from ttsim.eager import open_devices


def enable() -> None:
    """It is enabled by default."""
    for device in open_devices():
        device.enable_program_cache()


def disable_and_clear() -> None:
    """Later ops make their programs anew."""
    for device in open_devices():
        device.disable_and_clear_program_cache()


def num_entries() -> int:
    """Programs in the caches."""
    return sum(device.num_program_cache_entries() for device in open_devices())
