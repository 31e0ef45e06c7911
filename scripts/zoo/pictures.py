"""Picture networks of torchvision at real sizes with random weights."""
import torch
import torchvision


def pictures(model, seed, size=224):
    return model, {"pixels": torch.randn((1, 3, size, size), generator=torch.Generator().manual_seed(seed))}


def resnet18():
    return pictures(torchvision.models.resnet18(), 11)


def resnet50():
    return pictures(torchvision.models.resnet50(), 12)


def mobilenet_v2():
    return pictures(torchvision.models.mobilenet_v2(), 13)


def squeezenet():
    return pictures(torchvision.models.squeezenet1_1(), 14)


def vit_b16():
    model = torchvision.models.vit_b_16()
    torch.nn.init.normal_(model.heads.head.weight, std=0.02)  # zero otherwise, and so would be the logits
    return model, {"pixels": torch.randn((1, 3, 224, 224), generator=torch.Generator().manual_seed(4))}
