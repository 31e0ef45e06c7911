"""Speed at equal accuracy: compares levels of automatic mixed precision with --target-pcc, with the PCC of each level as
its target."""
import json
import math
import pathlib
import subprocess
import tempfile
import time

LEVELS = {"AMP 1": ["--amp", "1"], "AMP 2": ["--amp", "2"], "AMP light 1": ["--amp-light", "1"],
          "AMP light 2": ["--amp-light", "2"], "AMP light 3": ["--amp-light", "3"]}
NO_LEVEL = "0.99"  # the target without a level for comparison
MODELS = ["keyword_spotter", "bert_small", "unet_small", "yolo_small", "squeezenet", "mobilenet_v2",
          "resnet18", "yolov3_tiny"]
INPUTS = 16  # inputs of a timed execute


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError((done.stderr.splitlines() or ["no message"])[0][:160])
    return done.stdout


def given(folder):
    """The files of the inputs, and shapes of inputs with symbolic dimensions."""
    shapes = folder / "shapes.json"
    return ({file.stem: file for file in sorted((folder / "inputs").iterdir())},
            json.loads(shapes.read_text()) if shapes.exists() else {})


def measured(ttsim, model, device, flags, files, shapes, place):
    """PCC by the model in float32, cycles of one execute and seconds to compile."""
    out = place / "out"
    command = [ttsim, "compile", str(model), "-o", str(out), "--device", device, "--microbatch", str(INPUTS), "--json",
               str(place / "compile.json"), "--force"]
    for name, value in shapes.items():
        command += ["--shape", f"{name}={value}"]
    for name, file in files.items():
        command += ["--input", f"{name}={file}"]
    start = time.monotonic()
    run(command + flags)
    seconds = time.monotonic() - start
    expect = model.parent / "expect"
    report = json.loads(run([ttsim, "run", str(out), "--mode", "functional", "--no-check", "--expect", str(expect),
                             "--pcc", "-1", "--json", "-"]))
    pcc = min(o["pcc"] for o in report["model"]["outputs"])
    report = json.loads(run([ttsim, "run", str(out / "netlist.yaml"), "--device", device, "--mode", "timing",
                             "--no-check", "--param", "p_loop_count=1", "--json", "-"]))
    trials = json.loads((place / "compile.json").read_text()).get("formats", {}).get("trials", 0)
    return pcc, report["cycles"], seconds, trials


def rows(ttsim, folder, device, levels):
    """For each level: its PCC and cycles, then those of --target-pcc with that PCC."""
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        files, shapes = given(folder)
        for level in levels:
            flags = LEVELS.get(level, [])
            row = {"model": folder.name, "device": device, "level": level}
            try:
                target = float(NO_LEVEL)
                if flags:
                    row["pcc"], row["cycles"], _, _ = measured(ttsim, folder / "model.onnx", device, flags, files,
                                                               shapes, place)
                    target = math.floor(min(row["pcc"], 0.99995) * 1e5) / 1e5
                if target < 0.5:
                    row["note"] = "the level gives no result"
                else:
                    found = measured(ttsim, folder / "model.onnx", device, ["--target-pcc", str(target)], files,
                                     shapes, place)
                    row["found_pcc"], row["found_cycles"], row["seconds"], row["trials"] = found
            except RuntimeError as error:
                row["note"] = str(error)
            yield row


def table(names, devices, levels, ttsim, cache):
    """Prints a row for each model, device and level; returns how many rows have no result."""
    print(f"| model | device | level | PCC | cycles of {INPUTS} inputs | PCC with `--target-pcc` | cycles | faster by "
          "| simulations | compile |\n|---|---|---|---|---|---|---|---|---|---|")
    missed = 0
    for name in names:
        for device in devices:
            for row in rows(ttsim, cache / name, device, levels):
                cells = [row["model"], row["device"], row["level"]]
                cells += [f"{row['pcc']:.5f}", f"{row['cycles']:,}"] if "pcc" in row else ["", ""]
                if "found_pcc" in row:
                    faster = f"{row['cycles'] / row['found_cycles']:.2f}" if "cycles" in row else ""
                    cells += [f"{row['found_pcc']:.5f}", f"{row['found_cycles']:,}", faster, str(row["trials"]),
                              f"{row['seconds']:.0f} s"]
                else:
                    cells += [row.get("note", ""), "", "", "", ""]
                    missed += 1
                print("| " + " | ".join(cells) + " |", flush=True)
    return missed
