"""Conversion of files, and what bad files get."""
import io
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import numpy
import pybuda
import pytest
import small
import tensorflow as tf
import torch
import ttsim
from small import PICTURE, close, keras, layers, net
from ttsim.convert import convert_file

TTSIM = os.environ.get("TTSIM") or str(pathlib.Path(__file__).parents[3] / "build/release/bin/ttsim")


def command(*arguments, **environment):
    return subprocess.run([TTSIM, *map(str, arguments)], capture_output=True, text=True,
                          env=os.environ | {"TTSIM_PYTHON": sys.executable} | environment)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 8)

    def forward(self, x):
        return torch.nn.functional.gelu(self.linear(x)) * 2


@pytest.fixture(scope="module")
def pt2(tmp_path_factory):
    path = tmp_path_factory.mktemp("pt2") / "net.pt2"
    program = torch.export.export(Net().eval(), (torch.ones(2, 16),), dynamic_shapes={"x": {0: torch.export.Dim("batch")}})
    torch.export.save(program, path)
    return path


@pytest.mark.parametrize("name", ["net.tflite", "int8.tflite", "net.keras", "saved_model", "net.pb"])
def test_kinds_of_files(files, name):
    made = convert_file(str(files / name))
    assert len(made.inputs) == len(made.outputs) == 1
    graph = ttsim.Graph.from_onnx(made.serialized())
    assert list(graph.inputs[0].shape) == [1, 16, 16, 3]
    if name != "int8.tflite":
        result = ttsim.Model(ttsim.compile(graph, device="wh_n150", format="Float16_b"), engine="functional").run({made.inputs[0]: PICTURE})
        assert numpy.corrcoef(result[made.outputs[0]].reshape(-1), numpy.asarray(net()(PICTURE)).reshape(-1))[0, 1] > 0.99


def test_exported_programs(pt2):
    assert [node.op_type for node in convert_file(str(pt2)).model.graph.node] == ["Gemm", "Gelu", "Mul"]
    assert {"linear.weight", "linear.bias"} <= {tensor.name for tensor in convert_file(str(pt2)).model.graph.initializer}


def test_exported_programs_are_modules_of_torch(pt2):
    x = torch.randn(2, 16)
    for source in (pt2, torch.export.load(pt2)):
        pybuda.pybuda_reset()
        module = pybuda.PyTorchModule("m", source)
        close(small.run(module, x)[0], module.module(x).detach())
    assert "linear.weight" in {parameter.get_name() for parameter in module.get_parameters()}


def test_the_command_compiles_them(files, tmp_path):
    done = command("compile", files / "net.tflite", "--device", "wh_n150", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/netlist.yaml").read_text().startswith("# ttsim compile net.tflite")
    assert command("run", tmp_path / "out").returncode == 0


def test_the_command_says_what_to_install(files, tmp_path):
    (tmp_path / "bin").mkdir()
    plain = tmp_path / "bin/python"  # a Python without packages
    plain.write_text(f"#!/bin/sh\nexec {sys.executable} -S -I \"$@\"\n")
    plain.chmod(0o755)
    done = command("compile", files / "net.tflite", "-o", tmp_path / "out", TTSIM_PYTHON=str(plain))
    assert done.returncode == 2 and "install it: pip install 'ttsim[tflite]'" in done.stderr
    done = command("compile", files / "net.keras", "-o", tmp_path / "out", TTSIM_PYTHON=str(tmp_path / "none"))
    assert done.returncode == 2 and "cannot be started; install Python 3.11, then: pip install 'ttsim[tensorflow]'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_help_lists_the_kinds():
    shown = command("compile", "--help").stdout
    assert all(kind in shown for kind in (".onnx", ".tflite", ".keras", ".pb", "SavedModel", ".pt2"))


@pytest.mark.parametrize("option", ["--output-names", "--signature"])
def test_options_of_other_kinds_of_files(files, tmp_path, option):
    done = command("compile", files / "net.keras", option, "x", "-o", tmp_path / "out")
    assert done.returncode == 2 and ".tflite files" in done.stderr and f"leave out {option}" in done.stderr


# --- bad files

@pytest.mark.parametrize("name", ["net.tflite", "net.keras", "net.pb"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 0.95])
def test_truncated_files(files, tmp_path, name, share):
    data = (files / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[:int(len(data) * share)])
    with pytest.raises(ttsim.InputError, match="truncated|damaged|not a model|no nodes|cannot read"):
        convert_file(str(path))


def test_names_of_tensors_that_are_no_text(files, tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes((files / "net.tflite").read_bytes().replace(b"StatefulPartitionedCall", b"\x84tatefulPartitionedCall"))
    with pytest.raises(ttsim.InputError, match="truncated or damaged"):
        convert_file(str(path))


def test_a_truncated_file_leaves_nothing(files, tmp_path):
    (tmp_path / "cut.tflite").write_bytes((files / "net.tflite").read_bytes()[:20])
    done = command("compile", tmp_path / "cut.tflite", "-o", tmp_path / "out")
    assert done.returncode == 2 and "cut.tflite: error: the flatbuffer is truncated" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.tflite"]


def test_an_op_without_a_form_in_onnx_is_named(tmp_path):
    made = keras.Sequential([keras.Input((8, 8)), layers.Lambda(tf.linalg.svd)])
    graph = small.graph_def(lambda x: made(x)[0], (1, 8, 8))
    tf.io.write_graph(graph, str(tmp_path), "svd.pb", as_text=False)
    with pytest.raises(ttsim.UnsupportedError, match=r"svd.pb: .* ops of TensorFlow: Svd \('.*[Ss]vd'\); a module of pybuda runs such ops in the framework on the host") as raised:
        convert_file(str(tmp_path / "svd.pb"))
    assert len(raised.value.ops) == 1


def test_saved_models_without_signatures(tmp_path):
    class Plain(tf.Module):
        pass
    tf.saved_model.save(Plain(), str(tmp_path / "plain"))
    with pytest.raises(ttsim.InputError, match=r"has no signatures, .*save it with tf.saved_model.save\(model, folder, signatures="):
        convert_file(str(tmp_path / "plain"))
    with pytest.raises(ttsim.InputError, match="has no saved_model.pb"):
        convert_file(str(tmp_path))


def test_open_dimensions_need_a_shape(tmp_path):
    made = keras.Sequential([keras.Input((None, 8), name="x"), layers.Dense(4)])
    made.save(tmp_path / "open.keras")
    assert list(ttsim.Graph.from_onnx(convert_file(str(tmp_path / "open.keras"), {"x": [1, 5, 8]}).serialized()).inputs[0].shape) == [1, 5, 8]
    with pytest.raises(ttsim.InputError, match=r"input 'x' has shape \[\?, \?, 8\], not \[1, 5, 9\]"):
        convert_file(str(tmp_path / "open.keras"), {"x": [1, 5, 9]})
    with pytest.raises(ttsim.InputError, match="has no input 'y'; its inputs are x"):
        convert_file(str(tmp_path / "open.keras"), {"y": [1]})
    done = command("compile", tmp_path / "open.keras", "-o", tmp_path / "out")
    assert done.returncode == 2 and "--shape" in done.stderr and not (tmp_path / "out").exists()


def test_variables_must_be_frozen(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (1, 4))
        tf.identity(x * tf.compat.v1.get_variable("w", (4,)))
    tf.io.write_graph(graph.as_graph_def(), str(tmp_path), "w.pb", as_text=False)
    with pytest.raises(ttsim.InputError, match=r"not frozen: it has variables \(w"):
        convert_file(str(tmp_path / "w.pb"))


# --- files that would execute code

def test_lambda_layers_are_not_executed(tmp_path):
    marker = tmp_path / "executed"
    made = keras.Sequential([keras.Input((8,)), layers.Lambda(eval(f"lambda x: (open({str(marker)!r}, 'w'), x)[1]"))])
    made.save(tmp_path / "code.keras")
    marker.unlink(missing_ok=True)
    with pytest.raises(ttsim.UnsupportedError, match="is a Lambda layer: it holds Python code, which is not executed"):
        convert_file(str(tmp_path / "code.keras"))
    assert not marker.exists()


def test_classes_of_other_modules_are_not_imported(files, tmp_path):
    with zipfile.ZipFile(files / "net.keras") as source, zipfile.ZipFile(tmp_path / "own.keras", "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "config.json":
                config = json.loads(data)
                config["config"]["layers"][1] |= {"module": "subprocess", "class_name": "Popen"}
                data = json.dumps(config).encode()
            target.writestr(name, data)
    with pytest.raises(ttsim.UnsupportedError, match="of class subprocess.Popen, which Keras does not have"):
        convert_file(str(tmp_path / "own.keras"))


def test_saved_models_write_and_read_no_files(tmp_path):
    class Writer(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((1, 8), tf.float32)])
        def __call__(self, x):
            tf.io.write_file(str(tmp_path / "written"), "text")
            return x + 1
    module = Writer()
    tf.saved_model.save(module, str(tmp_path / "model"), signatures=module.__call__)
    (tmp_path / "written").unlink(missing_ok=True)
    with pytest.raises(ttsim.UnsupportedError, match="op WriteFile .* acts outside of the model"):
        convert_file(str(tmp_path / "model"))
    assert not (tmp_path / "written").exists()


def rewritten(path, target, change):
    """A .pt2 archive with changed records: change(name, data) returns the new data, or None to leave the record out."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            data = change(name.split("/", 1)[1], source.read(name))
            if data is not None:
                made.writestr(name, data)
    return str(target)


def in_program(old, new):
    return lambda name, data: data.replace(old, new) if name == "models/model.json" else data


CODE = "__import__('pathlib').Path('executed').touch()"


@pytest.mark.parametrize("change, why", [
    (in_program(b"positive=True", CODE.encode()), "which torch.export does not write"),
    (in_program(b'"torch.ops.aten.gelu.default"', b'"torch.hub.load"'), "torch.hub.load"),
    (in_program(b'"name": "x"', f'"name": "x={CODE}"'.encode()), "which torch.export does not write"),
    (lambda name, data: data.replace(b'"use_pickle": false', b'"use_pickle": true') if name.endswith("weights_config.json") else data, "stored as a pickle"),
    (lambda name, data: data.replace(b"builtins.tuple", b"builtins.enum") if name == "models/model.json" else data, "structure of type|does not write"),
    (lambda name, data: data[:len(data) // 2] if name == "models/model.json" else data, "is damaged"),
    (lambda name, data: None if name == "models/model.json" else data, "no exported program"),
])
def test_exported_programs_execute_nothing(pt2, tmp_path, monkeypatch, change, why):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ttsim.Error, match=why):
        convert_file(rewritten(pt2, tmp_path / "bad.pt2", change))
    assert not (tmp_path / "executed").exists()


class Touches:
    def __reduce__(self):
        return pathlib.Path("executed").touch, ()


def test_samples_in_exported_programs_are_not_unpickled(pt2, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickled = io.BytesIO()
    torch.save(Touches(), pickled)
    path = rewritten(pt2, tmp_path / "bad.pt2", lambda name, data: pickled.getvalue() if "sample_inputs" in name else data)
    convert_file(path)
    assert not (tmp_path / "executed").exists()


class Attention(torch.nn.Module):
    """Without an axis of heads."""
    def forward(self, x):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x) * 2


class Svd(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.svd(x)[1]


def exported(model, path):
    torch.export.save(torch.export.export(model.eval(), (torch.ones(1, 6, 8),)), path)
    return str(path)


def test_ops_that_torch_converts_in_parts(tmp_path):
    assert "Softmax" in [node.op_type for node in convert_file(exported(Attention(), tmp_path / "net.pt2")).model.graph.node]


def test_an_op_of_torch_without_a_form_in_onnx_is_named(tmp_path):
    with pytest.raises(ttsim.UnsupportedError, match=r"no form in ONNX of the op aten\._linalg_svd\.default \('_linalg_svd'\); load it in a program"):
        convert_file(exported(Svd(), tmp_path / "net.pt2"))


def test_truncated_archives(pt2, tmp_path):
    for share in (0.0, 0.3, 0.9):
        path = tmp_path / "cut.pt2"
        path.write_bytes(pt2.read_bytes()[:int(pt2.stat().st_size * share)])
        with pytest.raises(ttsim.InputError, match="truncated"):
            convert_file(str(path))


def test_close_refuses_other_values():
    with pytest.raises(AssertionError):
        close(type("T", (), {"value": lambda self: torch.randn(64)})(), numpy.arange(64.))
