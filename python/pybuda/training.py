"""What all devices have in common when they train, and errors of calls that need a pipeline that trains."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

Batch = list[Any]  # tensors of a micro-batch; dim 0 is the sample


class Training(Protocol):
    """A device of a pipeline that trains. All micro-batches of a pass are given at once; gradients are summed."""

    def forward(self, batches: Sequence[Batch], targets: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch, or its losses on the device that has the loss module."""

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Of the first `count` micro-batches of the last forward() that had none. `gradients`: of their outputs; None on
        the device that has the loss module. Returns the gradients of its inputs, None for those that nothing needs.
        `clear`: summed gradients of parameters start at 0."""

    def step(self) -> None:
        """Updates the parameters."""

    def schedule(self) -> None:
        """Steps the schedulers of learning rates."""

    def gradients(self) -> dict[str, Any]:
        """Summed gradients of parameters, as torch tensors."""

    def values(self) -> dict[str, Any]:
        """Values of the parameters that require gradients, as torch tensors."""

    def state(self) -> dict[str, Any]:
        """The optimizer's state by parameter, if it is on a chip."""

    def set_state(self, state: dict[str, Any]) -> None:
        """Sets it."""

    def needs_gradients(self) -> bool:
        """Whether it has a use for gradients of its outputs."""


def not_training(what: str) -> NoReturn:
    """RuntimeError for a call that needs a pipeline that trains."""
    raise RuntimeError(f"{what} needs a pipeline that was compiled for training; call "
                       "pybuda.initialize_pipeline(training=True, sample_inputs=...) or pybuda.run_training() before")


def refuse_training(what: str, remedy: str) -> NoReturn:
    """Raises NotImplementedError, which is a RuntimeError, for a feature that training does not support."""
    raise NotImplementedError(f"{what} is not supported; {remedy}")
