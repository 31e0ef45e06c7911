"""SavedModel folders."""
from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from .base import invalid, need, silenced
from .side_effects import check_graph, remove_savers

PROTO = "saved_model.pb"


def is_saved_model(path: str) -> bool:
    """Whether a path is a folder with a SavedModel."""
    return os.path.isfile(os.path.join(path, PROTO))


@contextlib.contextmanager
def loaded(path: str) -> Iterator[Any]:
    """The loaded SavedModel, without the ops that write files. InputError for a folder that has none or is incomplete;
    UnsupportedError for ops that act outside of the model."""
    tf, proto = need("tensorflow", "tensorflow", "tensorflow.core.protobuf.saved_model_pb2")
    file = os.path.join(path, PROTO)
    model = proto.SavedModel()
    try:
        with open(file, "rb") as source:
            model.ParseFromString(source.read())
    except OSError as error:
        raise invalid("the folder has no saved_model.pb", path, "give a folder that tf.saved_model.save() or "
                      "model.export() wrote", code="no-such-file") from error
    except Exception as error:
        raise invalid("it is not a SavedModel, or it is truncated", file, "write it anew with model.export(folder)") from error
    for meta in model.meta_graphs:
        check_graph(meta.graph_def, file)
        remove_savers(meta.graph_def)
        for node in meta.object_graph_def.nodes:
            del node.slot_variables[:]  # of optimizers, which Keras 3 cannot load from files of Keras 2
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, PROTO), "wb") as target:
            target.write(model.SerializeToString())
        for part in ("variables", "assets"):
            if os.path.isdir(os.path.join(path, part)):
                os.symlink(os.path.abspath(os.path.join(path, part)), os.path.join(folder, part))
        with silenced():
            try:
                made = tf.saved_model.load(folder)
            except Exception as error:
                raise invalid(f"TensorFlow cannot load it: {str(error).strip().splitlines()[0][:300]}".replace(folder, path),
                              path, "write it anew with model.export(folder)") from error
        yield made


def choose_signature(model: Any, wanted: str | None, path: str) -> Any:
    """A signature by name, or the default one. InputError for a SavedModel without signatures and unknown names."""
    signatures = dict(model.signatures)
    if not signatures:
        raise invalid("the SavedModel has no signatures, which name its inputs and outputs", path,
                      "save it with tf.saved_model.save(model, folder, signatures=function.get_concrete_function(...)), or "
                      "with model.export(folder)", code="no-signature")
    if wanted is None:
        wanted = "serving_default" if "serving_default" in signatures or len(signatures) > 1 else next(iter(signatures))
    if wanted not in signatures:
        raise invalid(f"the SavedModel has no signature '{wanted}'", path, "choose one of "
                      + ", ".join(sorted(signatures)) + " with --signature", code="unknown-name")
    return signatures[wanted]
