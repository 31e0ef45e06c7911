"""Device images of strangers, in Python: nothing in them runs, and what is wrong is refused with image and member.

Each attack would make a file, the canary, if something of it ran."""
import ctypes
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tarfile
import zipfile

import numpy
import pybuda
import pytest
import torch
import ttsim
from ttsim.torch import host_parts
from ttsim.torch.host_write import TensorFile

ARCH, DEVTYPE = pybuda.BackendDevice.Wormhole_B0, pybuda.BackendType.Silicon
TOP, STEPS, TENSORS, CODE = "unzipped_tti/", *(f"module_files/{one}" for one in
                                               (host_parts.STEPS, host_parts.TENSORS, host_parts.CODE))


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.words, self.out = torch.nn.Embedding(10, 32), torch.nn.Linear(32, 16)

    def forward(self, ids):
        return torch.cummax(self.out(torch.relu(self.words(ids))), -1)[0]


class Odd(Words):
    """With an op that steps have no form for."""

    def forward(self, ids):
        return super().forward(ids).nonzero_static(size=4)


IDS = torch.tensor([[1, 5, 7, 2]])


def compiled(path, module):
    pybuda.pybuda_reset()
    device = pybuda.TTDevice("tt0", arch=ARCH, devtype=DEVTYPE)
    device.place_module(pybuda.PyTorchModule("words", module.eval()))
    device.compile_to_image(img_path=str(path), sample_inputs=(IDS,))
    return path


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    with pytest.warns(UserWarning, match="cummax"):
        return compiled(tmp_path_factory.mktemp("good") / "words.tti", Words())


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    with pytest.warns(UserWarning, match="as code, because images cannot store as data: the op aten.nonzero_static"):
        return compiled(tmp_path_factory.mktemp("odd") / "odd.tti", Odd())


@pytest.fixture(autouse=True)
def canary(tmp_path, monkeypatch):
    """Where attacks would leave their mark."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "canary"
    yield file
    assert not file.exists(), "something of the image ran"


def checksum(data):
    """As the list of members has them (base/checksum.hpp): against damage, not against attackers."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    return f"{library.XXH3_64bits(data, ctypes.c_size_t(len(data))):016x}"


def members_of(path):
    with tarfile.open(path) as archive:
        return {one.name.removeprefix(TOP): archive.extractfile(one).read() for one in archive.getmembers() if one.isfile()}


def image_of(path, members):
    """With a list that fits, as an attacker makes one."""
    listed = {name: {"bytes": len(data), "checksum": checksum(data)} for name, data in members.items()
              if name not in ("ttsim/model.json", "ttsim/model.json.sum")}
    own = json.dumps({**json.loads(members["ttsim/model.json"]), "members": listed}).encode()
    members = members | {"ttsim/model.json": own, "ttsim/model.json.sum": (checksum(own) + "\n").encode()}
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(TOP + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


def refused(path, match):
    for load in (pybuda.TTDeviceImage.load_from_disk, pybuda.TTDeviceImage,
                 lambda path: pybuda.TTDevice.load_image(img_path=path)):
        with pytest.raises(ttsim.InputError, match=match) as refusal:
            load(path)
        assert str(refusal.value).startswith(path), refusal.value


def run(path, **keywords):
    pybuda.pybuda_reset()
    device = pybuda.TTDevice.load_image(img_path=str(path), **keywords)
    device.push_to_inputs(IDS)
    return pybuda.run_inference().get()[0].value()


class Bomb:
    def __reduce__(self):
        return os.system, ("touch canary",)


def saved_pickle():
    out = io.BytesIO()
    torch.save({"w": Bomb()}, out)
    return out.getvalue()


def programs(changed=()):
    """The old form; `changed`: what an attacker makes of members of both programs, by ends of their names."""
    class Add(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("w", torch.ones(4))

        def forward(self, x):
            return x + self.w
    out = io.BytesIO()
    torch.export.save(torch.export.export(Add(), (torch.ones(4),)), out)
    inner = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(out.getvalue())) as archive, zipfile.ZipFile(inner, "w") as attacked:
        for one in archive.infolist():
            data = archive.read(one)
            for end, change in dict(changed).items():
                data = change(data) if one.filename.endswith(end) else data
            attacked.writestr(one.filename, data)
    parts = io.BytesIO()
    with zipfile.ZipFile(parts, "w") as archive:
        archive.writestr("parts.json", json.dumps({"calls": [[[4], "float32"]], "inputs": ["x"], "outputs": ["y"],
                                                   "dtypes": ["float32"]}))
        for name in ("before", "behind"):
            archive.writestr(f"{name}.pt2", inner.getvalue())
    return parts.getvalue()


def with_expression(data):
    """Sizes of tensors are expressions in the file, which torch evaluates."""
    return data.decode().replace('{"as_int": 4}', json.dumps(
        {"as_expr": {"expr_str": "__import__('os').system('touch canary')", "hint": {"as_int": 4}}})).encode()


def script():
    out = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), out)
    return out.getvalue()


CODE_ATTACKS = {
    "a weight that is a pickle": lambda: programs({
        "weights/weight_0": lambda _: saved_pickle(),
        "weights_config.json": lambda data: data.replace(b'"use_pickle": false', b'"use_pickle": true')}),
    "an expression": lambda: programs({"models/model.json": with_expression}),
    "a TorchScript": script,
    "a bare pickle": lambda: pickle.dumps(Bomb()),
    "not a zip": lambda: b"PK\3\4damaged",
    "nothing": lambda: b"",
}


@pytest.mark.parametrize("attack", CODE_ATTACKS)
def test_code_is_refused_unless_it_is_trusted(good, tmp_path, attack):
    members = members_of(good)
    members = {name: data for name, data in members.items() if name not in (STEPS, TENSORS)}
    path = image_of(tmp_path / "m.tti", members | {CODE: CODE_ATTACKS[attack]()})
    refused(path, r"module_files/host_parts.zip: error: .*code.*trust_host_parts=True")
    assert f"- {CODE}: code" in ttsim.image_info(path).text


@pytest.mark.parametrize("attack", ["a weight that is a pickle", "an expression"])
def test_attacks_on_code_are_ones(attack, tmp_path):
    """torch does run them: in another process, in another folder."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "parts.zip").write_bytes(CODE_ATTACKS[attack]())
    text = ("import io, zipfile, torch\ndata = zipfile.ZipFile('../parts.zip').read('before.pt2')\n"
            "torch.export.load(io.BytesIO(data)).module()")
    subprocess.run([sys.executable, "-c", text], capture_output=True, check=False, cwd=tmp_path / "inside")
    assert (tmp_path / "inside/canary").exists()


def test_code_of_ones_own_runs_when_it_is_trusted(odd, capsys):
    refused(str(odd), "trust_host_parts=True")
    image = pybuda.TTDeviceImage.load_from_disk(str(odd), trust_host_parts=True)
    image.info()
    assert f"- {CODE}: code" in capsys.readouterr().out
    with torch.no_grad():
        assert run(odd, trust_host_parts=True).shape == Odd()(IDS).shape
    assert set(members_of(odd)) & {STEPS, TENSORS, CODE} == {CODE}


def test_code_written_by_older_releases_is_recognized(good, tmp_path):
    """It stands behind the list, which does not name it."""
    members = {name: data for name, data in members_of(good).items() if name not in (STEPS, TENSORS)}
    path = image_of(tmp_path / "old.tti", members)
    own = json.loads(members_of(path)["ttsim/model.json"])
    del own["format"]
    old = json.dumps(own).encode()
    with tarfile.open(path, "w") as archive:
        for name, data in {**members, "ttsim/model.json": old, "ttsim/model.json.sum": (checksum(old) + "\n").encode(),
                           CODE: programs()}.items():
            info = tarfile.TarInfo(TOP + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    refused(path, "trust_host_parts=True")


def test_a_trusted_bomb_does_not_grow(good, tmp_path):
    """2 GiB of zeros in a zip of 2 MiB, as the zip itself and as a program in it."""
    def packed(*names):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                with archive.open(name, "w", force_zip64=True) as member:
                    for _ in range(256):
                        member.write(bytes(1 << 20))
        return out.getvalue()
    members = {name: data for name, data in members_of(good).items() if name not in (STEPS, TENSORS)}
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("parts.json", json.dumps({"calls": [], "inputs": [], "outputs": [], "dtypes": []}))
        archive.writestr("before.pt2", packed("archive/data/weights/0"))
        archive.writestr("behind.pt2", b"")
    for number, bomb in enumerate((packed("parts.json", "before.pt2"), inner.getvalue())):
        path = image_of(tmp_path / f"{number}.tti", members | {CODE: bomb})
        text = ("import pybuda, resource, sys, ttsim\nbefore = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                "try: pybuda.TTDeviceImage.load_from_disk(sys.argv[1], trust_host_parts=True)\n"
                "except ttsim.InputError as error: print(error)\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
        done = subprocess.run([sys.executable, "-c", text, path], capture_output=True, text=True, check=True)
        message, grown = done.stdout.strip().splitlines()
        assert "unpacks to more than" in message and CODE in message
        assert int(grown) < 200 << 10  # KiB


@pytest.mark.parametrize("damage", [b"", b"PK\3\4", b"\0" * 1000])
def test_trusted_code_that_is_damaged_is_an_input_error(odd, tmp_path, damage):
    members = members_of(odd)
    for changed in (damage, members[CODE][:len(members[CODE]) // 2], members[CODE].replace(b"parts.json", b"parts.jsoN")):
        path = image_of(tmp_path / "m.tti", members | {CODE: changed})
        with pytest.raises(ttsim.InputError, match=rf"^{path}/{CODE}"):
            pybuda.TTDeviceImage.load_from_disk(path, trust_host_parts=True)


def test_data_returns_the_data_of_images(good, capsys):
    members = members_of(good)
    assert set(members) & {STEPS, TENSORS, CODE} == {STEPS, TENSORS}
    assert {STEPS, TENSORS} <= set(json.loads(members["ttsim/model.json"])["members"])
    pybuda.TTDeviceImage.load_from_disk(str(good)).info()
    assert f"- {STEPS}: data" in capsys.readouterr().out
    with torch.no_grad():
        want = Words()(IDS)
    assert (run(good).float() - want).abs().max() < 0.05


STEP_ATTACKS = {
    "os.system": {"op": "os.system", "args": ["touch canary"]},
    "builtins.exec": {"op": "builtins.exec", "args": ["open('canary', 'w')"]},
    "load_library": {"op": "aten.load_library", "args": ["evil.so"]},
    "from_file": {"op": "aten.from_file.default", "args": ["canary", True, 10]},
    "attribute": {"op": "aten.relu.default.__globals__", "args": []},
    "class": {"op": "torch.classes.x", "args": []},
    "argument": {"op": "aten.relu.default", "args": [{"object": "os.system"}]},
    "huge": {"op": "aten.full.default", "args": [[1 << 40], 1]},
}


@pytest.mark.parametrize("attack", STEP_ATTACKS)
def test_steps_name_ops_of_a_closed_set(good, tmp_path, attack):
    members = members_of(good)
    said = json.loads(members[STEPS])
    said["before"]["steps"].insert(0, STEP_ATTACKS[attack])
    path = image_of(tmp_path / "m.tti", members | {STEPS: json.dumps(said).encode()})
    refused(path, rf"{STEPS}: 'before': step 0")


def test_tensors_are_never_unpickled(good, tmp_path):
    members = members_of(good)
    array = io.BytesIO()
    numpy.save(array, numpy.array([Bomb()], dtype=object), allow_pickle=True)
    for data in (pickle.dumps(Bomb()), saved_pickle(), array.getvalue()):
        refused(image_of(tmp_path / "m.tti", members | {TENSORS: data}),
                rf"{TENSORS}: error: it is not a safetensors file")
    inputs = [name for name in members if name.startswith("ttsim/") and name.endswith(".npy")]
    assert inputs
    refused(image_of(tmp_path / "m.tti", members | {inputs[0]: array.getvalue()}), inputs[0])


def test_host_parts_fit_the_device(good, tmp_path):
    members = members_of(good)
    said = json.loads(members[STEPS])
    for key, value in (("inputs", ["other"]), ("outputs", [{**said["outputs"][0], "name": "other"}]),
                       ("outputs", [{**said["outputs"][0], "shape": [1, 4, 17]}])):
        changed = {**said, key: value}
        refused(image_of(tmp_path / "m.tti", members | {STEPS: json.dumps(changed).encode()}), "host parts|step")


def test_yaml_of_an_image_makes_no_objects(good, tmp_path):
    members = members_of(good)
    evil = b"evil: !!python/object/apply:os.system ['touch canary']\n"
    for name in ("netlist.yaml", "backend_build_binaries/device_desc.yaml", "backend_build_binaries/cluster_desc.yaml"):
        path = image_of(tmp_path / "m.tti", members | {name: evil + members[name]})
        try:
            pybuda.TTDeviceImage.load_from_disk(path)
        except ttsim.Error as error:
            assert name in str(error)


def test_text_that_is_not_utf8_is_an_input_error(good, tmp_path):
    members = members_of(good)
    path = image_of(tmp_path / "m.tti", members | {"netlist.yaml": b"\xff\xfe: 1\n" + members["netlist.yaml"]})
    with pytest.raises(ttsim.Error, match="netlist.yaml"):
        pybuda.TTDeviceImage.load_from_disk(path)
    deep = members["device.json"].replace(b'"optimizer": null', b'"optimizer": ' + b"[" * 5000 + b"]" * 5000)
    refused(image_of(tmp_path / "m.tti", members | {"device.json": deep}), "device.json: error: objects and lists lie")


def test_a_configuration_names_classes_of_a_closed_set(tmp_path):
    from pybuda import config_json
    config = pybuda.config.AMPNodeProperties(op_type="matmul") if hasattr(pybuda.config, "AMPNodeProperties") else None
    if config is not None:
        assert config_json.from_plain(config_json.to_plain(config)) == config
    for name in ("_config", "Any", "configure_mixed_precision", "dataclasses", "__builtins__"):
        with pytest.raises(KeyError):
            config_json.from_plain({"__class__": name})


def test_images_shared_by_processes(good, tmp_path):
    """Eight load and run one image at once, and compile to one file."""
    text = ("import pybuda, sys, torch\nimage = pybuda.TTDeviceImage.load_from_disk(sys.argv[1])\n"
            "device = pybuda.TTDevice.load_image(img=image)\ndevice.push_to_inputs(torch.tensor([[1, 5, 7, 2]]))\n"
            "print(pybuda.run_inference().get()[0].value().float().sum().item())\n")
    running = [subprocess.Popen([sys.executable, "-c", text, str(good)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True) for _ in range(8)]
    results = [one.communicate(timeout=300) for one in running]
    assert [one.returncode for one in running] == [0] * 8, [err for _, err in results]
    assert len({out for out, _ in results}) == 1


def test_unknown_members_are_named_when_an_image_is_loaded(good, tmp_path):
    path = image_of(tmp_path / "m.tti", members_of(good) | {"module_files/weights.pkl": pickle.dumps(Bomb())})
    with pytest.warns(UserWarning, match="1 members are ignored: module_files/weights.pkl"):
        image = pybuda.TTDeviceImage.load_from_disk(path)
    assert "module_files/weights.pkl" in ttsim.image_info(path).text
    assert image.contents["not_read"] == [{"member": "module_files/weights.pkl", "bytes": len(pickle.dumps(Bomb()))}]


def test_sizes_in_headers_are_not_believed(tmp_path):
    tensors = TensorFile()
    tensors.add(torch.ones(3))
    files = {host_parts.STEPS: b"{}", host_parts.TENSORS: struct.pack("<Q", 1 << 60) + b"{}"}
    with pytest.raises(ttsim.InputError):
        host_parts.loaded(files, "m.tti")
