"""Models of TensorFlow and TensorFlow Lite."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import ttsim.convert
from ttsim.convert import Converted

from .framework import FrameworkModule


class TFModule(FrameworkModule):
    """A Keras model or layer, a tf.Module, a tf.function, a loaded SavedModel or one of its signatures; or the path of a
    SavedModel folder or of a .keras file. `signature`: of a SavedModel, by name. RuntimeError for other objects."""
    framework = "TensorFlow"

    def __init__(self, name: str, module: Any, signature: str | None = None) -> None:
        super().__init__(name)
        if isinstance(module, (str, os.PathLike)):
            module = ttsim.convert.load_tensorflow(os.fspath(module), signature)
        elif not callable(module) and not hasattr(module, "signatures"):
            raise RuntimeError(f"TFModule '{name}' needs a model of TensorFlow, not a {type(module).__name__}: a Keras "
                               "model or layer, a tf.Module, a tf.function, a SavedModel or its path")
        self.module = ttsim.convert.tensorflow.callable_of(module, signature)
        self._owner = module  # a SavedModel, whose variables live as long as it does

    def declared(self) -> list[tuple[str, tuple[int | None, ...], str]] | None:
        """As the model declares them."""
        return ttsim.convert.tensorflow.declared_inputs(self.module)

    def argument_names(self) -> list[str]:
        """Of the inputs, or of the arguments of call()."""
        return super().argument_names() or ttsim.convert.tensorflow.argument_names(self.module)

    def convert(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Converted:
        """By tf2onnx."""
        return ttsim.convert.tensorflow.convert(self._called(), specs)

    def source(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Any:
        """Of the frozen graph."""
        whole = ttsim.convert.tensorflow.frozen(self._called(), specs)
        return ttsim.convert.tensorflow_parts.GraphSource(whole.graph, whole.inputs, whole.outputs)

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Runs the model without training."""
        return ttsim.convert.tensorflow.run(self._called(), values)

    def _called(self) -> Any:
        """The model; one with a single argument for several pushed keys takes them as a dictionary."""
        several = len(self.input_names) > 1 and self.declared() is None and len(self.argument_names()) == 1
        return ttsim.convert.tensorflow.Keyed(self.module, self.input_names) if several else self.module

    def parameter_values(self) -> dict[str, Any]:
        """Variables by name."""
        return ttsim.convert.tensorflow.variables_of(self.module)

    def assign(self, name: str, value: Any) -> None:
        """Assigns to the variable."""
        self.parameter_values()[name].assign(value)


class TFGraphDefModule(FrameworkModule):
    """A frozen GraphDef, or None with the path of its file (.pb). `output_names`: of nodes; None: all results that no
    node reads. Inputs are the placeholders in the order of the graph."""
    framework = "TensorFlow"

    def __init__(self, name: str, graph_def: Any = None, path: Any = None, output_names: Sequence[str] | None = None) -> None:
        super().__init__(name)
        if isinstance(graph_def, (str, os.PathLike)):
            if path is not None and output_names is None:
                output_names = path
            graph_def, path = None, graph_def
        if graph_def is None and path is None:
            raise RuntimeError(f"TFGraphDefModule '{name}' has neither a GraphDef nor the path of one")
        if graph_def is not None and not hasattr(graph_def, "node"):
            raise RuntimeError(f"TFGraphDefModule '{name}' needs a GraphDef or a path, not a {type(graph_def).__name__}")
        self.path = "" if path is None else os.fspath(path)
        self.graph_def = ttsim.convert.graph_def.read_graph_def(self.path) if graph_def is None else graph_def
        self.output_names = [output_names] if isinstance(output_names, str) else output_names
        self._function: Any = None

    def declared(self) -> list[tuple[str, tuple[int | None, ...], str]]:
        """Of the placeholders."""
        return ttsim.convert.graph_def.inputs_of(self.graph_def)

    def convert(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Converted:
        """By tf2onnx."""
        return ttsim.convert.graph_def.convert(self.graph_def, self.output_names, specs, self.path)

    def source(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Any:
        """Of the graph."""
        whole = ttsim.convert.graph_def.frozen(self.graph_def, self.output_names, specs, self.path)
        return ttsim.convert.tensorflow_parts.GraphSource(whole.graph, whole.inputs, whole.outputs, self.path)

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Runs the graph in TensorFlow."""
        if self._function is None:
            names = ttsim.convert.graph_def.outputs_of(self.graph_def, self.output_names, self.path)
            self._function = ttsim.convert.graph_def.function_of(self.graph_def, names)
        return ttsim.convert.tensorflow.run(self._function, values)


class TFLiteModule(FrameworkModule):
    """A .tflite file. Inputs are of the shapes, layout (NHWC) and types of the file, and so quantized where the file has
    quantized inputs. Outputs of integers are torch.int32. `signature` chooses a function of a file with several;
    `output_names`: tensors that are the outputs instead of those of the file.
    Variables keep their values from run to run, on the device and on the host."""
    framework = "TensorFlow Lite"

    def __init__(self, name: str, tflite_path: Any, *, signature: str | None = None,
                 output_names: Sequence[str] = ()) -> None:
        super().__init__(name)
        self.signature = signature
        self.output_names = (output_names,) if isinstance(output_names, str) else tuple(output_names)
        if not isinstance(tflite_path, (str, os.PathLike)):
            raise RuntimeError(f"TFLiteModule '{name}' needs the path of a .tflite file, not a {type(tflite_path).__name__}")
        self.tflite_path = os.fspath(tflite_path)
        ttsim.convert.tflite.check_file(self.tflite_path)
        self._declared: list[tuple[str, tuple[int | None, ...], str]] | None = None
        self._on_host: list[Any] | None = None

    def declared(self) -> list[tuple[str, tuple[int | None, ...], str]]:
        """As in the file."""
        if self._declared is None:
            whole = ttsim.convert.tflite.declared_inputs(self.tflite_path, self.signature, self.output_names)
            self._declared = whole[:len(whole) - len(self.states())]
        return self._declared

    def states(self) -> list[Any]:
        """First values of its variables."""
        return [value.copy() for _, value in ttsim.convert.tflite.variables(self.tflite_path, self.signature, self.output_names)]

    def convert(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Converted:
        """By tf2onnx; a file is converted once."""
        return ttsim.convert.tflite.convert(self.tflite_path, [shape for shape, _ in specs], self.signature,
                                            self.output_names)

    def source(self, specs: Sequence[tuple[tuple[int, ...], str]]) -> Any:
        """Of the first graph, or that of the signature."""
        return ttsim.convert.tflite_parts.FlatbufferSource(self.tflite_path, [shape for shape, _ in specs], self.signature,
                                                           self.output_names)

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Runs the file in TensorFlow's interpreter, as many samples at a time as the file has."""
        if self._on_host is None:
            self._on_host = self.states()
        results = ttsim.convert.tflite.run(self.tflite_path, [*values, *self._on_host], self.signature, self.output_names)
        count = len(results) - len(self._on_host)
        self._on_host = results[count:]
        return results[:count]
