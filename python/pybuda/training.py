"""What is said where training would begin."""
from __future__ import annotations

from typing import Any, NoReturn


def refuse_training(what: str) -> NoReturn:
    """NotImplementedError, which is a RuntimeError."""
    raise NotImplementedError(f"{what} needs a backward pass, which is not there yet: modules run in inference; train "
                              "in torch, and load the weights by update_device_parameters() or set_parameter()")


def set_training(config: Any, training: bool) -> None:
    """Notes in the configuration whether a run trains. NotImplementedError where it does."""
    config.enable_training = training
    if training:
        refuse_training("training")
