"""What the library tells programs as values: places of ops, host steps, errors, overrides by names, arrays."""
import json

import numpy
import onnx
import onnx.helper
import pytest
import torch
import ttsim
from ttsim import ElementType


def two_products(rows=64):
    """gelu(x @ a) @ b, with named ops."""
    graph = ttsim.Graph()
    weights = numpy.linspace(-1, 1, 64 * 64, dtype=numpy.float32).reshape(64, 64) / 8
    x = graph.input("x", [rows, 64])
    first = graph.add("matmul", [x, graph.constant("a", weights)], name="first")
    middle = graph.add("sqrt", [graph.add("exp", [first], name="grown")], name="middle")
    graph.output("y", graph.add("matmul", [middle, graph.constant("b", weights)], name="second"))
    return graph


def fused():
    """The same, with the ops between the products as one."""
    return ttsim.compile(two_products(), device="wh_n150", keep_names=True,
                         overrides=json.dumps({"grown": {"fuse": True}, "middle": {"fuse": True}}))


def values_of(bound):
    """The fields of a value of the extension."""
    names = [name for name in dir(bound) if not name.startswith("_")]
    return {name: [values_of(one) for one in value] if isinstance(value := getattr(bound, name), list) and value
            and not isinstance(value[0], (str, list)) else value for name in names}


# --- the netlist


def test_a_layout_has_the_values_of_the_netlist_text():
    compiled = fused()
    layout, read = compiled.layout, ttsim.Netlist.from_text(compiled.netlist)
    for ours, theirs in ((layout.ops, read.ops), (layout.queues, read.queues), (layout.graph_infos, read.graph_infos),
                         (layout.program_infos, read.program_infos)):
        assert ours and [values_of(one) for one in ours] == [values_of(one) for one in theirs]
    assert [op.type for op in layout.ops] == ["matmul", "fused_op", "matmul"]
    first, middle, second = layout.ops
    assert (first.name, second.name) == ("first", "second") and second.operands[0] in (middle.name, f"e2e_{middle.name}_0")
    assert first.format == "Float16_b" and len(first.operand_formats) == len(first.operands) == 2
    assert first.fidelity == "HiFi4" and first.chip == 0 and first.epoch == 0
    assert layout.op("second").name == "second"
    assert sum(len(graph.ops) for graph in layout.graph_infos) == 3


def test_fused_ops_and_buffers_of_queues():
    layout = fused().layout
    chain = next(op for op in layout.ops if op.type == "fused_op")
    definition = next(one for one in layout.fused_ops if one.name == chain.fused)
    assert definition.inputs == 1 and [[step.type for step in steps] for steps in definition.schedules] == [["exp", "sqrt"]]
    queues = {queue.name: queue for queue in layout.queues}
    assert queues["x"].host_fills and not queues["x"].filled_by and queues["y"].filled_by == "second"
    for queue in queues.values():
        assert queue.buffers and not queue.on_host and all(buffer.address > 0 for buffer in queue.buffers)
    on_host = ttsim.compile(two_products(), device="wh_n150", host_inputs=True, keep_names=True).layout
    assert on_host.queue("x").on_host


def test_sizes_of_transposed_ops_are_those_on_the_chip():
    shapes = {}
    for transpose in (False, True):
        chosen = json.dumps({"first": {"size": [2, 1], "transpose": transpose}})
        op = ttsim.compile(two_products(), device="wh_n150", keep_names=True, overrides=chosen).layout.op("first")
        shapes[op.transposed] = (op.rows, op.columns)
    assert shapes == {False: (2, 1), True: (1, 2)}


def test_programs_have_their_graphs():
    netlist = ttsim.Netlist.from_text(ttsim.compile(two_products(), device="wh_n150").netlist)
    assert [program.name for program in netlist.program_infos] == netlist.programs
    assert netlist.program_infos[0].graphs == netlist.graphs


def test_host_steps_have_their_op_and_cost():
    graph = ttsim.Graph()
    x = graph.input("x", [32, 32])
    graph.output("y", graph.add("round", [graph.add("exp", [x], name="grown")], name="rounded"))
    steps = ttsim.compile(graph, device="wh_n150").host_steps
    step = next(step for step in steps if step.op == "round")
    assert step.origin == "rounded" and list(step.result.shape) == [32, 32] and step.operations >= 1024
    assert step.multiply_adds == 0 and step.operands


def test_a_description_of_a_device_has_its_grid():
    known = next(info for info in ttsim.devices() if info.name == "wh_n150")
    described = ttsim.describe_device("wh_n150")
    assert (described.rows, described.columns, described.chip) == (known.rows, known.columns, known.chip)
    assert ttsim.describe_device("gs_e150", [1]).rows == ttsim.describe_device("gs_e150").rows - 1
    with pytest.raises(ttsim.InputError):
        ttsim.describe_device("wh_n1500")


# --- errors


def test_errors_have_codes_places_and_names(tmp_path):
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.Netlist.from_file(str(tmp_path / "none.yaml"))
    assert caught.value.code == "no-such-file" and caught.value.file == str(tmp_path / "none.yaml")
    assert caught.value.kind == ttsim.ErrorKind.Input and len(caught.value.problems) == 1
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.Netlist.from_text("devices:\n  arch: [\n", "bad.yaml")
    assert caught.value.code == "syntax" and (caught.value.file, caught.value.line) == ("bad.yaml", 3)
    graph = two_products()
    with pytest.raises(ttsim.InputError) as caught:
        graph.add("mathmul", [])
    assert (caught.value.code, caught.value.ops) == ("unknown-name", ("mathmul",))
    with pytest.raises(ttsim.InputError) as caught:
        graph.input("x", [2])
    assert (caught.value.code, caught.value.ops) == ("duplicate-name", ("x",))


def test_every_problem_is_listed():
    unknown = json.dumps({"first_": {"size": [1, 1]}, "seconds": {"size": [1, 1]}})
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.compile(two_products(), device="wh_n150", keep_names=True, overrides=unknown)
    assert [problem.code for problem in caught.value.problems] == ["unknown-name"] * 2
    assert set(caught.value.ops) == {"first_", "seconds"}
    assert all(problem.message in str(caught.value) for problem in caught.value.problems)


def test_nodes_of_onnx_that_cannot_be_compiled_are_named():
    helper, proto = onnx.helper, onnx.TensorProto
    x, y = (helper.make_tensor_value_info(name, proto.FLOAT, [2, 2]) for name in "xy")
    model = helper.make_model(helper.make_graph([helper.make_node("Exq", ["x"], ["y"], name="grown")], "g", [x], [y]))
    with pytest.raises(ttsim.UnsupportedError) as caught:
        ttsim.Graph.from_onnx(model.SerializeToString())
    assert (caught.value.code, caught.value.ops) == ("unsupported-op", ("grown",))


def test_unknown_names_of_inputs_and_queues():
    compiled = ttsim.compile(two_products(), device="wh_n150", keep_names=True)
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.Model(compiled).run({"x": numpy.zeros((64, 64)), "z": numpy.zeros(2)})
    assert (caught.value.code, caught.value.ops) == ("unknown-name", ("z",))
    session = ttsim.Session(compiled.layout, device="wh_n150", engine="functional")
    for wrong, code in (("xx", "unknown-name"), ("x", "wrong-shape")):
        with pytest.raises(ttsim.InputError) as caught:
            session.push(wrong, numpy.zeros((1, 32, 32)))
        assert (caught.value.code, caught.value.ops) == (code, (wrong,))


def test_an_op_without_a_grid_has_a_remedy():
    graph = ttsim.Graph()
    x = graph.input("x", [1, 1 << 19])
    graph.output("y", graph.add("softmax", [x], {"axis": 1}, name="wide"))
    with pytest.raises(ttsim.UnsupportedError) as caught:
        ttsim.compile(graph, device="wh_n150", keep_names=True, t_streaming=False, host_fallback=False)
    problem = caught.value.problems[0]
    assert caught.value.code == "no-fitting-grid" and caught.value.ops
    assert problem.remedy and str(caught.value).splitlines()[0].endswith(problem.remedy)


# --- overrides by names that the compiler knows


def test_overrides_are_chosen_from_the_ops_of_the_lowered_model():
    calls = []

    def choose(ops):
        calls.append(ops)
        return json.dumps({op.name: {"size": [1, 1]} for op in ops if op.type == "matmul"})

    layout = ttsim.compile(two_products(), device="wh_n150", keep_names=True, choose_overrides=choose).layout
    assert len(calls) == 1
    by_name = {op.name: op for op in calls[0]}
    assert list(by_name) == ["first", "grown", "middle", "second"]
    assert by_name["second"].operands == ["middle", "b"] and by_name["grown"].origin == "grown"
    assert [(op.rows, op.columns) for op in layout.ops if op.type == "matmul"] == [(1, 1)] * 2


def test_exceptions_of_the_choice_reach_the_caller():
    def choose(ops):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        ttsim.compile(two_products(), device="wh_n150", choose_overrides=choose)
    with pytest.raises(ttsim.InputError, match="an override has no 'sizes'"):
        ttsim.compile(two_products(), device="wh_n150", choose_overrides=lambda ops: '{"first": {"sizes": [1, 1]}}')


def test_parameters_of_every_op_can_stay_in_dram():
    def prologues(every):
        compiled = ttsim.compile(two_products(), device="wh_n150", choose_overrides=lambda ops: json.dumps(
            {"*": {"dram_parameters": every}}))
        return compiled.netlist.count("prologue: true")
    assert prologues(True) == 0 and prologues(False) == 2
    with pytest.raises(ttsim.InputError, match="may have 'dram_parameters' only"):
        ttsim.compile(two_products(), device="wh_n150", overrides=json.dumps({"*": {"size": [1, 1]}}))


def test_overrides_without_effect_are_reported():
    report = ttsim.compile(two_products(96), device="wh_n150", keep_names=True, ignore_unknown=True,
                           ignore_impossible_slices=True,
                           overrides=json.dumps({"first": {"t": 2}, "secnd": {"size": [1, 1]}})).report()
    found = {ignored.op: ignored for ignored in report.ignored_overrides}
    assert (found["first"].code, found["secnd"].code, found["secnd"].nearest) == ("cannot-stream", "unknown-name", "second")
    assert "do not divide" in found["first"].message
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.compile(two_products(96), device="wh_n150", keep_names=True, overrides=json.dumps({"first": {"t": 2}}))
    assert (caught.value.code, caught.value.ops) == ("cannot-stream", ("first",))


def test_fewer_epochs_than_chips():
    with pytest.raises(ttsim.InputError) as caught:
        ttsim.compile(two_products(), device="wh_n300", chips=2)
    assert caught.value.code == "too-few-epochs" and "epoch_break" in caught.value.remedy
    layout = ttsim.compile(two_products(), device="wh_n300", chips=2, fewer_chips=True).layout
    assert {op.chip for op in layout.ops} == {0}


# --- arrays


def passed(values, kind=ElementType.F32):
    """The values after a way through the library, as it holds them."""
    graph = ttsim.Graph()
    x = graph.input("x", list(values.shape), kind)
    graph.output("y", graph.add("cast", [x], {"to": "f32"}))
    return ttsim.compile(graph, device="wh_n150", inputs={"x": values}).default_inputs()["x"]


def test_integers_are_exact_beyond_the_range_of_doubles():
    limits = [2**53 + 1, -2**53 - 1, 2**63 - 1, -2**63, 0, 1]
    for values in (numpy.array(limits), torch.tensor(limits)):
        assert passed(values, ElementType.I64).tolist() == limits
    unsigned = numpy.array([2**64 - 1, 2**53 + 1, 0], numpy.uint64)
    assert passed(unsigned, ElementType.U64).tolist() == unsigned.tolist()
    graph = ttsim.Graph()
    graph.output("y", graph.add("reshape", [graph.input("x", [6], ElementType.I64)], {"dims": [2, 3]}))
    model = ttsim.Model(ttsim.compile(graph, device="wh_n150"))
    assert model.run({"x": numpy.array(limits)})["y"].flatten().tolist() == limits


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32", "bool"])
def test_all_integer_types_pass(dtype):
    kind = {"b": "Bool", "i": "I", "u": "U"}[dtype[0]] + dtype[len(dtype.rstrip("0123456789")):]
    values = numpy.array([[0, 1], [1, 0]], dtype) if dtype == "bool" else \
        numpy.array([[numpy.iinfo(dtype).min, 1], [3, numpy.iinfo(dtype).max]], dtype)
    got = passed(values, getattr(ElementType, kind))
    assert got.dtype == numpy.dtype(dtype) and (got == values).all()
    turned = passed(values.T, getattr(ElementType, kind))  # not contiguous
    assert (turned == values.T).all()


def test_every_half_has_its_float():
    bits = numpy.arange(1 << 16, dtype=numpy.uint16)
    halves = bits.view(numpy.float16)
    want, got = halves.astype(numpy.float32), passed(halves)
    assert (numpy.isnan(want) == numpy.isnan(got)).all()
    assert (want.view(numpy.uint32) == got.view(numpy.uint32))[~numpy.isnan(want)].all()
    assert (passed(torch.from_numpy(halves))[:1000] == want[:1000]).all()


def test_bfloat16_comes_from_torch_and_from_its_bits():
    values = torch.tensor([1.0, -2.5, 3e38, 1e-40, float("inf")], dtype=torch.bfloat16)
    want = values.float().numpy()
    for given in (values, values.view(torch.uint16), values.view(torch.int16).numpy().view(numpy.uint16)):
        assert (passed(given, ElementType.BF16) == want).all()
    assert (passed(values) == want).all()


def test_arrays_of_other_layouts():
    values = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    for given in (values[:, ::2], values.T, values.astype(">f4"), torch.from_numpy(values).T, values.astype(numpy.float64),
                  torch.from_numpy(values).requires_grad_(), numpy.broadcast_to(values[0], (2, 4))):
        want = given.detach().numpy() if isinstance(given, torch.Tensor) else given
        assert (passed(given) == want).all()
