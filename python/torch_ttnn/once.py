"""Values that depend on parameters only, kept between calls."""
from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node


def versions(values: Any) -> tuple[Any, ...]:
    """Equal for tensors in the same memory that were not written in between."""
    return tuple((one.data_ptr(), one._version, tuple(one.shape), one.dtype) if isinstance(one, torch.Tensor) else one
                 for one in values)


class OnceSpec:
    """The nodes of one graph that depend on parameters only. `run`: computes them; the backend sets it. The results are
    kept until a parameter is in another place or was written."""

    def __init__(self, name: str, gm: GraphModule) -> None:
        self.name, self.gm = name, gm
        self.run: Any = gm
        self.count = 0  # times that it was computed
        self._key: Any = None
        self._values: Any = None
        self._held: list[Any] = []  # parameters, so that others do not get their memory
        self._sources = _sources(gm)

    def __call__(self, *values: Any) -> Any:
        key = versions(values)
        if key != self._key:
            self._values = None  # frees the old values first
            self._values = self.run(*values)
            self._key = key
            self._held = [one.detach() if isinstance(one, torch.Tensor) else one for one in values]
            self.count += 1
        return self._values

    def key_of(self, result: int) -> tuple[Any, ...]:
        """Equal as long as the parameters behind one result are the same."""
        return tuple(self._key[place] for place in self._sources[result])

    def clear(self) -> None:
        """Forgets the values."""
        self._key = self._values = None
        self._held = []

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> OnceSpec:
        return self


def _sources(gm: GraphModule) -> list[tuple[int, ...]]:
    """For each result the positions of the inputs that it depends on."""
    found: dict[Node, set[int]] = {}
    places = gm.graph.find_nodes(op="placeholder")
    for node in gm.graph.nodes:
        found[node] = {places.index(node)} if node.op == "placeholder" else set().union(*(found[one] for one in node.all_input_nodes))
    results: Any = gm.graph.output_node().args[0]
    return [tuple(sorted(found[node])) for node in results]
