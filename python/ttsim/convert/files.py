"""Files of models, by their kind."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import exported, graph_def, keras_file, saved_model, tensorflow, tflite
from .base import Converted, cached, invalid
from .tensorflow import Spec

KINDS = {".tflite": "TensorFlow Lite", ".keras": "Keras", ".pb": "TensorFlow", ".pt2": "torch.export"}


def load_tensorflow(path: str, signature: str | None = None) -> Any:
    """The model of a .keras file, or a signature of a SavedModel folder. InputError, UnsupportedError."""
    if os.path.basename(path) == saved_model.PROTO:
        path = os.path.dirname(path) or "."
    if os.path.isdir(path):
        with saved_model.loaded(path) as model:
            function = saved_model.choose_signature(model, signature, path)
            function._ttsim_owner = model  # its variables live as long as it does
            return function
    if path.endswith(".keras"):
        return keras_file.load(path)
    raise invalid("it is neither a SavedModel folder nor a .keras file", path,
                  "pybuda.TFGraphDefModule reads .pb files, and pybuda.TFLiteModule .tflite files")


def convert_file(path: str, shapes: Mapping[str, Sequence[int]] | None = None, signature: str | None = None,
                 outputs: Sequence[str] | None = None) -> Converted:
    """Converts a .tflite, .keras, .pb (GraphDef) or .pt2 file or a SavedModel folder. `shapes`: of inputs by name; an open
    dimension 0 becomes 1, others stay open. `signature`: of a SavedModel or .tflite file; `outputs`: nodes of a
    GraphDef, or tensors of a .tflite file. InputError, UnsupportedError."""
    given = dict(shapes or {})
    suffix = os.path.splitext(path)[1].lower()
    if outputs and suffix not in (".pb", ".tflite"):
        raise invalid("outputs are chosen in GraphDefs (.pb) and .tflite files only", path, "leave out --output-names")
    if signature is not None and suffix in (".keras", ".pb", ".pt2") and os.path.basename(path) != saved_model.PROTO:
        raise invalid("only SavedModel folders and .tflite files have signatures", path, "leave out --signature")
    if os.path.isdir(path) or os.path.basename(path) == saved_model.PROTO or suffix == ".keras":
        options = ("tensorflow", signature, tuple(sorted((name, tuple(dims)) for name, dims in given.items())))
        return cached(path, options, lambda: _tensorflow(path, given, signature))
    if suffix == ".tflite":
        specs = _specs(tflite.declared_inputs(path, signature, outputs or ()), given, path)
        return tflite.convert(path, [[size or 0 for size in dims] for dims, _ in specs], signature, outputs or ())
    if suffix == ".pb":
        graph = graph_def.read_graph_def(path)
        return graph_def.convert(graph, outputs, _specs(graph_def.inputs_of(graph), given, path), path)
    if suffix == ".pt2":
        return exported.convert(path)
    raise invalid("it is not a kind of file that is converted", path, "give a " + ", ".join(KINDS) + " file, or a "
                  "SavedModel folder")


def _tensorflow(path: str, given: Mapping[str, Sequence[int]], signature: str | None) -> Converted:
    model = load_tensorflow(path, signature)
    declared = tensorflow.declared_inputs(model)
    if declared is None:
        raise invalid("the model was saved without the shapes of its inputs", path,
                      "call it once with a tensor, or give it an Input layer, and save it again")
    return tensorflow.convert(model, _specs(declared, given, path), path)


def _specs(declared: Sequence[tuple[str, tuple[int | None, ...], str]], given: Mapping[str, Sequence[int]],
           path: str) -> list[Spec]:
    """Shapes and types. InputError for shapes of unknown inputs, and for those that do not fit."""
    known = {name for name, _, _ in declared}
    for name in given:
        if name not in known:
            raise invalid(f"it has no input '{name}'", path, "its inputs are " + ", ".join(sorted(known)), "unknown-name")
    specs: list[Spec] = []
    for name, shape, kind in declared:
        if name in given:
            wanted = tuple(given[name])
            if len(wanted) != len(shape) or any(size not in (None, own) for size, own in zip(shape, wanted)):
                raise invalid(f"input '{name}' has shape {_shown(shape)}, not {_shown(wanted)}", path,
                              "give sizes only for the open ones (?)", "wrong-shape")
            specs.append((wanted, kind))
        else:
            specs.append((tuple(1 if size is None and at == 0 else size for at, size in enumerate(shape)), kind))
    return specs


def _shown(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"
