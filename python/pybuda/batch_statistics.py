"""Batch norms in training mode: the device computes the statistics of a micro-batch, the host their running averages."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm


class BatchStatistics:
    """The batch norms of a module that are in training mode. A module that has some is compiled for a whole micro-batch,
    since the results of a sample depend on the others."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module
        self._norms = {name: part for name, part in module.named_modules()
                       if isinstance(part, _BatchNorm) and part.training}
        self._calls: list[tuple[_BatchNorm, int]] = []  # in order, with the number of elements of a channel

    def __bool__(self) -> bool:
        return bool(self._norms)

    @property
    def results(self) -> int:
        """Number of results that returned() appends: a mean and a variance for each call of a batch norm."""
        return 2 * len(self._calls)

    @contextlib.contextmanager
    def returned(self) -> Iterator[None]:
        """Inside, the module returns its result and then the statistics, and no batch norm changes a buffer."""
        if not self:
            yield
            return
        found: list[torch.Tensor] = []
        parts = dict.fromkeys([*self._norms.values(), self._module])
        kept = {part: part.__dict__.get("forward") for part in parts}
        for norm in self._norms.values():
            norm.forward = functools.partial(self._normalized, norm, found)  # type: ignore[method-assign]
        inner = self._module.forward

        @functools.wraps(inner)
        def forward(*args: Any, **kwargs: Any) -> dict[str, Any]:
            self._calls.clear()
            found.clear()
            return {"output": inner(*args, **kwargs), "statistics": list(found)}
        self._module.forward = forward
        try:
            yield
        finally:
            for part, own in kept.items():
                if own is None:
                    del part.forward
                else:
                    part.forward = own

    def _normalized(self, norm: _BatchNorm, found: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """As F.batch_norm(training=True)."""
        norm._check_input_dim(x)  # type: ignore[no-untyped-call]
        count = x.numel() // x.shape[1]
        if count == 1:  # as in torch
            raise NotImplementedError(f"a {type(norm).__name__} in training mode has one value of each channel, which has "
                                      "no statistics: push micro-batches of 2 samples or more, or call its eval()")
        axes = [axis for axis in range(x.dim()) if axis != 1]
        mean = x.mean(axes, keepdim=True)
        centred = x - mean
        variance = (centred * centred).mean(axes, keepdim=True)
        self._calls.append((norm, count))
        found.extend([mean.flatten(), variance.flatten()])
        y = centred * torch.rsqrt(variance + norm.eps)
        form = [1, -1] + [1] * (x.dim() - 2)
        if norm.weight is not None:
            y = y * norm.weight.reshape(form)
        return y if norm.bias is None else y + norm.bias.reshape(form)

    def update(self, statistics: Sequence[torch.Tensor]) -> None:
        """Moves the running averages in the module, as torch does in each forward pass. `statistics`: of a micro-batch,
        as returned() appends them."""
        for (norm, count), mean, variance in zip(self._calls, statistics[::2], statistics[1::2]):
            if norm.running_mean is None or norm.running_var is None or norm.num_batches_tracked is None:
                continue
            with torch.no_grad():
                norm.num_batches_tracked += 1
                share = norm.momentum if norm.momentum is not None else 1 / float(norm.num_batches_tracked)
                norm.running_mean.lerp_(mean.to(norm.running_mean), share)
                norm.running_var.lerp_(variance.to(norm.running_var) * count / max(count - 1, 1), share)

    def buffers(self) -> Mapping[str, torch.Tensor]:
        """Copies of the running averages, for references that must not change those of the module."""
        return {f"{name}.{own}" if name else own: buffer.clone().float() if buffer.is_floating_point() else buffer.clone()
                for name, norm in self._norms.items() for own, buffer in norm.named_buffers()}
