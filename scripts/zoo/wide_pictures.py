"""Picture networks of all families at real sizes with random weights: torchvision's, and some written here."""
import torch
from torch import nn
from torch.nn import functional

from zoo.small import UNet

try:
    import torchvision
except ImportError:  # its networks are missing then, those written here are not
    torchvision = None

# Opset and arguments of the export that differ from the default.
EXPORT = {
    "alexnet": {"opset_version": 9},
    "vgg11_bn": {"opset_version": 9, "do_constant_folding": False},
    "googlenet": {"opset_version": 11},
    "mobilenet_v3_small": {"opset_version": 11},
    "mobilenet_v3_large": {"opset_version": 16},
    "densenet121": {"opset_version": 13, "dynamic_axes": {"pixels": {0: "batch"}}},
    "shufflenet_v2_x1_0": {"opset_version": 12, "dynamic_axes": {"pixels": {0: "batch", 2: "h", 3: "w"}}},
    "swin_t": {"opset_version": 16},
    "convnext_tiny": {"opset_version": 16},
    "efficientnet_v2_s": {"opset_version": 13, "training": torch.onnx.TrainingMode.PRESERVE},
    "deeplabv3_mobilenet": {"opset_version": 11, "dynamic_axes": {"pixels": {0: "batch", 2: "h", 3: "w"}}},
    "fcn_resnet50": {"opset_version": 13},
    "lraspp_mobilenet": {"opset_version": 16},
    "yolov5s": {"opset_version": 12},
    "yolov3_tiny": {"opset_version": 11},
    "ssd_head": {"opset_version": 11},
    "unet": {"opset_version": 9},
    "unet_resize": {"opset_version": 11},
    "dcgan": {"opset_version": 10},
    "vit_b_32": {"opset_version": 16, "do_constant_folding": False},
}


def normal(shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def settled(model, *inputs):
    """Sets the statistics of batch norms from one pass, like training; otherwise activations vanish or grow."""
    for part in model.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.momentum = 1.0
    model.train()
    for part in model.modules():
        if isinstance(part, nn.Dropout) or type(part).__name__ == "StochasticDepth":
            part.eval()
    with torch.no_grad():
        model(*(torch.cat((v, v.flip(-1))) for v in inputs))
    return model.eval()


def pixels(model, seed, size=224, channels=3, settle=True):
    x = normal((1, channels, size, size), seed)
    return (settled(model, x) if settle else model), {"pixels": x}


def classifier(name, size=224, **options):
    def make():
        model = torchvision.models.get_model(name, weights=None, **options)
        if name in ("googlenet", "inception_v3"):
            model.aux_logits = False
        if "vit_b" in name:
            nn.init.normal_(model.heads.head.weight, std=0.02)
        return pixels(model, sum(map(ord, name)), size, settle=False)
    return make


CLASSIFIERS = {
    **{name: classifier(name) for name in (
        "alexnet", "vgg11_bn", "vgg16", "densenet121", "mnasnet1_0", "shufflenet_v2_x1_0", "resnext50_32x4d",
        "wide_resnet50_2", "regnet_x_400mf", "regnet_y_400mf", "efficientnet_b0", "efficientnet_v2_s",
        "convnext_tiny", "mobilenet_v3_small", "mobilenet_v3_large", "swin_t", "vit_b_32", "maxvit_t")},
    "squeezenet1_0": classifier("squeezenet1_0"),
    "googlenet": classifier("googlenet", init_weights=False),
    "inception_v3": classifier("inception_v3", 299, init_weights=False),
}


class First(nn.Module):
    """The main one of several results."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def fcn_resnet50():
    return pixels(First(torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone=None)), 31, settle=False)


def deeplabv3_mobilenet():
    return pixels(First(torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None,
                                                                                      weights_backbone=None)), 32, settle=False)


def lraspp_mobilenet():
    return pixels(First(torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)),
                  33, 320, settle=False)


class BigUNet(nn.Module):
    """Four levels; up by transposed convolutions, or by Resize and a convolution."""

    def __init__(self, width=32, resize=False):
        super().__init__()
        sizes = [width << k for k in range(5)]
        self.down = nn.ModuleList(UNet.block(a, b) for a, b in zip([3] + sizes, sizes))
        self.up = nn.ModuleList(
            nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(2 * s, s, 1))
            if resize else nn.ConvTranspose2d(2 * s, s, 2, stride=2) for s in reversed(sizes[:-1]))
        self.back = nn.ModuleList(UNet.block(2 * s, s) for s in reversed(sizes[:-1]))
        self.out = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        kept = []
        for k, block in enumerate(self.down):
            x = block(functional.max_pool2d(x, 2) if k else x)
            kept.append(x)
        for up, back, other in zip(self.up, self.back, reversed(kept[:-1])):
            x = back(torch.cat((other, up(x)), 1))
        return self.out(x)


def unet():
    return pixels(BigUNet(), 34, 256)


def unet_resize():
    return pixels(BigUNet(resize=True), 35, 256)


class Conv(nn.Sequential):
    """Convolution, batch norm, activation."""

    def __init__(self, given, made, k=1, s=1, act=nn.SiLU, groups=1):
        super().__init__(nn.Conv2d(given, made, k, s, k // 2, groups=groups, bias=False), nn.BatchNorm2d(made), act())


class C3(nn.Module):
    """Cross stage partial: n residual steps beside a short cut."""

    def __init__(self, given, made, n, shortcut=True):
        super().__init__()
        half = made // 2
        self.left, self.right, self.join = Conv(given, half), Conv(given, half), Conv(made, made)
        self.steps = nn.ModuleList(nn.Sequential(Conv(half, half), Conv(half, half, 3)) for _ in range(n))
        self.shortcut = shortcut

    def forward(self, x):
        y = self.left(x)
        for step in self.steps:
            y = y + step(y) if self.shortcut else step(y)
        return self.join(torch.cat((y, self.right(x)), 1))


class Sppf(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.last = Conv(width, width // 2), Conv(2 * width, width)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.last(torch.cat(parts, 1))


class YoloV5(nn.Module):
    """The small one of version 6: three scales, boxes decoded with grids and anchors."""

    def __init__(self, classes=80, size=640):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 6, 2, 2, bias=False), nn.BatchNorm2d(32), nn.SiLU())
        self.p3 = nn.Sequential(Conv(32, 64, 3, 2), C3(64, 64, 1), Conv(64, 128, 3, 2), C3(128, 128, 2))
        self.p4 = nn.Sequential(Conv(128, 256, 3, 2), C3(256, 256, 3))
        self.p5 = nn.Sequential(Conv(256, 512, 3, 2), C3(512, 512, 1), Sppf(512))
        self.lateral5, self.up4 = Conv(512, 256), C3(512, 256, 1, False)
        self.lateral4, self.up3 = Conv(256, 128), C3(256, 128, 1, False)
        self.down4, self.out4 = Conv(128, 128, 3, 2), C3(256, 256, 1, False)
        self.down5, self.out5 = Conv(256, 256, 3, 2), C3(512, 512, 1, False)
        self.classes = classes
        self.heads = nn.ModuleList(nn.Conv2d(w, 3 * (5 + classes), 1) for w in (128, 256, 512))
        for k, stride in enumerate((8, 16, 32)):
            n = size // stride
            y, x = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
            self.register_buffer(f"grid{k}", torch.stack((x, y), 2).expand(1, 3, n, n, 2).float() - 0.5)
            self.register_buffer(f"anchor{k}", torch.tensor([[10., 13], [16, 30], [33, 23]]).view(1, 3, 1, 1, 2)
                                 .expand(1, 3, n, n, 2) * (stride / 8))

    def forward(self, x):
        p3 = self.p3(self.stem(x))
        p4 = self.p4(p3)
        l5 = self.lateral5(self.p5(p4))
        l4 = self.lateral4(self.up4(torch.cat((functional.interpolate(l5, scale_factor=2.0), p4), 1)))
        n3 = self.up3(torch.cat((functional.interpolate(l4, scale_factor=2.0), p3), 1))
        n4 = self.out4(torch.cat((self.down4(n3), l4), 1))
        n5 = self.out5(torch.cat((self.down5(n4), l5), 1))
        found = []
        for k, (head, p, stride) in enumerate(zip(self.heads, (n3, n4, n5), (8, 16, 32))):
            y = head(p)
            bs, _, ny, nx = y.shape
            y = y.view(bs, 3, self.classes + 5, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
            xy, wh, conf = y.sigmoid().split((2, 2, self.classes + 1), 4)
            xy = (xy * 2 + getattr(self, f"grid{k}")) * stride
            wh = (wh * 2) ** 2 * getattr(self, f"anchor{k}")
            found.append(torch.cat((xy, wh, conf), 4).view(bs, 3 * nx * ny, self.classes + 5))
        return torch.cat(found, 1)


def yolov5s():
    x = normal((1, 3, 640, 640), 36)
    return settled(YoloV5(), x), {"pixels": x}


class YoloV3Tiny(nn.Module):
    """Leaky relus, padding beside a pool of stride 1, nearest upsampling, raw heads side by side."""

    def __init__(self):
        super().__init__()
        def conv(a, b, k=3):
            return Conv(a, b, k, act=lambda: nn.LeakyReLU(0.1))
        sizes = [3, 16, 32, 64, 128, 256]
        self.down = nn.ModuleList(conv(a, b) for a, b in zip(sizes, sizes[1:]))
        self.deep = nn.Sequential(conv(256, 512), nn.ZeroPad2d((0, 1, 0, 1)), nn.MaxPool2d(2, 1), conv(512, 1024),
                                  conv(1024, 256, 1))
        self.head1 = nn.Sequential(conv(256, 512), nn.Conv2d(512, 255, 1))
        self.lateral = conv(256, 128, 1)
        self.head2 = nn.Sequential(conv(384, 256), nn.Conv2d(256, 255, 1))

    def forward(self, x):
        for block in self.down:
            kept = block(x)
            x = functional.max_pool2d(kept, 2)
        x = self.deep(x)
        y = self.head2(torch.cat((functional.interpolate(self.lateral(x), scale_factor=2.0), kept), 1))
        return torch.cat([t.flatten(2).permute(0, 2, 1) for t in (self.head1(x), y)], 1)


def yolov3_tiny():
    return pixels(YoloV3Tiny(), 37, 416)


class SsdHead(nn.Module):
    """MobileNet v2 features of two scales, separable heads, boxes from priors, classes by softmax."""

    def __init__(self, classes=21, anchors=6):
        super().__init__()
        features = torchvision.models.mobilenet_v2(weights=None).features
        self.first, self.second = features[:14], features[14:]
        self.classes = classes
        def head(width, made):
            return nn.Sequential(Conv(width, width, 3, act=nn.ReLU6, groups=width), nn.Conv2d(width, anchors * made, 1))
        self.box = nn.ModuleList(head(w, 4) for w in (96, 1280))
        self.kind = nn.ModuleList(head(w, classes) for w in (96, 1280))
        self.register_buffer("priors", torch.rand(1, 2400 + 600, 4) + 0.1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(a)
        def all_of(heads, width):
            found = []
            for head, p in zip(heads, (a, b)):
                y = head(p)
                n, _, h, w = y.shape
                found.append(y.view(n, -1, width, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, width))
            return torch.cat(found, 1)
        box, kind = all_of(self.box, 4), torch.softmax(all_of(self.kind, self.classes), -1)
        priors = self.priors[:, :box.shape[1]]
        centre = box[..., :2] * 0.1 * priors[..., 2:] + priors[..., :2]
        size = torch.exp(box[..., 2:] * 0.2) * priors[..., 2:]
        return torch.cat((centre - size / 2, centre + size / 2, kind), -1)


def ssd_head():
    return pixels(SsdHead(), 38, 320)


class FocalHead(nn.Module):
    """ResNet-18 with a feature pyramid; GroupNorm towers shared by all levels, centre-ness by sigmoid."""

    def __init__(self, width=128):
        super().__init__()
        net = torchvision.models.resnet18(weights=None)
        self.stem = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1)
        self.levels = nn.ModuleList((net.layer2, net.layer3, net.layer4))
        self.lateral = nn.ModuleList(nn.Conv2d(w, width, 1) for w in (128, 256, 512))
        self.smooth = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(3))
        self.tower = nn.Sequential(*(part for _ in range(2) for part in (
            nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(32, width), nn.ReLU())))
        self.kind, self.box = nn.Conv2d(width, 80, 3, padding=1), nn.Conv2d(width, 5, 3, padding=1)

    def forward(self, x):
        x, maps = self.stem(x), []
        for level in self.levels:
            x = level(x)
            maps.append(x)
        maps = [lateral(m) for lateral, m in zip(self.lateral, maps)]
        for k in (1, 0):
            maps[k] = maps[k] + functional.interpolate(maps[k + 1], size=maps[k].shape[-2:], mode="nearest")
        found = []
        for smooth, m in zip(self.smooth, maps):
            t = self.tower(smooth(m))
            box = self.box(t)
            score = (self.kind(t).sigmoid() * box[:, 4:].sigmoid()).sqrt()
            y = torch.cat((score, box[:, :4].relu()), 1)
            found.append(y.permute(0, 2, 3, 1).reshape(y.shape[0], -1, 84))
        return torch.cat(found, 1)


def fpn_head():
    return pixels(FocalHead(), 39, 320)


class PixelShuffleNet(nn.Module):
    """Super resolution by 3: residual blocks and a pixel shuffle, on top of a bicubic picture."""

    def __init__(self, width=64, scale=3):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.PReLU(width),
                                                  nn.Conv2d(width, width, 3, padding=1)) for _ in range(4))
        self.last = nn.Sequential(nn.Conv2d(width, 3 * scale ** 2, 3, padding=1), nn.PixelShuffle(scale))
        self.scale = scale

    def forward(self, x):
        y = self.first(x)
        for block in self.blocks:
            y = y + 0.1 * block(y)
        return self.last(y) + functional.interpolate(x, scale_factor=self.scale, mode="bicubic", align_corners=False)


def super_resolution():
    return pixels(PixelShuffleNet(), 40, 96)


class Generator(nn.Module):
    """DCGAN: transposed convolutions from 100 numbers to a picture of 64 x 64."""

    def __init__(self):
        super().__init__()
        sizes = [100, 512, 256, 128, 64]
        parts = []
        for k, (a, b) in enumerate(zip(sizes, sizes[1:])):
            parts += [nn.ConvTranspose2d(a, b, 4, 2 if k else 1, 1 if k else 0, bias=False), nn.BatchNorm2d(b), nn.ReLU()]
        self.net = nn.Sequential(*parts, nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh())

    def forward(self, x):
        return self.net(x)


def dcgan():
    x = normal((1, 100, 1, 1), 41)
    model = Generator()
    settled(model, normal((4, 100, 1, 1), 42))
    return model, {"pixels": x}


class DiffusionBlock(nn.Module):
    """One level of a diffusion U-Net: GroupNorm and SiLU, a time embedding, self attention over positions, down and up."""

    def __init__(self, width=128):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(64, 256), nn.SiLU(), nn.Linear(256, width))
        self.stem, self.out = nn.Conv2d(4, width, 3, padding=1), nn.Conv2d(width, 4, 3, padding=1)
        self.norms = nn.ModuleList(nn.GroupNorm(32, w, eps=1e-6) for w in (width, width, width, 2 * width, width))
        self.conv = nn.ModuleList(nn.Conv2d(a, width, 3, padding=1) for a in (width, width, 2 * width))
        self.short = nn.Conv2d(2 * width, width, 1)
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.q, self.k, self.v, self.proj = (nn.Linear(width, width) for _ in range(4))
        self.up = nn.Conv2d(width, width, 3, padding=1)

    def attend(self, x):
        n, c, h, w = x.shape
        t = self.norms[2](x).view(n, c, h * w).transpose(1, 2)
        heads = [part(t).view(n, h * w, 4, c // 4).permute(0, 2, 1, 3).reshape(n * 4, h * w, c // 4)
                 for part in (self.q, self.k, self.v)]
        scores = torch.baddbmm(torch.zeros(n * 4, h * w, h * w), heads[0], heads[1].transpose(-1, -2), beta=0,
                               alpha=(c // 4) ** -0.5)
        y = torch.bmm(scores.softmax(-1), heads[2])
        y = y.reshape(n, 4, h * w, c // 4).permute(0, 2, 1, 3).reshape(n, h * w, c)
        return x + self.proj(y).transpose(1, 2).reshape(n, c, h, w)

    def forward(self, latent, step):
        rate = torch.exp(-9.21 * torch.arange(32) / 32)
        angle = step[:, None] * rate[None]
        time = self.time(torch.cat((angle.cos(), angle.sin()), -1))
        first = self.stem(latent)
        x = self.conv[0](functional.silu(self.norms[0](first))) + time[:, :, None, None]
        x = first + self.conv[1](functional.silu(self.norms[1](x)))
        low = self.attend(self.down(x))
        up = self.up(functional.interpolate(low, scale_factor=2.0, mode="nearest"))
        both = torch.cat((up, first), 1)
        x = self.short(both) + self.conv[2](functional.silu(self.norms[3](both)))
        return self.out(functional.silu(self.norms[4](x)))


def diffusion():
    return DiffusionBlock(), {"latent": normal((1, 4, 32, 32), 43), "step": torch.tensor([17.0])}


NEED_TORCHVISION = {*CLASSIFIERS, "fcn_resnet50", "deeplabv3_mobilenet", "lraspp_mobilenet", "ssd_head", "fpn_head", "resnet18",
                    "squeezenet"}
MAKERS = {**CLASSIFIERS, **{f.__name__: f for f in (
    fcn_resnet50, deeplabv3_mobilenet, lraspp_mobilenet, unet, unet_resize, yolov5s, yolov3_tiny, ssd_head, fpn_head,
    super_resolution, dcgan, diffusion)}}
