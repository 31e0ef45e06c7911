"""Typical PyTorch networks with random weights, to evaluate the frontend.

make(name) returns a network of real size, make(name, small=True) a smaller variant for quick tests."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from . import language
from .classic import VGG, DenseNet
from .dense import ConvAutoencoder, LinearAutoencoder, OpenPose, UNet, YOLO
from .mobilenet import EfficientNet, MobileNetV1, MobileNetV2, MobileNetV3
from .resnet import ResNet

Made = tuple[nn.Module, tuple, dict[str, Any]]


def _of_pictures(real: Callable[[], nn.Module], small: Callable[[], nn.Module], size: int = 224,
                 small_size: int = 64) -> Callable[[bool], Made]:
    def maker(is_small: bool) -> Made:
        side = small_size if is_small else size
        return (small if is_small else real)(), (torch.randn(1, 3, side, side),), {}
    return maker


def _linear_autoencoder(small: bool) -> Made:
    widths = (96, 32, 8) if small else (784, 128, 64, 12, 3)
    return LinearAutoencoder(widths), (torch.randn(1, widths[0]),), {}


MODELS: dict[str, Callable[[bool], Made]] = {
    "resnet18": _of_pictures(lambda: ResNet([2, 2, 2, 2], False), lambda: ResNet([1, 1], False, 10)),
    "resnet50": _of_pictures(lambda: ResNet([3, 4, 6, 3], True), lambda: ResNet([1, 1], True, 10)),
    "mobilenet_v1": _of_pictures(MobileNetV1, lambda: MobileNetV1(MobileNetV1.PAIRS[:4], 10)),
    "mobilenet_v2": _of_pictures(MobileNetV2, lambda: MobileNetV2(MobileNetV2.STAGES[:3], 10)),
    "mobilenet_v3": _of_pictures(MobileNetV3, lambda: MobileNetV3(MobileNetV3.LARGE[:7], 10)),
    "efficientnet_b0": _of_pictures(EfficientNet, lambda: EfficientNet(EfficientNet.STAGES[:3], 10)),
    "densenet121": _of_pictures(lambda: DenseNet([6, 12, 24, 16]), lambda: DenseNet([2, 2], 16, 10)),
    "vgg11": _of_pictures(lambda: VGG(VGG.VGG11), lambda: VGG([16, 0, 32, 0, 32, 0], 64, 10), small_size=56),
    "vgg16": _of_pictures(lambda: VGG(VGG.VGG16), lambda: VGG([16, 16, 0, 32, 32, 0, 32, 0], 64, 10), small_size=56),
    "unet": _of_pictures(UNet, lambda: UNet(8, 2), 256),
    "yolo": _of_pictures(YOLO, lambda: YOLO(8, 4), 320),
    "openpose": _of_pictures(OpenPose, lambda: OpenPose(32, 2), 224),
    "conv_autoencoder": _of_pictures(ConvAutoencoder, ConvAutoencoder, 64, 32),
    "linear_autoencoder": _linear_autoencoder,
    "bert": language.bert, "distilbert": language.distilbert, "albert": language.albert, "roberta": language.roberta,
    "gpt2": language.gpt2, "t5": language.t5, "vit": language.vit, "deit": language.deit, "beit": language.beit,
    "swin": language.swin, "whisper_encoder": language.whisper_encoder, "llama": language.llama,
    "falcon": language.falcon,
}


def make(name: str, small: bool = False) -> Made:
    """Module in evaluation mode, with arguments and keywords of a call; deterministic."""
    torch.manual_seed(0)
    module, args, kwargs = MODELS[name](small)
    return module.eval(), args, kwargs
