"""Models in files that PyPI packages ship (scripts/requirements-frameworks-files.txt), for scripts/frameworks."""
import pathlib
import sysconfig

from .framework_models import numpy_random, picture


def files():
    """Name -> function that returns a pybuda module and inputs, for each .tflite and .keras file, and each SavedModel, of
    the packages of this environment."""
    root = pathlib.Path(sysconfig.get_paths()["purelib"])
    found = {}
    for path in sorted([*root.rglob("*.tflite"), *root.rglob("*.keras"), *root.rglob("saved_model.pb")]):
        package = path.relative_to(root).parts[0]
        found[f"{package}/{path.parent.name + '/saved_model' if path.suffix == '.pb' else path.stem}"] = lambda path=path: load(path)
    return found


def load(path):
    import pybuda
    if path.suffix == ".tflite":
        module = pybuda.TFLiteModule(path.stem, str(path))
    else:
        module = pybuda.TFModule(path.stem, str(path.parent if path.suffix == ".pb" else path))
    return module, [value_of(shape, kind) for _, shape, kind in module.declared()]


def value_of(shape, kind):
    import numpy
    dims = [1 if size is None else size for size in shape]
    if kind not in ("float32", "float16"):
        limits = numpy.iinfo(kind)
        return numpy_random().integers(max(limits.min, -100), min(limits.max, 100), dims).astype(kind)
    if len(dims) == 4 and dims[1] == dims[2] and dims[3] in (1, 3, 4):
        return (picture(dims[1], dims[3]) + 1) / 2  # of numbers between 0 and 1
    return (0.1 * numpy_random().standard_normal(dims)).astype(kind)
