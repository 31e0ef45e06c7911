"""Runs a model of transformers: python3 tools/run_transformers.py --model NAME --backend torch_ttnn|torch_stat

NAME is a folder with config.json, or a name of the hub whose configuration is in the local cache; the weights are random
where none are there."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import torch


def load(name: str, layers: int | None = None) -> tuple[torch.nn.Module, dict[str, torch.Tensor]]:
    """The model of a name, and token ids for it. OSError if the configuration is not there."""
    import transformers
    config = transformers.AutoConfig.from_pretrained(name)
    config._attn_implementation = "eager"
    if layers is not None:
        config.num_hidden_layers = layers
    kind = (config.architectures or [""])[0]
    torch.manual_seed(0)
    maker = getattr(transformers, kind, None)
    module = maker(config) if maker is not None else transformers.AutoModel.from_config(config)  # type: ignore[no-untyped-call]
    try:
        module = type(module).from_pretrained(name, config=config)
    except OSError:
        print(f"{name}: no weights are here; they are random", file=sys.stderr)
    ids = torch.randint(1, config.vocab_size, (1, 32), generator=torch.Generator().manual_seed(0))
    return module.eval(), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--backend", choices=("torch_ttnn", "torch_stat"), required=True)
    parser.add_argument("--layers", type=int)
    given = parser.parse_args(arguments)
    try:
        module, inputs = load(given.model, given.layers)
    except OSError as error:
        print(f"{given.model}: error: {str(error).splitlines()[0]}; name a folder with config.json", file=sys.stderr)
        return 2
    with torch.no_grad():
        expected = module(**inputs)
        if given.backend == "torch_stat":
            import torch_stat
            name = given.model.rstrip("/").split("/")[-1]
            torch.compile(module, backend=torch_stat.backend, options=torch_stat.TorchStatOption(name))(**inputs)  # type: ignore[call-overload]
            print("the graphs are in stat/raw")
            return 0
        return _on_chip(module, inputs, expected)


def _on_chip(module: torch.nn.Module, inputs: dict[str, torch.Tensor], expected: Any) -> int:
    import ttnn

    from .. import backend
    from ..metrics import accuracy
    from ..option import TorchTtnnOption
    from ..recording import plain
    with ttnn.manage_device(0) as device:
        option = TorchTtnnOption(device=device)
        made = torch.compile(module, backend=backend, options=option)(**inputs)  # type: ignore[call-overload]
        print(option.report())
        print(f"accuracy {accuracy(plain(expected), plain(made))} %")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
