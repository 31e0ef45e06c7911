"""Writes models of scripts/models --kinds: kinds_make.py FOLDER NAME... makes FOLDER/NAME/model.onnx with the inputs
(inputs/INPUT.npy) and onnxruntime's results (expect/OUTPUT.npy). Runs in the environment of `scripts/setup kinds`.

NAME is exported by torch's older exporter, NAME.dynamo by the one on torch.export; NAME.qdq, NAME.qoperator and
NAME.dynamic are quantized by onnxruntime. Models that an exporter or quantizer refuses are reported and skipped."""
import contextlib
import io
import logging
import pathlib
import shutil
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
sys.path = [str(pathlib.Path(__file__).resolve().parent.parent), *sys.path[1:]]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402
from onnxruntime import quantization  # noqa: E402

from zoo import (  # noqa: E402
    kinds_classes, kinds_detection, kinds_language, kinds_nhwc, kinds_pictures, kinds_points, kinds_space, kinds_speech,
    kinds_streams, kinds_yolo)

MAKERS = {}
for module in (kinds_speech, kinds_language, kinds_points, kinds_pictures, kinds_classes, kinds_detection, kinds_yolo,
               kinds_streams, kinds_space):
    MAKERS.update(module.MAKERS)
OPSETS = {"stn": 20}  # of the older exporter if not 17: the first with grid sampling
SAMPLES = 8  # number of calibration samples


class Samples(quantization.CalibrationDataReader):
    """Random inputs with the size and spread of the given ones, which are the first sample."""

    def __init__(self, inputs):
        random = np.random.default_rng(3)
        drawn = ({key: (random.standard_normal(value.shape) * value.std() + value.mean()).astype(value.dtype)
                  for key, value in inputs.items()} for _ in range(SAMPLES - 1))
        self.left = iter([inputs, *drawn])

    def get_next(self):
        return next(self.left, None)


def export(name, path, dynamo):
    """Makes the network, writes it as ONNX; returns its inputs."""
    if name in kinds_nhwc.MAKERS:
        model, inputs = kinds_nhwc.MAKERS[name]()
        onnx.save(model, path)
        return inputs
    torch.manual_seed(0)
    model, inputs = MAKERS[name]()
    model.eval()
    with torch.no_grad():
        results = model(*inputs.values())
        count = len(results) if isinstance(results, tuple) else 1
        how = {"dynamo": False, "opset_version": OPSETS.get(name, 17)}
        if dynamo:
            how = {"dynamo": True, "external_data": False, "verbose": False}
        torch.onnx.export(model, tuple(inputs.values()), path, input_names=list(inputs),
                          output_names=[f"y{k}" for k in range(count)], **how)
    return {key: value.numpy() for key, value in inputs.items()}


def quantize(how, given, made, inputs):
    if how == "dynamic":  # onnxruntime's ConvInteger supports only unsigned weights
        quantization.quantize_dynamic(given, made, weight_type=quantization.QuantType.QUInt8)
        return
    form = {"qdq": quantization.QuantFormat.QDQ, "qoperator": quantization.QuantFormat.QOperator}[how]
    quantization.quantize_static(given, made, Samples(inputs), quant_format=form, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8,
                                 weight_type=quantization.QuantType.QInt8)


def make(name, folder):
    base, _, how = name.partition(".")
    path = str(folder / "model.onnx")
    inputs = export(base, path, how == "dynamo")
    if how not in ("", "dynamo"):
        with tempfile.TemporaryDirectory() as temporary:
            given = shutil.move(path, temporary)
            quantize(how, given, path, inputs)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    used = [value.name for value in session.get_inputs()]
    for part, names, values in (("inputs", used, [inputs[key] for key in used]),
                                ("expect", [value.name for value in session.get_outputs()],
                                 session.run(None, {key: inputs[key] for key in used}))):
        (folder / part).mkdir()
        for key, value in zip(names, values):
            np.save(folder / part / f"{key}.npy", value)


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # the older exporter does not support it
    for name in sys.argv[2:]:
        folder = pathlib.Path(sys.argv[1]) / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # exporters print their graphs
                make(name, folder)
        except Exception as error:  # exporters raise many types; the other models are still created
            print(f"{name}: not made: {type(error).__name__}: {str(error).strip().splitlines()[0][:160]}", flush=True)
            shutil.rmtree(folder)
        else:
            (folder / "done").touch()


if __name__ == "__main__":
    main()
