"""Errors for training, which is not implemented."""
from __future__ import annotations

from typing import Any, NoReturn


def refuse_training(what: str) -> NoReturn:
    """Raises NotImplementedError, which is a RuntimeError."""
    raise NotImplementedError(f"{what} needs a backward pass, which is not implemented: modules run only inference; "
                              "train in torch, and load the weights with update_device_parameters() or set_parameter()")


def set_training(config: Any, training: bool) -> None:
    """Sets in the configuration whether a run trains. NotImplementedError if it does."""
    config.enable_training = training
    if training:
        refuse_training("training")
