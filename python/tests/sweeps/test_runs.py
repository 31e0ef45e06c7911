"""Runs of sweeps: results, stores, failures, interruptions, searches, comparisons."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

import pytest

import ttsim
from ttsim.sweeps import Store, SweepError
from ttsim.sweeps.show import pareto, query, write


def rows_of(outcome, *columns):
    return sorted(query(outcome.store, columns=list(columns))[1], key=str)


def test_points_have_the_figures_of_single_runs(spec, tmp_path, encoder):
    outcome = ttsim.sweep(spec(axes={"run.inputs_count": [1, 4], "device": ["wh_n150", "gs_e150"]}), tmp_path / "store")
    assert (outcome.points, outcome.run, outcome.failed) == (4, 4, 0)
    for count, device, cycles, command in rows_of(outcome, "run.inputs_count", "device", "cycles", "command"):
        report = ttsim.run(encoder, device=device, engine="timing", inputs_count=count)
        assert cycles == report.cycles
        words = [os.environ["TTSIM"], *shlex.split(command)[1:], "--json", "-"]
        assert json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["cycles"] == cycles


def test_stored_points_do_not_run_again(spec, tmp_path):
    first = ttsim.sweep(spec(), tmp_path / "store")
    again = ttsim.sweep(spec(axes={"run.inputs_count": [1, 2, 3]}), tmp_path / "store")
    assert (first.run, again.stored_before, again.run) == (2, 2, 1)


def test_chips_and_fields_change_the_time(spec, tmp_path):
    axes = {"chip.clock_mhz": [500, 1000], "memory.dram.peak_bytes": [4]}
    with pytest.raises(SweepError, match="there is no axis"):
        ttsim.sweep(spec(axes=axes), tmp_path / "store")
    axes = {"chip.memory.dram.peak_bytes": [4, 24], "netlist.graphs.*.*.math_fidelity": ["LoFi", "HiFi4"],
            "chip.memory.dram.channels": [6]}
    outcome = ttsim.sweep(spec(axes=axes), tmp_path / "store")
    cycles = {row[:2]: row[2] for row in rows_of(outcome, *list(axes)[:2], "cycles")}
    assert cycles[4, "LoFi"] > cycles[24, "LoFi"]
    assert cycles[24, "HiFi4"] > cycles[24, "LoFi"]


def test_memory_and_utilization_are_measures(spec, tmp_path):
    measures = ["math_utilization", "l1_bytes", "l1_share", "dram_bytes", "dram_share", "dram_busy_share"]
    axes = {"netlist.graphs.*.*.buf_size_mb": [2, 4], "netlist.queues.attention_mask.entries": [4, 8]}
    outcome = ttsim.sweep(spec(axes=axes, measures=measures), tmp_path / "store")
    found = {row[:2]: dict(zip(measures, row[2:])) for row in rows_of(outcome, *axes, *measures)}
    assert all(0 < point[share] <= 1 for point in found.values() for share in measures if not share.endswith("bytes"))
    assert found[4, 8]["l1_bytes"] > found[2, 8]["l1_bytes"] == found[2, 4]["l1_bytes"]
    assert found[2, 8]["dram_bytes"] > found[2, 4]["dram_bytes"] == found[4, 4]["dram_bytes"]


def test_what_each_pass_brings(spec, tmp_path):
    model = tmp_path / "chain.tg"
    model.write_text('%x = input : f32[64, 64]\n%a = exp %x\n%b = neg %a\n%y = add %b, %x\noutput "y" = %y\n')
    outcome = ttsim.sweep({"model": str(model), "axes": {"compile.skip_passes": [[], ["fuse-ops"], ["fuse-relu", "fuse-ops"]]},
                           "measures": ["ops", "cycles"]}, tmp_path / "store")
    ops = {row[0]: row[1] for row in rows_of(outcome, "compile.skip_passes", "ops")}
    assert sorted(ops.values()) == [2, 3, 3]


@pytest.mark.parametrize(("axes", "message"), [
    ({"chip.memory.dram.peek_bytes": [1]}, "did you mean 'memory.dram.peak_bytes'"),
    ({"chip.memory.dram.channels": [9]}, "an integer from 1 to 6"),
    ({"chip.clock_mhz": ["fast"]}, "is refused"),
    ({"netlist.graphs.*.*.math_fidelty": ["LoFi"]}, "has no field"),
    ({"netlist.graphs.*.*.math_fidelity": ["LoFi", "HiFi9"]}, "the value 'HiFi9' is refused"),
    ({"device": ["wh_n150", "wh_n151"]}, "did you mean 'wh_n150'"),
    ({"run.inputs_count": [1, 0]}, "the value 0 is refused"),
])
def test_mistakes_are_refused_before_the_first_point(spec, tmp_path, axes, message):
    with pytest.raises(SweepError, match=message):
        ttsim.sweep(spec(axes=axes), tmp_path / "store")
    assert Store(tmp_path / "store").statuses() == {}


def test_failures_keep_message_and_command_and_are_retried(spec, tmp_path):
    given = spec(axes={"netlist.graphs.fwd_0_0_attention.attn.q.grid_size": [[2, 2], [20, 20]]}, keep_invalid=True)
    outcome = ttsim.sweep(given, tmp_path / "store")
    assert outcome.failed >= 1
    names, rows = query(outcome.store, "status <> 'ok'", columns=["status", "message", "command"])
    assert rows[0][0] == "refused"
    assert "error" in rows[0][1]
    assert rows[0][2].startswith("ttsim run ")
    assert ttsim.sweep(given, tmp_path / "store").run == 0
    assert ttsim.sweep(given, tmp_path / "store", retry_failed=True).run == outcome.failed


def test_limits_end_a_point(spec, tmp_path):
    slow = spec(run={"engine": "full"}, axes={"run.inputs_count": [64]}, limits={"seconds": 0.05})
    outcome = ttsim.sweep(slow, tmp_path / "store")
    assert rows_of(outcome, "status", "message") == [("timeout", "took more than 0.05 s")]
    small = spec(run={"engine": "full"}, axes={"run.inputs_count": [64]}, limits={"memory_mb": 25})
    outcome = ttsim.sweep(small, tmp_path / "small")
    assert rows_of(outcome, "status") == [("out of memory",)]


def test_models_are_compiled_for_each_point(tmp_path):
    (tmp_path / "m.tg").write_text('%x = input : f32[512, 512]\n%b = exp %x\noutput "y" = %b\n')
    given = {"model": str(tmp_path / "m.tg"), "axes": {"compile.default-df": ["Float16_b", "Bfp8_b"], "run.mode": ["full"]},
             "measures": ["cycles", "pcc", "epochs", {"name": "macs", "report": "compile", "path": "multiply_adds.all"}]}
    outcome = ttsim.sweep(given, tmp_path / "store")
    table = {row[0]: row[1:] for row in rows_of(outcome, "compile.default-df", "cycles", "pcc", "epochs", "status")}
    assert set(table) == {"Bfp8_b", "Float16_b"}
    assert all(row[1] > 0.99 and row[2] == 1 and row[3] == "ok" for row in table.values())


def test_values_are_the_same_for_any_number_of_workers(spec, tmp_path):
    tables = []
    for workers in (1, 3):
        outcome = ttsim.sweep(spec(run={"engine": "full"}, axes={"run.inputs_count": [1, 2]}, seeds=[0, 1, 2],
                                   measures=["cycles", "pcc"]), tmp_path / str(workers), workers=workers)
        tables.append(rows_of(outcome, "key", "cycles", "pcc", "status"))
    assert tables[0] == tables[1]
    assert len({row[2] for row in tables[0]}) > 1


def test_searches_repeat_and_stop_early(spec, tmp_path):
    given = spec(axes={"run.inputs_count": [1, 4], "chip.memory.dram.peak_bytes": {"from": 4, "to": 24, "step": 1}},
                 objectives=["cycles"], fidelity="run.inputs_count")
    first = ttsim.sweep(given, tmp_path / "a", search=10, workers=1)
    second = ttsim.sweep(given, tmp_path / "b", search=10, workers=3)
    assert first.best == second.best
    assert first.pruned > 0
    assert first.best[0][0]["chip.memory.dram.peak_bytes"] > 10
    again = ttsim.sweep(given, tmp_path / "a", search=10)
    assert (again.run, again.best) == (0, first.best)


def test_a_pareto_search_returns_a_front(spec, tmp_path):
    given = spec(axes={"run.inputs_count": [1, 2, 4], "seed": [0, 1]}, objectives=["latency_cycles", "end_to_end_per_second"])
    outcome = ttsim.sweep(given, tmp_path / "a", search=6)
    names, rows = query(outcome.store, columns=["latency_cycles", "end_to_end_per_second"])
    front = pareto([dict(zip(names, row)) for row in rows], [("latency_cycles", True), ("end_to_end_per_second", False)])
    assert sorted({tuple(values) for _, values in outcome.best}) == sorted({tuple(map(float, row.values())) for row in front})


def test_stores_are_written_by_several_and_types_may_differ(spec, tmp_path):
    ttsim.sweep(spec(axes={"run.inputs_count": [1], "run.programs": [["run_fwd_0"]]}), tmp_path / "store")
    ttsim.sweep(spec(axes={"run.inputs_count": [2], "device": ["gs_e150"]}), tmp_path / "store")
    store = Store(tmp_path / "store")
    frame = store.pandas()
    assert sorted(frame["run.inputs_count"]) == [1, 2]
    assert store.polars().shape[0] == 2
    write(store, str(tmp_path / "t.csv"), "csv")
    write(store, str(tmp_path / "t.parquet"), "parquet")
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 3
    with pytest.raises(SweepError, match="already exists"):
        write(store, str(tmp_path / "t.csv"), "csv")
    with pytest.raises(SweepError, match="is not a store"):
        Store(tmp_path)


def test_filters_cannot_read_files(spec, tmp_path):
    outcome = ttsim.sweep(spec(), tmp_path / "store")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(SweepError, match="--filter"):
        query(outcome.store, f"(SELECT count(*) FROM '{tmp_path}/secret.csv') > 0")


def command(*words):
    return [sys.executable, "-m", "ttsim.sweeps", *map(str, words)]


def write_spec(tmp_path, spec):
    path = tmp_path / "sweep.yaml"
    path.write_text(json.dumps(spec(axes={"run.inputs_count": {"from": 1, "to": 40}}, measures=["cycles"])))
    return path


def test_a_killed_sweep_goes_on_where_it_was(spec, tmp_path):
    path = write_spec(tmp_path, spec)
    whole = ttsim.sweep(path, tmp_path / "whole")
    process = subprocess.Popen(command(path, "--store", tmp_path / "killed", "--workers", 2), stderr=subprocess.DEVNULL)
    while len(list((tmp_path / "killed").glob("results/*.jsonl"))) == 0 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored = len(Store(tmp_path / "killed").statuses())
    rest = ttsim.sweep(path, tmp_path / "killed")
    assert 0 < stored < 40
    assert (rest.stored_before, rest.run) == (stored, 40 - stored)
    assert rows_of(rest, "key", "cycles", "status") == rows_of(whole, "key", "cycles", "status")


def children(pid):
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == pid:
            yield int(status.parent.name)


def test_a_killed_worker_loses_no_point(spec, tmp_path):
    path = write_spec(tmp_path, spec)
    process = subprocess.Popen(command(path, "--store", tmp_path / "store", "--workers", 2), stderr=subprocess.DEVNULL)
    killed = 0
    while process.poll() is None and killed < 3:
        time.sleep(0.15)
        for worker in list(children(process.pid))[:1]:
            if list((tmp_path / "store").glob("results/*.jsonl")):
                os.kill(worker, signal.SIGKILL)
                killed += 1
    assert process.wait() == 0
    assert killed > 0
    assert set(Store(tmp_path / "store").statuses().values()) == {"ok"}
    assert len(Store(tmp_path / "store").statuses()) == 40


def test_comparisons_find_what_is_worse(spec, tmp_path):
    path = tmp_path / "sweep.yaml"
    slow = spec(chip={"memory.dram.peak_bytes": 4})
    path.write_text(json.dumps(spec()))
    ttsim.sweep(spec(), tmp_path / "before")
    same = subprocess.run(command(path, "--store", tmp_path / "same", "--against", tmp_path / "before"), capture_output=True, text=True)
    assert same.returncode == 0
    assert "0 worse" in same.stdout
    path.write_text(json.dumps(slow))
    worse = subprocess.run(command(path, "--store", tmp_path / "after", "--against", tmp_path / "before"), capture_output=True, text=True)
    assert worse.returncode == 1
    assert "worse: run.inputs_count=1: cycles" in worse.stdout
    path.write_text(json.dumps({**slow, "thresholds": {"cycles": "900%"}}))
    allowed = subprocess.run(command(path, "--store", tmp_path / "after", "--against", tmp_path / "before"), capture_output=True, text=True)
    assert allowed.returncode == 0


def test_dask_workers_give_the_same_results_and_may_be_killed(spec, tmp_path):
    from distributed import LocalCluster
    path = write_spec(tmp_path, spec)
    whole = ttsim.sweep(path, tmp_path / "local")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1") as cluster:
        process = subprocess.Popen(command(path, "--store", tmp_path / "dask", "--engine", "dask", "--scheduler",
                                           cluster.scheduler_address), stderr=subprocess.DEVNULL)
        while not list((tmp_path / "dask").glob("results/*.jsonl")) and process.poll() is None:
            time.sleep(0.02)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        assert process.wait() == 0
    assert rows_of(whole, "key", "cycles", "status") == sorted(
        query(Store(tmp_path / "dask"), columns=["key", "cycles", "status"])[1], key=str)


def test_engines_are_refused_with_a_remedy(spec, tmp_path):
    with pytest.raises(SweepError, match="did you mean 'dask'"):
        ttsim.sweep(spec(), tmp_path / "store", engine="dsk")
    with pytest.raises(SweepError, match="--scheduler tcp://"):
        ttsim.sweep(spec(), tmp_path / "store", engine="dask")
