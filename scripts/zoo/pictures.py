"""Picture networks of torchvision at real sizes with random weights."""
import torch
import torchvision


def settled(model, shape):
    """Batch norms get the statistics of a few random pictures, as a trained network would have them."""
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None  # the mean over all batches
    model.train()
    with torch.no_grad():
        model(torch.randn((4, *shape[1:]), generator=torch.Generator().manual_seed(10)))
    return model.eval()


def pictures(model, seed, size=224):
    shape = (1, 3, size, size)
    return settled(model, shape), {"pixels": torch.randn(shape, generator=torch.Generator().manual_seed(seed))}


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
