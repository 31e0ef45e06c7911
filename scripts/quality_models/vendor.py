"""Properties of a model, derived from a netlist of the vendor."""
import collections
import pathlib

import yaml


class Vendor:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        netlist = yaml.safe_load(self.path.read_text())
        archs = netlist["devices"]["arch"]
        self.archs = archs if isinstance(archs, list) else [archs]
        self.queues = netlist["queues"]
        self.graphs = netlist["graphs"]
        self.ops = {name: op for graph in self.graphs.values() for name, op in graph.items() if isinstance(op, dict)}
        self.inputs = max(graph.get("input_count", 1) for graph in self.graphs.values())
        self.parameters = [p for program in netlist["programs"] for steps in program.values() for step in steps
                           if isinstance(step, dict) for p in step.get("param", [])]

    def most(self, attribute):
        return collections.Counter(op[attribute] for op in self.ops.values()).most_common(1)[0][0]

    def flags(self):
        """Formats and fidelity for ttsim compile, with the maximum in softmax if the netlist has it."""
        flags = ["--default-df", self.most("out_df"), "--math-fidelity", self.most("math_fidelity")]
        return flags if self.count("reduce") else flags + ["--no-stable-softmax"]

    def count(self, kind):
        return sum(op["type"] == kind for op in self.ops.values())

    def device(self):
        """A product with enough cores, of the chip that the folder is named after."""
        if "grayskull" in self.archs and "wormhole" not in str(self.path):
            return "gs_e150"
        rows = max(op["grid_loc"][0] + op["grid_size"][0] for op in self.ops.values())
        return "wh_n150" if rows <= 9 else "galaxy"

    def loops(self):
        """Parameters of a run of one execute."""
        return [f"{p.lstrip('$')}=1" for p in self.parameters if "count" in p]

    def tiles(self, queue):
        """Slices, rows and columns."""
        q = self.queues[queue]
        return (q["t"], q["grid_size"][0] * q["mblock"][0] * q["ublock"][0],
                q["grid_size"][1] * q["mblock"][1] * q["ublock"][1])

    def from_host(self):
        """Input queues of the model: filled by the host and not read as constants."""
        return [name for name, q in self.queues.items() if q["input"] == "HOST" and q["type"] == "queue"
                and q["entries"] >= self.inputs and not name.startswith(("lc.", "dc.", "constant", "input_1_multiply"))]

    def heads(self):
        """Number of attention heads: the slices of the first hslice."""
        for op in self.ops.values():
            for key, tms in op.items():
                if key.endswith("_tms"):
                    for tm in tms:
                        if isinstance(tm, dict) and "hslice" in tm:
                            return tm["hslice"]
        return 1

    def inner(self):
        """Inner width: columns of the widest gelu."""
        return max(32 * op["grid_size"][1] * op["mblock"][1] * op["ublock"][1]
                   for op in self.ops.values() if op["type"] == "gelu")
