"""Tools, metrics, the plugin of pytest, exported code."""
import json
import math
import os
import pathlib
import subprocess
import sys

import pytest
import torch
import torch_stat
import torch_ttnn
import torch_ttnn.recording
from torch_ttnn import metrics
from torch_ttnn.tools import collect_metrics, generate_report, stat_models
from torch_ttnn.tools.zoo import ENTRIES, entry_of


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tracer_and_report(folder, monkeypatch):
    small = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU())
    monkeypatch.setattr(stat_models, "networks", lambda more: {"small": (small, torch.randn(1, 1, 8, 8))})
    assert stat_models.main(["--trace_orig", "--backward", "--profile"]) == 0
    assert generate_report.main([]) == 0
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"stat/raw/fw_small_orig_0.json", "stat/raw/bw_small_orig_0.json", "stat/fw_node_count.csv", "stat/bw_node_count.csv",
            "stat/profile/small/trace.json"} <= names
    assert any(name.startswith("stat/fw_total_input_size_dist/") for name in names)
    call = json.loads((folder / "stat/raw/fw_small_orig_0.json").read_text())[0]
    assert call["op_type"] == "aten.convolution.default" and call["inputs"][0] == {"shape": [1, 1, 8, 8], "dtype": "torch.float32"}
    rows = (folder / "stat/fw_node_count.csv").read_text().splitlines()
    assert rows[0].startswith("model_name,_TOTAL_,") and rows[-1].startswith("TOTAL,")
    assert generate_report.main(["nothing"]) == 2


def test_stat_backend(folder):
    torch.compile(lambda x: x + 1, backend=torch_stat.backend, options=torch_stat.TorchStatOption("one"))(torch.ones(2))
    assert os.listdir("stat/raw") == ["fw_one_orig_0.json"]


def test_tracer_option(compiled, folder):
    function, _ = compiled(lambda x: x + 1, tracer_option={"model_name": "one", "out_folder": "traces", "trace_modi": True})
    function(torch.ones(2, 2))
    assert sorted(os.listdir("traces/raw")) == ["fw_one_modi_0.json", "fw_one_orig_0.json"]
    assert "add" in pathlib.Path("traces/raw/fw_one_modi_0.json").read_text()


TESTS = '''
import pytest, torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x + 4 * torch.eye(4)).relu()

def test_one(record_property):
    record_property("model_name", "group/one")
    model, x = Model().eval(), torch.rand(4, 4)
    record_property("torch_ttnn", (model, (x,), model(x)))

@pytest.mark.compilation_xfail
def test_wrong(record_property):
    record_property("model_name", "wrong")
    model, x = Model().eval(), torch.rand(4, 4)
    record_property("torch_ttnn", (model, {"x": x}, [model(x), x]))

@pytest.mark.converted_end_to_end
def test_not_all(record_property):
    record_property("model_name", "not_all")
    model, x = Model().eval(), torch.rand(4, 4)
    record_property("torch_ttnn", (model, x, model(x)))
'''


def test_plugin_and_table(folder):
    (folder / "test_models.py").write_text(TESTS)
    made = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "torch_ttnn.pytest_plugin", "-p", "no:cacheprovider", "test_models.py"],
                          capture_output=True, text=True)
    assert "1 failed, 2 passed" in made.stdout and "not_all: aten ops remain" in made.stdout, made.stdout
    assert collect_metrics.main(["--out", "models.md", "--pages", "pages"]) == 0
    page = (folder / "models.md").read_text()
    one, = [line for line in page.splitlines() if line.startswith("| group/one |")]
    wrong, = [line for line in page.splitlines() if line.startswith("| wrong |")]
    assert "| \N{WHITE HEAVY CHECK MARK} |" in one and "| 1 (1) |" in one and "| \N{HEAVY BALLOT X} |" in wrong and "N/A" in wrong
    assert "| aten.linalg_inv_ex.default | \N{HEAVY BALLOT X} | 1 |" in page and "| aten.relu.default | \N{WHITE HEAVY CHECK MARK} | 1 |" in page
    assert "Done" in (folder / "pages/models/group/one/input_variations.md").read_text()
    assert collect_metrics.main(["--metrics", "nothing"]) == 2


def test_schemas(compiled):
    function, option = compiled(lambda x: torch.cat([x.softmax(-1), x.view(4, 32)]), metrics_path="one")
    function(torch.ones(4, 32))
    before = {one["opname"]: one["inputs"] for one in option.original_schema_list[0]}
    assert before["aten._softmax.default"] == ["Tensor<[4, 32]> self = ?", "int dim = -1", "bool half_to_float = False"]
    assert before["aten.cat.default"][0] == "List[Tensor] tensors = [<[4, 32]>, <[4, 32]>]"
    after = {one["opname"]: one for one in option.compiled_schema_list[0]}
    assert after["ttnn.softmax"]["original_inputs"]["opname"] == "aten._softmax.default"


def test_pcc():
    nan, zero, x = torch.full((3,), math.nan), torch.zeros(3), torch.tensor([1.0, 2.0, 4.0])
    assert metrics.pcc(nan, nan) == 1 and metrics.pcc(nan, x) == 0 and metrics.pcc(zero, x) == 0 and metrics.pcc(x, x + 1) > 0.999
    assert metrics.pcc(torch.ones(3), torch.full((3,), 2.0)) == 1
    assert metrics.accuracy({"a": [x, x], "b": zero}, {"a": [x, -x], "b": zero}) == 50.0
    with pytest.raises(ValueError, match="results"):
        metrics.accuracy([x], [x, x])


@pytest.mark.parametrize("kind", ("accuracy", "profiling"))
def test_exported_code_runs(compiled, folder, kind):
    module = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.GELU()).eval()
    function, _ = compiled(module, export_code=kind, metrics_path="one")
    with torch.no_grad():
        function(torch.randn(4, 32))
    made = subprocess.run([sys.executable, f"metrics/one/graph_0_{kind}.py"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    lines = made.stdout.splitlines()
    assert lines[-1] == "[[4, 16]]"
    assert (len(lines) > 3 and all(float(line.split()[-1]) > 0.999 for line in lines[:-1])) == (kind == "accuracy")


def test_bypass(compiled):
    function, option = compiled(lambda x: x + 1, bypass_compile=True)
    assert torch.equal(function(torch.ones(2, 2)), torch.full((2, 2), 2.0))
    assert [one["opname"] for one in option.original_schema_list[0]] == ["aten.add.Tensor"] and option.compiled_graphs == []


def test_models_are_those_of_the_table():
    assert len(ENTRIES) == 19
    with pytest.raises(KeyError, match="there is no model 'x'"):
        entry_of("x")


@pytest.mark.parametrize("name", ["BERT", "GPT-2", "Llama", "albert/albert-base-v2"])
def test_small_models(compiled, name):
    module, inputs = entry_of(name).make(1, **entry_of(name).narrow)
    inputs = {key: value[:, :16] for key, value in inputs.items()}
    function, option = compiled(module)
    with torch.no_grad():
        expected, made = module(**inputs), function(**inputs)
    assert metrics.accuracy(expected.to_tuple(), made.to_tuple()) >= 99
    assert not any(str(node.target).startswith("aten") for graph in option._out_fx_graphs for node in graph.nodes)
    assert torch_ttnn.recording.simulated(option)["moves_of_a_call"] <= 2 + len(inputs) + len(made.to_tuple())
