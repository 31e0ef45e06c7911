"""Converts a file of a model to ONNX: python -m ttsim.convert MODEL -o MODEL.onnx"""
from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile

from .._ttsim import Error, UnsupportedError
from .files import KINDS, convert_file


def _shapes(texts: list[str]) -> dict[str, tuple[int, ...]]:
    found = {}
    for text in texts:
        name, _, sizes = text.rpartition("=")
        try:
            found[name] = tuple(int(size) for size in sizes.split(","))
        except ValueError:
            name = ""
        if not name or min(found[name]) < 1:
            raise SystemExit(f"--shape: '{text}' must be NAME=1,128,64")
    return found


def _write(path: str, data: bytes) -> None:
    """Completely or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0, 2 for an invalid file, 4 for a model that cannot be converted."""
    parser = argparse.ArgumentParser(prog="python -m ttsim.convert", description="Converts a model to ONNX.")
    parser.add_argument("model", help="file (" + ", ".join(KINDS) + ") or SavedModel folder")
    parser.add_argument("-o", "--output", required=True, help="the .onnx file; an earlier one is replaced")
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=N,...", help="shape of an input with open sizes")
    parser.add_argument("--signature", help="signature of a SavedModel or .tflite file")
    parser.add_argument("--output-names", default="", metavar="NAME,...", help="outputs: nodes of a GraphDef, or tensors of a .tflite file")
    parser.add_argument("--error-file", help=argparse.SUPPRESS)  # for ttsim compile
    given = parser.parse_args(arguments)
    try:
        converted = convert_file(given.model, _shapes(given.shape), given.signature,
                                 [name for name in given.output_names.split(",") if name])
        _write(given.output, converted.serialized())
    except Error as error:
        status = 4 if isinstance(error, UnsupportedError) else 2
        if given.error_file:
            _write(given.error_file, json.dumps({"status": status, "message": error.message or str(error),
                                                 "remedy": error.remedy}).encode())
        else:
            print(f"{given.model}: error: {error.message}" + (f"; {error.remedy}" if error.remedy else ""), file=sys.stderr)
        return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
