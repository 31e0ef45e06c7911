"""Comparison of tensors with expected ones."""
from __future__ import annotations

import logging
from typing import Any

import numpy
import torch

from ..tensor import to_pt_tensor
from .config import VerifyConfig

log = logging.getLogger("pybuda")


def calculate_pcc(golden: Any, calculated: Any) -> float:
    """Correlation of all values; for constant tensors 1 if they are close, else 0. Values that are both infinite or
    both NaN count as equal."""
    a, b = (torch.as_tensor(value).detach().to(torch.float64).flatten() for value in (golden, calculated))
    if bool(torch.isnan(a).all()) and bool(torch.isnan(b).all()):
        return 1.0
    finite = torch.isfinite(a) & torch.isfinite(b)
    if not bool((finite | (a == b) | (torch.isnan(a) & torch.isnan(b))).all()):
        return 0.0
    a, b = a[finite], b[finite]
    if a.numel() < 2 or float(a.std()) == 0 or float(b.std()) == 0:
        return 1.0 if torch.allclose(a, b, rtol=1e-2, atol=1e-2) else 0.0
    return float(numpy.corrcoef(a.numpy(), b.numpy())[0, 1])


def compare_tensor_to_golden(name: str, golden: Any, calculated: Any, is_buda: bool = False,
                             rtol: Any = None, atol: Any = None, pcc: float | None = None, warning_only: bool = False,
                             relative_atol: float | None = None, verify_cfg: Any = None) -> bool:
    """Whether all values are close, or, for several values, their correlation is at least `pcc`. Defaults are those of
    `verify_cfg` or VerifyConfig: rtol 0, atol 0.1 of the largest value, pcc 0.99. Tensors of bool must be equal."""
    settings = verify_cfg or VerifyConfig()
    golden, calculated = _torch(golden), _torch(calculated)
    if is_buda and golden.shape != calculated.shape:
        calculated = calculated[tuple(slice(0, size) for size in golden.shape)] if \
            calculated.dim() == golden.dim() else calculated.reshape(golden.shape)
    if tuple(golden.shape) != tuple(calculated.shape):
        return _failed(name, f"shape {tuple(calculated.shape)}, expected {tuple(golden.shape)}", warning_only)
    if golden.dtype == torch.bool:
        same = bool(torch.equal(golden, calculated.to(torch.bool)))
        return same or _failed(name, "other bools", warning_only)
    pcc = pcc if pcc is not None else (settings.pcc if settings.pcc is not None else 0.99)
    rtol, atol = (value if value is not None else _of_type(given, golden.dtype)
                  for value, given in ((rtol, settings.rtol), (atol, settings.atol)))
    relative = relative_atol if relative_atol is not None else settings.relative_atol
    a, b = golden.detach().double(), calculated.detach().double()
    if atol is None:
        finite = a[torch.isfinite(a)].abs()
        atol = relative * float(finite.max()) if finite.numel() else 0.0
    if torch.allclose(a, b, rtol=rtol or 0.0, atol=atol, equal_nan=True):
        return True
    found = calculate_pcc(a, b)
    if a.numel() > 1 and found >= pcc:
        return True
    worst = float((a - b).abs().max())
    return _failed(name, f"largest difference {worst:g} (allowed {atol:g}), correlation {found:.6f} (required {pcc:g})",
                   warning_only)


def _of_type(given: Any, dtype: torch.dtype) -> Any:
    """From a number for all dtypes, or numbers by dtype."""
    return given.get(dtype) if isinstance(given, dict) else given


def _torch(value: Any) -> torch.Tensor:
    return to_pt_tensor(value)


def _failed(name: str, what: str, warning_only: bool) -> bool:
    (log.warning if warning_only else log.error)("%s differs: %s", name, what)
    return warning_only
