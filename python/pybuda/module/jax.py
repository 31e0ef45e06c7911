"""Functions of JAX and modules of Flax."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ttsim.convert
from ttsim.convert import Converted

from .framework import FrameworkModule


class JaxModule(FrameworkModule):
    """A function of JAX, a module of Flax (linen with the result of init() as `params`, bound, or nnx) or another
    callable. `params`: parameters of a linen module, or the first argument of a function. RuntimeError for other
    objects, and for a linen module without parameters."""
    framework = "JAX"

    def __init__(self, name: str, module: Any, params: Any = None) -> None:
        super().__init__(name)
        if not callable(module):
            raise RuntimeError(f"JaxModule '{name}' needs a function of JAX or a module of Flax, not a "
                               f"{type(module).__name__}")
        self.module, self.params = module, params
        self._function = ttsim.convert.jax.caller(module, params)

    def declared(self) -> None:
        """None: shapes and types follow from what is pushed."""
        return

    def argument_names(self) -> list[str]:
        """Of the arguments of the function."""
        return ttsim.convert.jax.argument_names(self.module, self.params)

    def convert(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Converted:
        """By jax2onnx."""
        return ttsim.convert.jax.convert(self.module, specs, self.params)

    def source(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Any:
        """Of the traced function."""
        return ttsim.convert.jax.source(self.module, specs, self.params)

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Runs the function in JAX."""
        return ttsim.convert.jax.run(self._function, values)

    def parameter_values(self) -> dict[str, Any]:
        """Arrays by their path in the tree of parameters."""
        return ttsim.convert.jax.parameters_of(self.module, self.params)

    def assign(self, name: str, value: Any) -> None:
        """RuntimeError for modules of nnx and functions that hold their parameters themselves."""
        if self.params is None:
            super().assign(name, value)
        self.params = ttsim.convert.jax.with_value(self.params, name, value)
        self._function = ttsim.convert.jax.caller(self.module, self.params)
