"""Every demo runs, and prints what it computed."""
import pathlib
import runpy

import pytest

DEMOS = sorted((pathlib.Path(__file__).resolve().parents[2] / "demos").glob("*.py"))
NEEDS = {"bert_encoder": "transformers", "bert_pipeline": "transformers", "text_generation": "transformers",
         "onnx_model": "onnx"}


@pytest.mark.parametrize("demo", DEMOS, ids=lambda path: path.stem)
def test_demo(demo, capsys):
    if demo.stem in NEEDS:
        pytest.importorskip(NEEDS[demo.stem])
    runpy.run_path(str(demo), run_name="__main__")
    out = capsys.readouterr().out
    assert out
    for line in out.splitlines():
        words = line.replace(",", " ").split()
        if "correlation" in words:
            assert max(float(word) for word in words if word.replace(".", "").isdigit()) > 0.99, line
        if line.startswith("largest difference:"):
            assert float(words[-1]) < 0.05, line


def test_there_are_a_dozen():
    assert len(DEMOS) >= 12
