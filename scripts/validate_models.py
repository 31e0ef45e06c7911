"""`scripts/validate --models`: published models, compiled by ttsim at the published format, fidelity and micro-batch, beside
the vendor's netlists of the same models under the same clock. Inputs per second end to end, and the ops on which most time
is spent. Models come from scripts/models, which caches them; those that cannot be created are skipped with a note. It
needs a Python with torch, not torchvision: build/venv/bin/python scripts/validate --models."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = 3  # ops shown
INFERENCE = "perf_lib/graph_tests/wormhole_b0/inference"

# model of scripts/models, device, arch, format, fidelity, micro-batch, vendor's netlist; source of formats and micro-batches:
# tt-buda-demos benchmark (first release with Wormhole)
MODELS = [
    ("resnet50", "wh_n150", "wormhole_b0", "Float16_b", "HiFi3", 256, None),
    ("mobilenet_v1", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 256, None),
    ("mobilenet_v2", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 256, f"{INFERENCE}/mobilenet_v2_hifi2_fp16b.yaml"),
    ("mobilenet_v3_large", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 64, f"{INFERENCE}/mobilenet_v3_hifi2_fp16b.yaml"),
    ("efficientnet_b0", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 64, None),
    ("unet", "wh_n150", "wormhole_b0", "Float16_b", "HiFi3", 64, None),
    ("yolov5s", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 32, None),
    ("vovnet27", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 64, None),
    ("vit_b16", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 64, None),
    ("t5_real", "wh_n150", "wormhole_b0", "Float16_b", "HiFi2", 64, "verif/graph_tests/netlists/t5_wormhole_b0.yaml"),
    ("bert_base", "wh_n150", "wormhole_b0", "Bfp8_b", "LoFi", 128, None),
    ("bert_large", "wh_n150", "wormhole_b0", "Bfp8_b", "LoFi", 256, "verif/directed_tests/bert_demo_24_encoders_1_chip.yaml"),
    ("bert_base", "gs_e150", "grayskull", "Bfp8_b", "LoFi", 128, "perf_lib/graph_tests/grayskull/inference/bert_base_lofi_bfp8b.yaml"),
]


def zoo():
    loader = importlib.machinery.SourceFileLoader("models", str(ROOT / "scripts/models"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def timed(ttsim, what, *more):
    run = subprocess.run([ttsim, "run", what, "--mode", "timing", "--json", "-", *more], capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def slowest_ops(report):
    """'TYPE NAME share' of the ops that are busy longest."""
    cycles = sum(graph["cycles"] for graph in report["graphs"])
    ops = sorted(((op["busy_cycles"], op["type"], op["name"]) for graph in report["graphs"] for op in graph["ops"]), reverse=True)
    return "; ".join(f"{kind} `{name}` {100 * busy / cycles:.0f} %" for busy, kind, name in ops[:TOP])


def cells(report):
    if not report:
        return "-", "-", "-"
    bars = f" +- {100 * report['uncertainty']:.0f} %" if report.get("uncertainty") else ""
    steady = f"{report['inputs_per_second']:,.0f}" if report["inputs_per_second"] else "-"  # too few inputs to tell
    return f"{report['end_to_end_per_second']:,.0f}{bars}", steady, slowest_ops(report)


def compiled(ttsim, folder, out, device, df, fidelity, microbatch):
    shapes = json.loads((folder / "shapes.json").read_text()) if (folder / "shapes.json").is_file() else {}
    command = [ttsim, "compile", folder / "model.onnx", "--device", device, "--default-df", df, "--math-fidelity", fidelity,
               "--microbatch", str(microbatch), "-o", out]
    for name, shape in shapes.items():
        command += ["--shape", f"{name}={shape}"]
    made = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return None if made.returncode == 0 else made.stderr.strip().splitlines()[-1:]


def show(ttsim, netlists, cache):
    """Prints the table, row by row."""
    models = zoo()
    there = models.make_missing(sorted({m[0] for m in MODELS}), cache)
    print("| model, device, format, micro-batch | by | inputs/s end to end | steady | longest busy |\n|---|---|---|---|---|", flush=True)
    for name, device, arch, df, fidelity, microbatch, vendor in MODELS:
        title = f"{name}, {device}, {df} {fidelity}, {microbatch}"
        if name in there:
            with tempfile.TemporaryDirectory() as out:
                out = pathlib.Path(out) / "model"
                failed = compiled(ttsim, cache / name, out, device, df, fidelity, microbatch)
                report = None if failed else timed(ttsim, out / "netlist.yaml")
            print(f"| {title} | ttsim compile | " + (f"{failed} | | |" if failed else " | ".join(cells(report)) + " |"), flush=True)
        if vendor and (netlists / vendor).is_file():
            print(f"| {title} | vendor's netlist | " + " | ".join(cells(timed(ttsim, netlists / vendor, "--arch", arch))) + " |", flush=True)
