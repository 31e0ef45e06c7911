"""The vendor's netlists of models or parts of models, and equivalent graphs."""
import pathlib
import re
from dataclasses import dataclass

from . import pictures, transformers
from .vendor import Vendor


@dataclass
class Case:
    name: str
    kind: str     # "model", or a family of parts
    vendor: Vendor
    graph: str    # text
    flags: tuple = ()


GRAPH_TESTS = "verif/graph_tests/netlists"
ENCODERS = ("perf_lib/graph_tests/grayskull/inference/bert_base_lofi_bfp8b.yaml",
            f"{GRAPH_TESTS}/netlist_encoder_grid.yaml",
            f"{GRAPH_TESTS}/netlist_encoder_x4.yaml",
            "verif/repro_tests/fe_bert_hang_issue_517.yaml",
            f"{GRAPH_TESTS}/wormhole_b0/netlist_bert_12x_encoder_1x_whb0_base_inference.yaml",
            f"{GRAPH_TESTS}/wormhole_b0/netlist_bert_2x_encoder_1x_whb0_tiny_inference.yaml",
            f"{GRAPH_TESTS}/wormhole_b0/netlist_bert_2x_encoder_1x_whb0_tiny_inference_harvested.yaml")


def encoder(path):
    vendor = Vendor(path)
    states, mask = sorted(vendor.from_host(), key=lambda q: "mask" in q)[:2]
    _, rows, cols = vendor.tiles(states)
    mask_rows = vendor.tiles(mask)[1]
    graph = transformers.encoder(vendor.count("gelu"), 32 * rows, 32 * cols, vendor.heads(), vendor.inner(),
                                 32 * rows if mask_rows == rows else 1)
    return Case(path.stem.replace("netlist_", ""), "model", vendor, graph)


def mha(path):
    return Case("mha", "mha", Vendor(path), transformers.self_attention())


def mobilenet(path):
    return Case("mobilenet_v2", "model", Vendor(path), pictures.mobilenet_v2())


def hardnet(path):
    return Case("hardnet85", "model", Vendor(path), pictures.hardnet85())


def feedforward(path):
    vendor = Vendor(path)
    _, rows, cols = vendor.tiles(vendor.from_host()[0])
    return Case(path.stem.replace("_netlist", "").replace("netlist_", ""), "feedforward", vendor,
                transformers.feedforward(32 * rows, 32 * cols, vendor.inner()))


def add_and_norm(path):
    rows, width = map(int, re.search(r"_(\d+)_(\d+)$", path.stem).groups())
    return Case(path.stem.replace("netlist_", ""), "add_and_norm", Vendor(path),
                transformers.add_and_norm(rows, width))


def softmax(path):
    rows, cols, axis = map(int, re.search(r"1x1x(\d+)x(\d+)_dim_min(\d)", path.stem).groups())
    name = path.stem.replace("_netlist", "") + ("_wh" if "wormhole" in str(path) else "_gs")
    return Case(name, "softmax", Vendor(path), transformers.softmax(rows, cols, 4 - axis))


FAMILIES = ([(path, encoder) for path in ENCODERS] +
            [("perf_lib/graph_tests/wormhole_b0/inference/mobilenet_v2_hifi2_fp16b.yaml", mobilenet),
             ("verif/op_tests/netlists/bh_test_plan_netlists/hlk_functional_tests/netlist_mha_inference.yaml", mha),
             (f"{GRAPH_TESTS}/netlist_feedforward.yaml", feedforward),
             (f"{GRAPH_TESTS}/pybuda_pregenerated/feedforward/*/*.yaml", feedforward),
             (f"{GRAPH_TESTS}/pybuda_pregenerated/add_and_norm/*/*.yaml", add_and_norm),
             (f"{GRAPH_TESTS}/pybuda_pregenerated/softmax/*/*.yaml", softmax)])


def cases(netlists):
    """Yields all cases in the folder."""
    for pattern, make in FAMILIES:
        for path in sorted(pathlib.Path(netlists).glob(pattern)):
            yield path, make
