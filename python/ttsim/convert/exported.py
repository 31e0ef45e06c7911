"""Programs of torch.export (.pt2).

torch.export.load() trusts its file: it unpickles objects, evaluates texts of symbolic sizes, looks up functions by name and
executes code made of names in the file. So a file is not given to it as it is. Everything in it is checked here, and only
what passed is written into a new archive, without pickles, which torch reads."""
from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

from .base import Converted, cached, check_ops, invalid, need, quiet, unsupported

_ANEW = "write it anew with torch.export.save() of this version of torch"
_NAME = re.compile(r"[A-Za-z_]\w*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_TARGET = re.compile(r"torch\.ops\.(aten|prims|higher_order|quantized_decomposed|torchvision)\.\w+(\.\w+)?")
_FUNCTIONS = {f"_operator.{name}" for name in ("add", "sub", "mul", "floordiv", "truediv", "mod", "neg", "pow", "eq", "ne",
                                               "lt", "le", "gt", "ge", "getitem", "and_", "or_", "not_", "pos")} | {
    f"torch.{name}" for name in ("sym_int", "sym_float", "sym_max", "sym_min", "sym_not", "sym_ite", "sym_sum")} | {
    f"math.{name}" for name in ("ceil", "floor", "trunc", "sqrt")}
# symbols and functions in texts of sizes
_IN_SIZES = re.compile(r"[suz]\d+|Max|Min|Mod|PythonMod|FloorDiv|CleanDiv|CeilDiv|ModularIndexing|Where|Eq|Ne|Lt|Le|Gt|Ge|And|Or|"
                       r"Not|True|False|oo|int_oo|ToFloat|TruncToInt|FloorToInt|CeilToInt|IntTrueDiv|FloatTrueDiv|PowByNatural|"
                       r"Symbol|Integer|Rational|Float|Add|Mul|Pow|positive|nonnegative|integer|real|precision")
_SIZE_TEXT = re.compile(r"[\w\s.+*/(),<>=&|~-]*")
_TREES = {"builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict", None}
_MOST_BYTES = 1 << 34


def convert(path: str) -> Converted:
    """Converts a file, once in a process. InputError for other and truncated files, UnsupportedError for files that hold
    code or pickles, and for ops without a form in ONNX."""
    return cached(path, "pt2", lambda: _convert(path))


def load(path: str) -> Any:
    """The ExportedProgram of a file. InputError, UnsupportedError as convert()."""
    (torch,) = need("torch", "torch")
    clean = _checked(path)
    with quiet():
        try:
            return torch.export.load(clean)
        except Exception as error:
            raise invalid(f"torch cannot read it: {_line(error)}", path, _ANEW) from error


def _convert(path: str) -> Converted:
    torch, _ = need("torch", "torch", "onnxscript")
    program = load(path)
    with quiet():
        try:
            model = _onnx_of(torch, program)
        except Exception:
            try:  # some ops have a form in ONNX only in parts, such as attention without an axis of heads
                model = _onnx_of(torch, program.run_decompositions())
            except Exception as error:
                op, place = _untranslated(error)
                reason = f"it has no form in ONNX of the op {op} ('{place}')" if op else _line(error)
                raise unsupported(f"torch cannot convert it to ONNX: {reason}", path,
                                  "load it in a program of your own, and use pybuda.PyTorchModule",
                                  found=[(op, place)] if op else []) from error
    check_ops(model, path, "torch")
    weights = {tensor.name for tensor in model.graph.initializer}
    return Converted(model, tuple(value.name for value in model.graph.input if value.name not in weights),
                     tuple(value.name for value in model.graph.output))


def _onnx_of(torch: Any, program: Any) -> Any:
    return torch.onnx.export(program, dynamo=True, verbose=False, optimize=True).model_proto


def _untranslated(error: BaseException | None) -> tuple[str, str]:
    """Type and name of the node that torch's exporter stopped at; empty if it does not say."""
    while error is not None:
        found = re.search(r"translating node %(\S+) .*?target=torch\.ops\.([\w.]+)", str(error))
        if found:
            return found[2], found[1]
        error = error.__cause__
    return "", ""


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def _checked(path: str) -> io.BytesIO:
    """A new archive of what is known to be harmless."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            if sum(info.file_size for info in infos) > _MOST_BYTES:
                raise invalid("the archive is too large", path)
            if len({info.filename for info in infos}) != len(infos):
                raise invalid("the archive has two records of one name", path, _ANEW)
            root = infos[0].filename.split("/")[0] if infos else ""
            records = {info.filename.removeprefix(root + "/"): archive.read(info) for info in infos}
    except OSError as error:
        raise invalid(f"cannot be read: {error.strerror or error}", path, code="unreadable-file") from error
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if type(error).__module__.startswith("ttsim"):
            raise
        raise invalid("it is not an archive of torch.export, or it is truncated", path, _ANEW) from error
    if "models/model.json" not in records:
        raise invalid("it has no exported program named 'model'", path, _ANEW)
    kept: dict[str, bytes] = {}
    for name, data in records.items():
        kept.update(_record(name, data, path))
    kept["data/sample_inputs/model.pt"] = b""
    clean = io.BytesIO()
    with zipfile.ZipFile(clean, "w", zipfile.ZIP_STORED) as archive:
        for name, data in kept.items():
            archive.writestr(f"{root}/{name}", data)
    clean.seek(0)
    return clean


def _record(name: str, data: bytes, path: str) -> dict[str, bytes]:
    """What is kept of a record. UnsupportedError for native code and pickles."""
    if name.startswith("data/aotinductor/"):
        raise unsupported("the archive holds compiled code, which is not executed", path, "write it with torch.export.save()")
    if name in ("archive_format", "archive_version", "byteorder", ".data/version", ".data/serialization_id", "version"):
        return {name: data}
    if re.fullmatch(r"data/(weights|constants)/(weight|tensor)_\d+", name):
        return {name: data}
    if name.endswith("_config.json") and name.startswith(("data/weights/", "data/constants/")):
        for key, entry in _json(data, name, path).get("config", {}).items():
            if entry.get("use_pickle") or not re.fullmatch(r"(weight|tensor)_\d+", str(entry.get("path_name"))):
                raise unsupported(f"'{key}' is stored as a pickle, which could execute code and is not read", path,
                                  "export the program with plain tensors on the CPU, without custom objects")
        return {name: data}
    if name == "models/model.json":
        program = _json(data, name, path)
        _clean_program(program, path)
        return {name: json.dumps(program).encode()}
    if name.startswith(("data/weights/", "data/constants/")):
        raise unsupported(f"record '{name}' is a pickle, which could execute code and is not read", path, _ANEW)
    return {}


def _json(data: bytes, name: str, path: str) -> Any:
    try:
        made = json.loads(data)
    except ValueError as error:
        raise invalid(f"record '{name}' is damaged", path, _ANEW) from error
    if not isinstance(made, dict):
        raise invalid(f"record '{name}' is damaged", path, _ANEW)
    return made


def _clean_program(program: dict[str, Any], path: str) -> None:
    """Removes what is not needed, and checks the rest."""
    module = program.get("graph_module")
    if not isinstance(module, dict):
        raise invalid("record 'models/model.json' is damaged", path, _ANEW)
    module["metadata"] = {}
    calls = [one for one in module.get("module_call_graph", []) if isinstance(one, dict) and one.get("fqn") == ""]
    for call in calls:
        call["metadata"] = {} if "metadata" in call else call.get("metadata", {})
        for key in ("in_spec", "out_spec"):
            signature = call.get("signature") or {}
            if isinstance(signature.get(key), str):
                _check_tree(signature[key], path)
    module["module_call_graph"] = calls
    specs = [(call, (call.pop("signature", None) or {})) for call in calls]
    program["guards_code"] = []
    for name in list(program.get("range_constraints", {})):
        _check_size(name, path)
    _walk(program, "", path)
    for call, signature in specs:
        call["signature"] = signature or None
        for key in ("inputs", "outputs", "forward_arg_names"):
            _walk(signature.get(key), "name" if key == "forward_arg_names" else "", path)


def _check_tree(text: str, path: str) -> None:
    """Structures of inputs and outputs are tuples, lists and dictionaries."""
    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "type" in value and value["type"] not in _TREES:
                raise _refused(f"a structure of type {value['type']}", path)
            if any(key.startswith("__") or "module" in key for key in value):
                raise _refused("a structure with classes", path)
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, str) and value[:1] in "[{":
            walk(_loads(value, path))
    walk(_loads(text, path))


def _loads(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _refused("an unknown structure of inputs", path) from error


def _refused(what: str, path: str) -> Any:
    return unsupported(f"the program has {what[:80]!r}, which torch.export does not write for models of plain tensors", path,
                       "nothing of it is executed: load it in a program of your own if you trust it")


def _check_size(text: str, path: str) -> None:
    text = re.sub(r"'([suz]\d+|\d+(\.\d+)?)'", r"\1", text)  # as in Symbol('s0')
    if not _SIZE_TEXT.fullmatch(text) or "__" in text or re.search(r"[A-Za-z_)]\s*\.|\.\s*[A-Za-z_]", text) or any(
            not _IN_SIZES.fullmatch(word) for word in re.findall(r"[A-Za-z_]\w*", text)):
        raise _refused(text, path)


def _walk(value: Any, key: str, path: str) -> None:
    """Checks every text by the key that it belongs to."""
    if isinstance(value, dict):
        value.pop("nn_module_stack", None)
        if "target" in value and "metadata" in value:
            value["metadata"] = {}
        for name, one in value.items():
            if key in ("tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values", "script_object_values",
                       "custom_obj_values") and not _NAME.fullmatch(name):
                raise _refused(name, path)
            _walk(one, name, path)
    elif isinstance(value, list):
        for one in value:
            _walk(one, key, path)
    elif isinstance(value, str):
        _check_text(value, key, path)


def _check_text(text: str, key: str, path: str) -> None:
    if key == "expr_str":
        _check_size(text, path)
    elif key in ("target", "as_operator"):
        if not _TARGET.fullmatch(text) and text not in _FUNCTIONS:
            raise _refused(text, path)
    elif key == "name" or key.endswith("_name"):
        if text and not _DOTTED.fullmatch(text) or (key == "name" and text and not _NAME.fullmatch(text)):
            raise _refused(text, path)
    elif key in ("as_custom_obj", "class_fqn"):
        raise _refused(text, path)
