"""Training of compiled models."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

from . import _ttsim, arrays, session
from ._run_keywords import SessionKeywords
from ._ttsim import ArrayInfo
from .model import CompiledModel, _results

if TYPE_CHECKING:
    from typing import Unpack


class Trainer(session.OnChip):
    """Trains a model that was compiled with `training=True`, on its own session. Keywords are those of Session.

        trainer.forward(inputs) -> outputs; trainer.backward(gradients of outputs) -> gradients of inputs; trainer.step()

    Parameters, summed gradients and the optimizer's state stay on the device in between. InputError for a model that was
    not compiled for training."""

    def __init__(self, compiled: CompiledModel | str | os.PathLike[str], **keywords: Unpack[SessionKeywords]) -> None:
        self.compiled = compiled if isinstance(compiled, CompiledModel) else CompiledModel.read(compiled)
        self._raw = _ttsim.Trainer(self.compiled.raw, session.options(keywords))
        self._inputs = {info.name: info.type for info in self.compiled.inputs}
        self._outputs = {info.name: info.type for info in self.compiled.outputs}
        self._types = {info.name: info.type for info in self.parameters}

    def forward(self, inputs: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
        """Outputs by name for inputs by name, as Model.run(): whole microbatches, and at most `microbatch_count` of
        them. InputError if the samples of an earlier forward() wait for their backward()."""
        return _results(self._raw.forward({name: arrays.pair(values, self._inputs.get(name))
                                           for name, values in inputs.items()}))

    def backward(self, gradients: Mapping[str, Any] | None = None, clear: bool = True,
                 samples: int = 0) -> dict[str, numpy.ndarray]:
        """`gradients`: of all outputs that are not losses, by name, for the samples of the last forward(). `clear`: the
        sums of gradients start at 0. `samples`: the first so many of those without a backward(), in whole microbatches;
        0: all. Returns the gradients of `input_gradients`, by the input's name."""
        return _results(self._raw.backward({name: arrays.pair(values, self._outputs.get(name))
                                            for name, values in (gradients or {}).items()}, clear, samples))

    def step(self) -> None:
        """Runs the optimizer on the summed gradients. InputError if the model was compiled without one."""
        self._raw.step()

    @property
    def parameters(self) -> list[ArrayInfo]:
        """The constants of the model that are trained."""
        found: list[ArrayInfo] = self._raw.parameters
        return found

    def parameter(self, name: str) -> numpy.ndarray:
        """The value on the device. InputError for a name that is not trained."""
        return arrays.array(self._type_of(name), self._raw.parameter(name))

    def gradient(self, name: str) -> numpy.ndarray:
        """The gradient, summed over all samples since it was cleared. InputError for a name that is not trained."""
        return arrays.array(self._type_of(name), self._raw.gradient(name))

    def set_parameter(self, name: str, values: Any) -> None:
        """Sets the value on the device. InputError for another shape, or a name that is not trained."""
        self._raw.set_parameter(name, *arrays.pair(values, self._type_of(name)))

    def set_learning_rate(self, rate: float) -> None:
        """Of all parameters, from the next step() on."""
        self._raw.set_learning_rate(rate)

    def state(self, name: str) -> dict[str, numpy.ndarray]:
        """The optimizer's state of a parameter: "momentum", or "mean" and "square"; {} without any."""
        return _results(self._raw.state(name))

    def set_state(self, name: str, state: Mapping[str, Any]) -> None:
        """Sets it. InputError for another kind of state or another shape."""
        kind = self._type_of(name)
        self._raw.set_state(name, {key: arrays.pair(values, kind) for key, values in state.items()})

    @property
    def steps(self) -> int:
        """Steps that were run. To go on from a saved state set them too: Adam's correction depends on them."""
        return int(self._raw.steps)

    @steps.setter
    def steps(self, steps: int) -> None:
        self._raw.steps = steps

    @property
    def samples(self) -> int:
        """Samples that forward() has run. To go on from a saved state set them too: the masks of dropout depend on
        them. InputError when set between forward() and backward()."""
        return int(self._raw.samples)

    @samples.setter
    def samples(self, samples: int) -> None:
        self._raw.samples = samples

    def _type_of(self, name: str) -> Any:
        if name not in self._types:
            self._raw.parameter(name)  # raises an error that lists the names
        return self._types[name]
