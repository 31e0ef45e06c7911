"""Hugging Face pipelines with the model on a TTDevice; generation loops stay on the host."""
from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import torch

from ..module import PyTorchModule
from ..process import align_up_tile
from ..run.api import run_inference
from ..ttdevice import TTDevice

_DEFAULT_LENGTH = 256


class _Wanted(torch.nn.Module):
    """A model as a function of token ids and masks that returns its logits, or its first output."""

    def __init__(self, model: torch.nn.Module, names: list[str], forward_fn: Callable[..., Any] | None) -> None:
        super().__init__()
        self.model, self.names, self.forward_fn = model, names, forward_fn

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        given: dict[str, Any] = dict(zip(self.names, values))
        if "encoder_hidden" in given:
            given["encoder_outputs"] = _outputs().BaseModelOutput(last_hidden_state=given.pop("encoder_hidden"))
        if self.forward_fn is not None:
            made: torch.Tensor = self.forward_fn(self.model, **given)
            return made
        given |= {"use_cache": False} if "use_cache" in _arguments(self.model) else {}
        output = self.model(**given)
        result: torch.Tensor = output.logits if hasattr(output, "logits") else output[0]
        return result


def _outputs() -> Any:
    """Output classes of transformers, imported on first use."""
    return importlib.import_module("transformers.modeling_outputs")


def _arguments(model: torch.nn.Module) -> list[str]:
    return list(inspect.signature(model.forward).parameters)


class NLPPipelineWrapper:
    """Replaces a model's forward: ids and masks are padded to `max_length` tokens, so that one compilation is enough
    for all calls; logits are cropped to the real length."""

    def __init__(self, model: torch.nn.Module, name: str, max_length: int, pad_token_id: int,
                 forward_fn: Callable[..., Any] | None = None) -> None:
        self.name, self.max_length, self.pad_token_id = name, max_length, pad_token_id
        self.forward_fn = forward_fn
        self._device: Any = None
        self.host, self._original = model, model.forward
        self._place()

    def _place(self) -> None:
        """Installs forward() in the host's model, whose loops also inspect its arguments."""
        @functools.wraps(self._original)
        def forward(*args: Any, **kwargs: Any) -> Any:
            return self.forward(*args, **kwargs)

        self.host.forward = forward

    def forward(self, input_ids: torch.Tensor | None = None, attention_mask: torch.Tensor | None = None,
                decoder_input_ids: torch.Tensor | None = None, decoder_attention_mask: torch.Tensor | None = None,
                **kwargs: Any) -> Any:
        """Logits [batch, tokens, words] in the usual output object, for ids [batch, tokens]. RuntimeError for more
        tokens than max_length."""
        main = decoder_input_ids if decoder_input_ids is not None else input_ids
        if main is None:
            raise RuntimeError(f"'{self.name}' was called without token ids; pass input_ids=, and decoder_input_ids= of a "
                               "model with a decoder")
        length = main.shape[1]
        if length > self.max_length:
            raise RuntimeError(f"{length} tokens; '{self.name}' was created for {self.max_length}: pass "
                               f"pybuda_max_length={align_up_tile(length)}")
        encoded = kwargs.get("encoder_outputs")
        values = self._padded(main if input_ids is None else input_ids, attention_mask) if encoded is None else self._encoded(encoded[0],
                                                                                              attention_mask)
        if decoder_input_ids is not None:
            values |= {"decoder_" + key: value for key, value in
                       self._padded(decoder_input_ids, decoder_attention_mask).items()}
        rows = [self._run({key: value[at:at + 1] for key, value in values.items()}) for at in range(main.shape[0])]
        logits = torch.cat(rows).float()
        return self._output(logits[:, :length] if logits.dim() == 3 and logits.shape[1] == self.max_length else logits)

    def _padded(self, ids: torch.Tensor, mask: torch.Tensor | None) -> dict[str, torch.Tensor]:
        mask = torch.ones_like(ids) if mask is None else mask
        behind = (0, self.max_length - ids.shape[1])
        return {"input_ids": torch.nn.functional.pad(ids, behind, value=self.pad_token_id),
                "attention_mask": torch.nn.functional.pad(mask, behind, value=0)}

    def _encoded(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> dict[str, torch.Tensor]:
        """The encoder's output on the host, padded to the full length."""
        size = self.max_length if mask is not None or hidden.shape[1] <= self.max_length else hidden.shape[1]
        behind = size - hidden.shape[1]
        mask = hidden.new_ones(hidden.shape[:2], dtype=torch.int64) if mask is None else mask
        return {"encoder_hidden": torch.nn.functional.pad(hidden, (0, 0, 0, behind)),
                "attention_mask": torch.nn.functional.pad(mask, (0, behind), value=0)}

    def _run(self, values: dict[str, torch.Tensor]) -> torch.Tensor:
        if self._device is None:
            wanted = _Wanted(self.host, list(values), self.forward_fn).eval()
            del self.host.forward  # the capture uses torch's own forward
            self._device = TTDevice(f"tt_{self.name}", module=PyTorchModule(self.name, wanted, redirect_forward=False))
            try:
                return self._push(run_inference, values)
            finally:
                self._place()
        return self._push(run_inference, values)

    def _push(self, run_inference: Any, values: dict[str, torch.Tensor]) -> torch.Tensor:
        self._device.push_to_inputs(list(values.values()))
        result: torch.Tensor = run_inference().get()[0].value()
        return result

    def _output(self, logits: torch.Tensor) -> Any:
        """An output object like that of the host's model."""
        outputs, kind = _outputs(), type(self.host).__name__
        if kind.endswith(("ForConditionalGeneration", "Seq2SeqLM")):
            return outputs.Seq2SeqLMOutput(logits=logits)
        if kind.endswith(("ForCausalLM", "LMHeadModel")):
            return outputs.CausalLMOutputWithPast(logits=logits, past_key_values=None)
        return outputs.ModelOutput(logits=logits)


def pipeline(pipeline_type: str, *args: Any, model: Any = None, tokenizer: Any = None,
             forward_fn: Callable[..., Any] | None = None, pybuda_max_length: int | None = None,
             use_cache: bool | None = None, **kwargs: Any) -> Any:
    """transformers.pipeline() with a model, given as object or name, that runs on a TTDevice from the first call on."""
    made = importlib.import_module("transformers").pipeline(pipeline_type, *args, model=model, tokenizer=tokenizer, **kwargs)
    held = made.model
    if hasattr(held, "generation_config") and held.generation_config is not None:
        held.generation_config.use_cache = False
    held.config.use_cache = False
    pad = getattr(made.tokenizer, "pad_token_id", None)
    pad = pad if pad is not None else getattr(held.config, "pad_token_id", None)
    NLPPipelineWrapper(held, type(held).__name__, align_up_tile(pybuda_max_length or _DEFAULT_LENGTH),
                       pad if pad is not None else 0, forward_fn)
    return made
