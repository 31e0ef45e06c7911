"""Records the graphs of networks: python3 tools/stat_models.py --trace_orig --backward --profile"""
from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func  # type: ignore[import-untyped]
from torch._dynamo.backends.common import aot_autograd

from ..tracer import Tracer
from .networks import MobileNetV2, Mnist, ResNet, with_statistics

_NAMES = ("resnet18", "mobilenet_v2", "mnist")
_TORCHVISION = ("alexnet", "googlenet", "resnet18", "vgg11")


def networks(more: bool) -> dict[str, tuple[torch.nn.Module, torch.Tensor]]:
    """Networks with inputs: those of torchvision where it is installed, else those of this package."""
    pictures = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(0))
    digits = torch.randn(1, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    made: dict[str, tuple[torch.nn.Module, torch.Tensor]] = {"resnet18": (with_statistics(ResNet()), pictures)}
    made |= {"mobilenet_v2": (with_statistics(MobileNetV2()), pictures), "mnist": (Mnist(), digits)} if more else {}
    try:
        import torchvision  # type: ignore[import-not-found]
    except ImportError:
        return made
    for name in _TORCHVISION:
        options = {"aux_logits": False, "init_weights": True} if name == "googlenet" else {}
        made[name] = (getattr(torchvision.models, name)(**options), pictures)
    return made


def _compilers(name: str, given: argparse.Namespace) -> dict[str, Any]:
    if given.use_torch_ttnn:
        import ttnn

        from ..option import TorchTtnnOption
        device = ttnn.GetDefaultDevice() or ttnn.open_device(device_id=0)
        ttnn.SetDefaultDevice(device)
        return {"option": TorchTtnnOption(device=device, gen_graphviz=given.graphviz, metrics_path=name if given.graphviz else "",
                                          tracer_option={"model_name": name, "out_folder": given.out_folder,
                                                         "trace_orig": given.trace_orig, "trace_modi": given.trace_modi})}

    def unchanged(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
        return make_boxed_func(gm.forward)
    return {side: Tracer(unchanged, f"{prefix}_{name}", given.out_folder, given.trace_orig, given.trace_modi)
            for side, prefix in (("fw_compiler", "fw"), ("bw_compiler", "bw"))}


def record(name: str, module: torch.nn.Module, x: torch.Tensor, given: argparse.Namespace) -> None:
    """Runs a network forward, with --backward also backward, and writes what was asked for."""
    torch._dynamo.reset()
    made = _compilers(name, given)
    if "option" in made:
        from .. import backend
        compiled: Any = torch.compile(module, backend=backend, options=made["option"])
    else:
        compiled = torch.compile(module, backend=aot_autograd(**made))

    def run() -> None:
        if given.backward:
            module.train()
            result = compiled(x.clone().requires_grad_())
            result.mean().backward()
        else:
            module.eval()
            with torch.no_grad():
                compiled(x)
    run()
    if given.profile:
        folder = os.path.join(given.out_folder, "profile", name)
        os.makedirs(folder, exist_ok=True)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
            run()
        profile.export_chrome_trace(os.path.join(folder, "trace.json"))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trace_orig", action="store_true", help="graphs before the compiler")
    parser.add_argument("--trace_modi", action="store_true", help="graphs after it")
    parser.add_argument("--backward", action="store_true", help="backward graphs too")
    parser.add_argument("--profile", action="store_true", help="traces of torch.profiler")
    parser.add_argument("--use_torch_ttnn", action="store_true", help="with the backend torch_ttnn")
    parser.add_argument("--out_folder", default="stat")
    parser.add_argument("--graphviz", action="store_true", help="pictures of the graphs (with --use_torch_ttnn)")
    parser.add_argument("--model_more", action="store_true", help="more networks")
    given = parser.parse_args(arguments)
    for name, (module, x) in networks(given.model_more).items():
        record(name, module, x, given)
        print(f"{name}: recorded in {given.out_folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
