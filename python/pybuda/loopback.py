"""Outputs that become inputs of the next run, such as caches of keys and values. They stay on the device: pushes omit
them, and results contain only the other outputs."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


class Loopback:
    """`links`: {input name, or "input_<position>": output or list of outputs}; `names` of the inputs, of which
    `samples` has the first. RuntimeError for unknown inputs and outputs."""

    def __init__(self, links: dict[str, Any], names: Sequence[str], samples: Sequence[torch.Tensor],
                 outputs: int) -> None:
        self.taken: dict[int, int] = {}  # input: output
        for name, output in links.items():
            place = self._place(name, names)
            for offset, one in enumerate(output if isinstance(output, (list, tuple)) else [output]):
                if not 0 <= one < outputs or place + offset >= len(names):
                    raise RuntimeError(f"loopback_outputs links input {place + offset} to output {one}, but there are "
                                       f"{len(names)} inputs and {outputs} outputs")
                self.taken[place + offset] = one
        self.count = len(names)
        self.held = {place: samples[place] for place in self.taken}

    @staticmethod
    def past_links(names: Sequence[str], samples: Sequence[Any], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
        """Links caches by their shapes: each output after the first, of at least three dims, to the first unused input
        after the first that has its shape."""
        links: dict[str, int] = {}
        for output, shape in enumerate(shapes):
            free = [name for name, sample in list(zip(names, samples))[1:] if sample is not None and name not in links
                    and sample.is_floating_point() and tuple(sample.shape) == tuple(shape)]
            if output > 0 and len(shape) > 2 and free:
                links[free[0]] = output
        return links

    @staticmethod
    def _place(name: str, names: Sequence[str]) -> int:
        numbered = [f"input_{place}" for place in range(len(names))]
        for known in (list(names), numbered):
            if name in known:
                return known.index(name)
        raise RuntimeError(f"loopback_outputs names input '{name}'; the inputs are {', '.join(names)}")

    def pushed(self, samples: Sequence[Any]) -> list[Any]:
        """The part of samples of all inputs that pushes contain."""
        return [value for place, value in enumerate(samples) if place not in self.taken]

    def given(self, values: Sequence[Any]) -> list[Any]:
        """All inputs, for a push with or without the linked ones."""
        if len(values) == self.count:
            return list(values)
        left = iter(values)
        return [self.held[place] if place in self.taken else next(left) for place in range(self.count)]

    def kept(self, outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs that are not inputs of the next run."""
        for place, output in self.taken.items():
            self.held[place] = outputs[output].to(self.held[place].dtype)
        linked = set(self.taken.values())
        return [output for place, output in enumerate(outputs) if place not in linked]
