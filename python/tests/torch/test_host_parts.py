"""What the host does, kept as data: the same bits as the module's own ops give, and hostile files refused."""
import io
import json
import math
import warnings

import pytest
import torch
import ttsim
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save
from small_modules import X, Of
from torch import nn
from ttsim.torch import host_limits, host_ops, host_parts, import_module
from ttsim.torch.host_code import saved_as_code
from ttsim.torch.host_write import TensorFile

IDS = torch.tensor([[1, 5, 7, 2]])


class Words(nn.Module):
    """Ids before the device; integers, views and several results of one op behind it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.words, self.out = nn.Embedding(11, 8), nn.Linear(8, 6)

    def forward(self, ids):
        y = self.out(torch.relu(self.words(ids + 1)))
        value, place = torch.cummax(y, -1)
        first, second = torch.cummin(value, -1)[0].split(3, -1)
        return first.transpose(1, 2), second, place, torch.where(y > 0, float("-inf"), y)


CASES = {
    "words": (Words(), (IDS,)),
    "scalars": (Of(lambda self, x: torch.cummax(torch.relu(x + 1) * 2, -1)[0].to(torch.float64) * 1.5 + 2**40), (X,)),
    "lists": (Of(lambda self, x: torch.cat([torch.cummax(torch.relu(x * 2), -1)[0], x], 0).flip([0, 1])), (X,)),
    "index": (Of(lambda self, x: torch.cummax(torch.relu(x * 2), -1)[0][:, torch.tensor([1, 0])]), (X,)),
    "fft": (Of(lambda self, x: torch.fft.rfft(torch.relu(x * 2)).real), (X,)),
    "sort": (Of(lambda self, x: torch.sort(torch.cummin(torch.relu(x * 2), -1)[0], descending=True)), (X,)),
    "filled": (Of(lambda self, x: torch.cummax(torch.relu(x), -1)[0].masked_fill(x > 0, float("inf"))), (X,)),
    "full": (Of(lambda self, x: torch.cummax(torch.relu(x), -1)[0].half() + torch.full((3,), 0.1, dtype=torch.half)[0]),
             (X,)),
    "grid": (Of(lambda self, x: nn.functional.grid_sample((x + 1)[None, None], torch.zeros(1, 2, 2, 2),
                                                          align_corners=False)), (X,)),
}


def imported(name):
    module, args = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return import_module(module.eval(), args), args


def parts(made):
    files, why = host_parts.saved(made)
    assert not why and set(files) == {host_parts.STEPS, host_parts.TENSORS}
    return files, host_parts.loaded(files, "m.tti/module_files")


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.contiguous().view(torch.uint8) if a.dim() else a,
                                                                     b.contiguous().view(torch.uint8) if b.dim() else b)


@pytest.mark.parametrize("name", CASES)
def test_data_gives_the_bits_of_the_exported_program(name):
    made, args = imported(name)
    _, data = parts(made)
    code = host_parts.loaded({host_parts.CODE: saved_as_code(made)}, "m.tti", trusted=True)
    for seed in range(3):
        torch.manual_seed(seed)
        call = [torch.randn_like(one) if one.is_floating_point() else (one + seed) % 9 for one in args]
        for of_data, of_code, want in zip(data.device_inputs(call), code.device_inputs(call), made.device_inputs(*call),
                                          strict=True):
            assert same(of_data, want) and same(of_code, want)
        device = [torch.randn(shape) for shape in data.output_shapes]
        for of_data, of_code, want in zip(data.finish(device, call), code.finish(device, call),
                                          made.finish(device, *call), strict=True):
            assert same(of_data, want) and same(of_code, want)


def test_what_steps_have_no_form_for_is_code_and_says_so():
    module = Of(lambda self, x: torch.cummax(torch.relu(x * 2), -1)[0].nonzero_static(size=4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        made = import_module(module, (X,))
    files, why = host_parts.saved(made)
    assert set(files) == {host_parts.CODE} and "aten.nonzero_static.default" in why
    with pytest.raises(ttsim.InputError, match=r"^m.tti/host_parts.zip: error: .*code.*trust_host_parts=True") as refusal:
        host_parts.loaded(files, "m.tti")
    assert refusal.value.file == "m.tti/host_parts.zip"
    host_parts.loaded(files, "m.tti", trusted=True)


def test_tensors_lie_in_memory_as_they_did():
    tensors, turned = TensorFile(), torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    name = tensors.add(turned)
    assert tensors.add(turned) == name and len(tensors.tensors) == 1
    files = file_of([("aten.relu.default", [{"tensor": name}])], tensors=tensors.tensors, axes=tensors.axes)
    held = host_parts.loaded(files, "m.tti").before.tensors[name]
    assert torch.equal(held, turned) and held.stride() == turned.stride()


# --- hostile files

def file_of(steps, calls=(([4], "float32"),), tensors=None, **more):
    """A file whose `before` has the steps (op, args, kwargs), the last of which gives the one input."""
    program = {"steps": [{"op": op, "args": args, **({"kwargs": kwargs[0]} if kwargs else {})}
                         for op, args, *kwargs in steps], "results": [{"step": len(steps) - 1}]}
    said = {"version": 1, "calls": [{"shape": shape, "dtype": dtype} for shape, dtype in calls], "inputs": ["x"],
            "outputs": [], "before": program, "behind": {"steps": [], "results": []}, "axes": {}, **more}
    return {host_parts.STEPS: json.dumps(said).encode(), host_parts.TENSORS: save(tensors or {"t0": torch.ones(2)})}


def refused(files, match, member=host_parts.STEPS):
    with pytest.raises(ttsim.InputError, match=match) as refusal:
        host_parts.loaded(files, "m.tti/module_files")
    assert str(refusal.value).startswith(f"m.tti/module_files/{member}")


A, BIG = {"input": 0}, [[1 << 30], 1, {"dtype": {"dtype": "int8"}}]


@pytest.mark.parametrize("name", [
    "os.system", "builtins.exec", "builtins.eval", "torch.load", "torch.ops.load_library", "aten.__class__", "aten..",
    "aten.add", "aten.add.__init__", "aten.add.Tensor.__call__", "aten.add_.Tensor", "aten.add.out", "aten.__init__.x",
    "aten.from_file.default", "aten.set_.source_Storage", "aten.resize_.default", "aten.as_strided.default",
    "aten.empty.memory_format", "aten.item.default", "aten._local_scalar_dense.default", "aten.record_stream.default",
    "aten.load_library", "prim.Print", "profiler._record_function_enter.default", "higher_order.cond", "custom.op.x",
    "operator.getitem", "", "aten", "\ud800", "a" * 10000,
])
def test_names_outside_of_the_set_are_only_compared(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(file_of([(name, ["touch canary"])]), "step 0: error: .* is not one of the ops")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [["os.system"], 7, None, {"x": 1}])
def test_names_are_text(value):
    refused(file_of([(value, [])]), "is not one of the ops")


@pytest.mark.parametrize("steps", [
    [("aten.full.default", [[1 << 40], 1])], [("aten.full.default", [[1 << 20, 1 << 20], 1])],
    [("aten.zeros.default", [[1 << 62, 1 << 62]])], [("aten.expand.default", [A, [1 << 38, 4]])],
    [("aten.repeat.default", [A, [1 << 38]])], [("aten.arange.default", [1 << 45])], [("aten.arange.default", [1e300])],
    [("aten.randn.default", [[1 << 40]])], [("aten.constant_pad_nd.default", [A, [1 << 40, 1 << 40]])],
    [("aten.one_hot.default", [{"step": 0}, 1 << 40])], [("aten.eye.default", [1 << 30])],
    [("aten.full.default", BIG[:2], BIG[2]), ("aten.unbind.int", [{"step": 0}])],
    [("aten.full.default", BIG[:2], BIG[2]), ("aten.split.Tensor", [{"step": 0}, 1])],
    [("aten.full.default", BIG[:2], BIG[2]), ("aten.chunk.default", [{"step": 0}, 1 << 40])],
    [("aten.full.default", BIG[:2], BIG[2]), ("aten.tensor_split.sections", [{"step": 0}, 1 << 40])],
    [("aten.full.default", BIG[:2], BIG[2]), ("aten.to.dtype", [{"step": 0}, {"dtype": "float64"}])],
    [("aten.full.default", BIG[:2], BIG[2])] * 5,
    [("aten.full.default", [[1 << 15, 1 << 15], 1.0, ], {"dtype": {"dtype": "bfloat16"}}),
     ("aten.mm.default", [{"step": 0}, {"step": 0}])],
    [("aten.roll.default", [A, [1] * 5000, [0] * 5000])],
], ids=str)
def test_what_would_be_too_much_is_refused_before_it_is_made(steps):
    if steps[-1] == ("aten.full.default", BIG[:2], BIG[2]):  # all alive at the end
        steps = [*steps, ("aten.stack.default", [[{"step": k} for k in range(len(steps))]])]
    refused(file_of(steps), r"step \d+")


@pytest.mark.parametrize("args", [
    [], [A, A, A, A], [{"input": 1}], [{"input": -1}], [{"input": True}], [{"step": 0}], [{"step": 5}], [{"tensor": "t1"}],
    [{"tensor": 0}], [{"dtype": "os"}], [{"device": "cuda"}], [{"layout": "sparse_coo"}], [{"float": "1e5"}],
    [{"complex": ["a", 1]}], [{"input": 0, "step": 0}], [{}], [[[[[[A]]]]]], [1 << 70], ["x" * 300], [{"object": "os"}],
], ids=str)
def test_arguments_that_do_not_fit_name_the_step(args):
    refused(file_of([("aten.relu.default", args)]), r"'before': step 0")


def test_other_damage_is_named_with_its_member():
    good = file_of([("aten.relu.default", [A])])
    host_parts.loaded(good, "m.tti")
    text = good[host_parts.STEPS].decode()

    def steps(changed):
        return {**good, host_parts.STEPS: changed.encode() if isinstance(changed, str) else changed}
    refused(steps(text[:-1]), "not valid JSON")
    refused(steps(b"\xff\xfe"), "not valid JSON")
    refused(steps(text.replace('"version": 1', '"version": 2')), "version")
    refused(steps(text.replace('"inputs"', '"version": 1, "inputs"')), "duplicate key")
    refused(steps(text.replace('"axes"', '"axis"')), "'ax.s' is")
    refused(steps("[" * 100_000 + "]" * 100_000), "too deep")
    refused(steps('{"version":' + "[" * 5000 + "]" * 5000 + "}"), "too deep|version|missing")
    refused(steps("[]"), "expected an object")
    refused(steps(text.replace("[4]", "[NaN]")), "not a JSON number")
    refused(steps(text.replace("[4]", "[1e999]")), "too large")
    refused(steps(text.replace("[4]", "[" + "9" * 5000 + "]")), "not valid JSON")
    for shape in ("[-1]", "[1.5]", "[true]", '["4"]', "[4611686018427387904]", "{}", str([1] * 1000)):
        refused(steps(text.replace("[4]", shape)), "calls")
    refused(steps(text.replace("float32", "object")), "not an element type")
    refused(steps(text.replace('["x"]', '["x", "y"]')), "returns 1 tensors for the 2 inputs")
    refused(steps(text.replace('["x"]', "[7]")), "names of inputs")
    refused(steps(text.replace('"axes": {}', '"axes": {"t0": [1]}')), "axes")
    refused(steps(b" " * (host_limits.MOST_TEXT + 1)), "the limit is")
    refused({host_parts.TENSORS: good[host_parts.TENSORS]}, "without steps", host_parts.TENSORS)
    for damaged in (b"x", b"\0" * 100, good[host_parts.TENSORS][:-1], b"\xff" * 8 + b"{}", buffer_of(torch.ones(2)),
                    good[host_parts.TENSORS].replace(b"F32", b"X99")):
        refused({**good, host_parts.TENSORS: damaged}, "not a safetensors file", host_parts.TENSORS)


def buffer_of(tensor):
    """A file of torch.save, which is a pickle."""
    out = io.BytesIO()
    torch.save(tensor, out)
    return out.getvalue()


def test_values_that_an_op_does_not_take_are_named_when_it_runs():
    files = file_of([("aten.embedding.default", [{"tensor": "t0"}, {"tensor": "t1"}])],
                    tensors={"t0": torch.ones(3, 2), "t1": torch.tensor([1 << 40])})
    with pytest.raises(ttsim.InputError, match=r"'before': step 0 \(aten.embedding.default\): error: torch cannot"):
        host_parts.loaded(files, "m.tti").device_inputs([torch.ones(4)])
    with pytest.raises(ValueError, match="the image needs"):
        host_parts.loaded(file_of([("aten.relu.default", [A])]), "m.tti").device_inputs([torch.ones(5)])


def test_the_set_has_ops_that_make_tensors_and_nothing_else():
    for name in sorted(host_ops._NAMES):
        assert host_ops._overloads(name), f"torch has no plain overload of {name}"
        for text, op in host_ops._overloads(name).items():
            assert op.namespace == "aten" and not op._schema.is_mutable and host_ops.name_of(op) == text
    out = {"from_file", "set", "set_", "resize", "copy", "empty", "new_empty", "empty_like", "as_strided", "item", "lift",
           "record_stream", "data", "pin_memory", "_pin_memory", "_to_cpu", "to_sparse", "to_dense", "lstm", "gru", "diff"}
    assert not out & host_ops._NAMES


# --- mutations

_MADE, _ = imported("words")
_FILES = host_parts.saved(_MADE)[0]
_SAID = json.loads(_FILES[host_parts.STEPS])
_CALL = [IDS]
_DEVICE = [torch.linspace(-1, 1, math.prod(shape)).reshape(shape)
           for shape in host_parts.loaded(_FILES, "m.tti").output_shapes]
_ODD = [None, True, -1, 0, 1, 1 << 31, 1 << 40, 1 << 70, 0.5, "", "float32", "os.system", "aten.add.Tensor", [], {},
        {"input": 0}, {"step": 0}, {"tensor": "t0"}, {"dtype": "int8"}, {"float": "nan"}, [[]], [1] * 40]


def places(value, path=()):
    yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*path, key))


_PLACES = [path for path in places(_SAID) if path]


def changed(said, path, value, how):
    copy = json.loads(json.dumps(said))
    at = copy
    for key in path[:-1]:
        at = at[key]
    if how == "remove":
        del at[path[-1]]
    elif how == "twice" and isinstance(at, list):
        at.insert(path[-1], at[path[-1]])
    else:
        at[path[-1]] = value
    return copy


def results(files):
    data = host_parts.loaded(files, "m.tti")
    return [*data.device_inputs(_CALL), *data.finish(_DEVICE, _CALL)]


@settings(max_examples=250, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(_PLACES), st.sampled_from(_ODD), st.sampled_from(["set", "remove", "twice"])),
                min_size=1, max_size=2))
def test_mutated_steps_load_and_run_or_are_refused(changes):
    said = _SAID
    for path, value, how in changes:
        try:
            said = changed(said, path, value, how)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    files = {**_FILES, host_parts.STEPS: json.dumps(said).encode()}
    try:
        first = results(files)
    except (ttsim.InputError, ValueError) as error:
        assert isinstance(error, ttsim.InputError) or "the image needs" in str(error)
        return
    assert all(torch.equal(a, b) or a.isnan().any() for a, b in zip(first, results(files), strict=True))
    if said == _SAID:
        assert all(map(same, first, results(_FILES)))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(_FILES[host_parts.TENSORS]) - 1), st.integers(1, 255), st.booleans())
def test_damaged_tensors_load_or_are_refused(at, bits, cut):
    data = bytearray(_FILES[host_parts.TENSORS])
    data[at] ^= bits
    try:
        results({**_FILES, host_parts.TENSORS: bytes(data[:at] if cut else data)})
    except ttsim.InputError as error:
        assert str(error).startswith("m.tti/host_parts.")


def test_tensors_are_written_once():
    tensors = load(_FILES[host_parts.TENSORS])
    assert len({tensor.data_ptr() for tensor in tensors.values()}) == len(tensors)
