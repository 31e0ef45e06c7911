"""What other tools read of a device: traces by ttsim's own, and files by tt-perf-report and ttnn-visualizer, of build/venv-perf
('scripts/setup perf-tools') or the bin folder that TTSIM_PERF_TOOLS names."""
import os
import pathlib
import subprocess

import pytest
import torch
import ttnn

OWN = pathlib.Path(__file__).parents[3] / "build" / "venv-perf" / "bin"
TOOLS = os.environ.get("TTSIM_PERF_TOOLS", "") or (str(OWN) if OWN.is_dir() else "")
needs_tools = pytest.mark.skipif(not TOOLS, reason="TTSIM_PERF_TOOLS is not set, and 'scripts/setup perf-tools' was not run")
needs_program = pytest.mark.skipif("TTSIM" not in os.environ, reason="TTSIM, the program, is not set")


@pytest.fixture()
def used(device):
    """A device that has run a few ops."""
    x = ttnn.from_torch(torch.randn(1, 64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    w = ttnn.from_torch(torch.randn(64, 96), dtype=ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT, device=device)
    for _ in range(2):
        ttnn.softmax(ttnn.matmul(ttnn.add(x, 1.0), w), dim=-1)
    return device


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_program
def test_trace(used, tmp_path):
    used.write_trace(tmp_path / "ops.ttperf")
    program = pathlib.Path(os.environ["TTSIM"])
    text = run(program.parent / "ttperf", tmp_path / "ops.ttperf")
    assert "model_0_add" in text and "softmax" in text
    run(program, "export", tmp_path / "ops.ttperf", "--ops-csv", tmp_path / "ops.csv", "--visualizer", tmp_path / "memory")
    assert "Matmul" in (tmp_path / "ops.csv").read_text()


def test_trace_without_launches(device, tmp_path):
    with pytest.raises(RuntimeError, match="has run no op"):
        device.write_trace(tmp_path / "ops.ttperf")


@needs_tools
def test_tt_perf_report(used, tmp_path):
    used.write_ops_csv(tmp_path / "ops.csv")
    text = run(pathlib.Path(TOOLS) / "tt-perf-report", tmp_path / "ops.csv", "--no-color")
    assert "Matmul 64 x 64 x 96" in text and "6 device ops, 0 host ops" in text


@needs_tools
def test_ttnn_visualizer(used, tmp_path):
    place = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=1), ttnn.ShardStrategy.HEIGHT)
    kept = ttnn.from_torch(torch.ones(64, 64), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=used, memory_config=place)
    used.write_visualizer(tmp_path / "report")
    (tmp_path / "performance").mkdir()
    used.write_ops_csv(tmp_path / "performance/ops_perf_results.csv")
    text = run(pathlib.Path(TOOLS) / "python", pathlib.Path(__file__).parent / "read_visualizer.py", tmp_path / "report",
               tmp_path / "performance")
    assert "linked: 6 rows" in text and "arch: {0: " in (tmp_path / "report/cluster_descriptor.yaml").read_text()
    assert text.count("ttnn.softmax") == 2 and "[(0, 0, 4096), (0, 1, 4096)]" in text and kept.is_sharded()
