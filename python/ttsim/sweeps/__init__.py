"""Sweeps: many simulations over axes of options, chips and netlists, and their results (docs/sweeps.md)."""
from .errors import SweepError
from .run import Outcome, Settings, run_sweep, sweep
from .spec import Sweep, from_map, read_spec
from .store import Store

__all__ = ["Outcome", "Settings", "Store", "Sweep", "SweepError", "from_map", "read_spec", "run_sweep", "sweep"]
