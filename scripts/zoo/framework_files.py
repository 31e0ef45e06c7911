"""Models in files that PyPI packages ship (scripts/requirements-frameworks-files.txt), for scripts/frameworks."""
import functools
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
        name = f"{package}/{path.parent.name + '/saved_model' if path.suffix == '.pb' else path.stem}"
        found[name] = functools.partial(load, path)
    return found


def load(path, outputs=()):
    """`outputs`: of a .tflite file; (): its own."""
    import pybuda
    if path.suffix == ".tflite":
        module = pybuda.TFLiteModule(path.stem, str(path), output_names=outputs)
    else:
        module = pybuda.TFModule(path.stem, str(path.parent if path.suffix == ".pb" else path))
    return module, [value_of(shape, kind) for _, shape, kind in module.declared()]


def by_reference_kernels(path, values):
    """Results of a .tflite file in the interpreter's reference kernels."""
    import tensorflow as tf
    made = tf.lite.Interpreter(path, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    made.allocate_tensors()
    for one, value in zip(made.get_input_details(), values):
        made.set_tensor(one["index"], value.astype(one["dtype"]))
    made.invoke()
    return [made.get_tensor(one["index"]) for one in made.get_output_details()]


def photograph(rows, columns):
    """A person, in numbers between 0 and 1: what models of people, faces and hands find something in. It is scikit-image's
    photograph of an astronaut (NASA, public domain)."""
    import numpy
    import tensorflow as tf
    path = pathlib.Path(sysconfig.get_paths()["purelib"]) / "skimage/data/astronaut.png"
    whole = tf.io.decode_png(path.read_bytes(), channels=3).numpy().astype("float32") / 255
    scale = min(whole.shape[0] / rows, whole.shape[1] / columns)
    part = whole[:round(rows * scale), :round(columns * scale)]
    return numpy.asarray(tf.image.resize(part[None], (rows, columns), method="area"))


def value_of(shape, kind):
    import numpy
    dims = [1 if size is None else size for size in shape]
    if kind not in ("float32", "float16"):
        limits = numpy.iinfo(kind)
        return numpy_random().integers(max(limits.min, -100), min(limits.max, 100), dims).astype(kind)
    if len(dims) == 4 and dims[3] == 3:
        return photograph(*dims[1:3])
    if len(dims) == 4 and dims[1] == dims[2] and dims[3] in (1, 4):
        return (picture(dims[1], dims[3]) + 1) / 2  # of numbers between 0 and 1
    return (0.1 * numpy_random().standard_normal(dims)).astype(kind)
