"""Netlists for the ops of op_cycles_in_graphs.csv: the op as measured, with copies instead of its neighbours that have the
same blocking, so that its input and output pipes are those of the network. Neighbours are known from the measured rows,
which are neighbours of each other, and from public netlists of similar models (layer norms and softmaxes of Falcon and
T5, the first convolution of MobileNet v2) with the same names."""

COLUMNS = 8  # of the chip's grid
ONE = ((1, 1), 1, (1, 1), (1, 1))  # grid, t, mblock, ublock of a single tile


def yaml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(yaml(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def blocking(cut, order):
    grid, t, mblock, ublock = cut
    return {"grid_size": grid, "t": t, "mblock": mblock, "ublock": ublock, "ublock_order": order}


class Graph:
    """A netlist of one graph. A `cut` is a blocking: (grid, t, mblock, ublock)."""

    def __init__(self, df, fidelity):
        self.df, self.fidelity = df, fidelity
        self.queues, self.prologue, self.ops, self.fused = {}, {}, {}, {}
        self.row = self.column = self.height = 0
        self.address = 0x10000000

    def ram(self, name, cut, prologue=True, df=None, order="r"):
        """A ram filled before the run: held in L1 by its readers, or read again for every input."""
        cores = cut[0][0] * cut[0][1]
        places = [[core % 6, hex(self.address + 0x1000000 * (core // 6))] for core in range(cores)]
        self.address += 0x1000000 * (cores // 6 + 1)
        self.queues[name] = {"input": "HOST", "type": "ram", "entries": 1} | blocking(cut, order) | {
            "df": df or self.df, "target_device": 0, "loc": "dram", "dram": places}
        self.prologue[name] = prologue
        return name

    def place(self, grid):
        if self.column + grid[1] > COLUMNS:
            self.row, self.column, self.height = self.row + self.height, 0, 0
        here = (self.row, self.column)
        self.column += grid[1]
        self.height = max(self.height, grid[0])
        return here

    def op(self, name, kind, cut, inputs, tms=None, attributes=None, order="r", in_df=None, buf=2, **more):
        tms = tms or {}
        self.ops[name] = {"type": kind, "grid_loc": self.place(cut[0])} | blocking(cut, order) | {
            "inputs": inputs, "in_df": in_df or [self.df] * len(inputs), "out_df": self.df, "intermed_df": self.df,
            "acc_df": "Float16_b", "math_fidelity": self.fidelity, "buf_size_mb": buf, "untilize_output": False} | {
            f"input_{k}_tms": steps for k, steps in tms.items()} | more
        if attributes:
            self.ops[name]["attributes"] = attributes
        return name

    def feeder(self, name, cut, order="r"):
        """A producer without input limits: it copies a tile held in L1 again and again."""
        (grid_r, grid_c), t, (m, n), (rt, ct) = cut
        self.ram(name + "_x", ONE)
        tms = [{"broadcast": {"r": grid_r * m * rt}}, {"broadcast": {"c": grid_c * n * ct}}]
        if t > 1:
            tms.append({"broadcast": {"z": t}})
        return self.op(name, "nop", cut, [name + "_x"], {0: tms}, {"kernel_broadcast": {"input_0": 1}}, order)

    def taker(self, name, cut, source, tms=(), order="r"):
        return self.op(name, "nop", cut, [source], {0: list(tms)} if tms else None, None, order)

    def fused_op(self, name, cut, inputs, schedules, intermediates=0, **more):
        self.fused[name] = {"inputs": len(inputs), "intermediates": intermediates, "schedules": schedules}
        attributes = {"fused_op_id": name, "approximate_mode": True} | more.pop("attributes", {})
        return self.op(name, "fused_op", cut, inputs, attributes=attributes, **more)

    def text(self, inputs):
        lines = ["devices: {arch: wormhole_b0}", "queues:"]
        lines += [f"  {name}: {yaml(queue)}" for name, queue in self.queues.items()]
        lines += ["graphs:", "  g:", "    target_device: 0", f"    input_count: {inputs}"]
        lines += [f"    {name}: {yaml(op)}" for name, op in self.ops.items()]
        settings = {name: {"prologue": held, "epilogue": False, "zero": False, "rd_ptr_global": 0, "wr_ptr_global": 0}
                    for name, held in self.prologue.items()}
        lines += ["programs:", "  - p:", f"      - execute: {yaml({'graph_name': 'g', 'queue_settings': settings})}"]
        if self.fused:
            lines += ["fused_ops:"] + [f"  {name}: {yaml(what)}" for name, what in self.fused.items()]
        return "\n".join(lines) + "\n"


def sub(kind, inputs, cut, output, **more):
    return {f"{kind}_{output}_{len(inputs)}": {"type": kind, "inputs": inputs, "mblock": cut[2], "ublock": cut[3], "output": output} | more}


# ResNet-50: the first convolution, split in four along its kernel's rows. A sparse matmul selects four shifted rows of the
# image, a matmul multiplies them, and the four results and a bias are added.
PICKED = ((2, 1), 98, (1, 1), (8, 1))
PICKED_14 = ((4, 1), 14, (4, 1), (7, 1))
PRODUCT = ((2, 1), 98, (1, 1), (2, 2))
PRODUCT_14 = ((2, 1), 14, (2, 2), (7, 1))
ADDED = ((7, 1), 1, (14, 1), (4, 2))
SIDE_BY_SIDE = [{"vslice": 16}, {"hstack": 4}, {"vstack": 4}]
SIDE_BY_SIDE_14 = [{"vslice": 112}, {"hstack": 4}, {"vstack": 28}]


def resnet():
    return Graph("Float16_b", "HiFi3")


def convolution_product():
    g = resnet()
    g.feeder("picked", PICKED)
    g.ram("weights", ((1, 1), 1, (1, 1), (4, 2)))
    g.op("x", "matmul", PRODUCT, ["picked", "weights"], {0: SIDE_BY_SIDE, 1: [{"broadcast": {"z": 98}}]},
         {"m_k": 1, "u_kt": 4, "min_buffer_input": 0})
    g.taker("added", ADDED, "x", [{"vstack": 98}])
    return g


def convolution_product_14():
    g = resnet()
    g.feeder("picked", PICKED_14)
    g.ram("weights", ((1, 1), 1, (1, 1), (4, 2)))
    g.op("x", "matmul", PRODUCT_14, ["picked", "weights"], {0: SIDE_BY_SIDE_14, 1: [{"broadcast": {"z": 14}}]},
         {"m_k": 1, "u_kt": 4, "min_buffer_input": 0})
    g.taker("added", ADDED, "x", [{"vstack": 14}])
    return g


def convolution_picking():
    """Its encoding is not published; a copy replaces it and sends the same output."""
    g = resnet()
    g.feeder("x", PICKED)
    g.ram("weights", ((1, 1), 1, (1, 1), (4, 2)))
    g.op("product", "matmul", PRODUCT, ["x", "weights"], {0: SIDE_BY_SIDE, 1: [{"broadcast": {"z": 98}}]},
         {"m_k": 1, "u_kt": 4, "min_buffer_input": 0})
    return g


def convolution_sum():
    g = resnet()
    products = [g.feeder(f"product{k}", PRODUCT if k % 2 == 0 else PRODUCT_14) for k in range(4)]
    g.ram("bias", ((1, 1), 1, (1, 1), (1, 2)))
    sums = [sub("add", ["input0", "input1"], ADDED, "dest"), sub("add", ["input2", "dest"], ADDED, "dest"),
            sub("add", ["input3", "dest"], ADDED, "dest"), sub("add", ["dest", "input4"], ADDED, "output")]
    g.fused_op("x", ADDED, products + ["bias"], [sums],
               tms={k: [{"vstack": 98 if k % 2 == 0 else 14}] for k in range(4)} | {4: [{"broadcast": {"r": 392}}]},
               attributes={"kernel_broadcast": {"input_4": 2}})
    return g


# BERT-Large at 384 words: 12 x 32 tiles, 16 heads. From the attention scores to the next layer norm.
SCORES = ((2, 3), 16, (3, 1), (2, 4))
COLUMN_OF_SCORES = ((2, 1), 16, (3, 1), (2, 1))
SCORES_BY_ROWS = ((2, 1), 16, (3, 3), (2, 4))
HEADS = ((2, 2), 16, (3, 1), (2, 1))
HIDDEN = ((2, 1), 1, (3, 8), (2, 4))
HIDDEN_PRODUCT = ((2, 2), 1, (3, 4), (2, 4))
COLUMN_OF_HIDDEN = ((2, 1), 1, (3, 1), (2, 1))


def bert():
    return Graph("Bfp8_b", "LoFi")


def across(tiles):
    return [{"broadcast": {"c": tiles}}]


def as_left_factor(cut):
    """A consumer that reads tiles in the order of a matmul's first operand: k-block by k-block."""
    (grid_r, _), t, (m, n), (rt, ct) = cut
    return (grid_r, 1), t, (m, n * ct), (rt, 1)


def reduction(source, k, slices, reader, **beside):
    """`beside`: other readers of the summed operand."""
    g = bert()
    g.feeder("all", source)
    for name, cut in beside.items():
        g.taker(name, cut, "all")
    g.ram("ones", ONE)
    tms = [{"broadcast": {"r": k}}] + ([{"broadcast": {"z": slices}}] if slices > 1 else [])
    cut = ((2, 1), slices, (3, 1), (2, 1))
    g.op("x", "matmul", cut, ["all", "ones"], {1: tms},
         {"m_k": k, "u_kt": 1, "min_buffer_input": 0, "kernel_broadcast": {"input_1": 1}})
    g.taker("reader", reader, "x")
    return g


def attention_sum():
    return reduction(SCORES, 12, 16, COLUMN_OF_SCORES, division=SCORES_BY_ROWS)


def norm_sum():
    return reduction(HIDDEN, 32, 1, COLUMN_OF_HIDDEN, centred=HIDDEN)


def norm_square_sum():
    return reduction(HIDDEN, 32, 1, COLUMN_OF_HIDDEN)


def attention_product():
    g = bert()
    g.feeder("weights", SCORES_BY_ROWS)
    g.feeder("values", HIDDEN)
    g.op("x", "matmul", HEADS, ["weights", "values"], {1: [{"hslice": 16}]}, {"m_k": 12, "u_kt": 1, "min_buffer_input": 0})
    g.taker("reader", as_left_factor(((2, 1), 1, (3, 4), (2, 8))), "x", [{"hstack": 16}], "c")
    return g


def attention_division():
    g = bert()
    g.feeder("sums", COLUMN_OF_SCORES)
    g.ram("epsilon", ONE)
    g.feeder("powers", SCORES)
    column = COLUMN_OF_SCORES
    chain = [[sub("add", ["input0", "input1"], column, "dest"), sub("reciprocal", ["dest"], column, "intermed0")],
             [sub("multiply", ["input2", "intermed0"], SCORES_BY_ROWS, "output", pop_last=["intermed0"],
                  input_1_tms=[{"broadcast": {"c": 12}}, {"tile_broadcast": "c"}])]]
    g.fused_op("x", SCORES_BY_ROWS, ["sums", "epsilon", "powers"], chain, 1,
               tms={1: [{"broadcast": {"r": 12}}, {"broadcast": {"z": 16}}]}, attributes={"kernel_broadcast": {"input_1": 1}})
    g.taker("reader", as_left_factor(SCORES_BY_ROWS), "x", order="c")
    return g


def attention_powers():
    g = bert()
    g.feeder("scores", SCORES)
    g.feeder("largest", COLUMN_OF_SCORES)
    chain = [[sub("subtract", ["input0", "input1"], SCORES, "dest", input_1_tms=[{"tile_broadcast": "c"}]),
              sub("exp", ["dest"], SCORES, "output")]]
    g.fused_op("x", SCORES, ["scores", "largest"], chain, tms={1: across(12)})
    g.taker("sum", as_left_factor(SCORES_BY_ROWS), "x", order="c")
    g.taker("division", SCORES_BY_ROWS, "x")
    return g


def hidden_product(source, tms):
    g = bert()
    g.feeder("left", source)
    g.ram("weights", ((1, 2), 1, (4, 4), (8, 4)))
    g.op("x", "matmul", HIDDEN_PRODUCT, ["left", "weights"], {0: tms} if tms else None, {"m_k": 16, "u_kt": 2, "min_buffer_input": 0})
    g.taker("reader", HIDDEN, "x")
    return g


def dense():
    return hidden_product(HEADS, [{"hstack": 16}])


def values():
    return hidden_product(HIDDEN, [])


def residual():
    """Bias and residual, which are in DRAM after the previous part of the network."""
    g = bert()
    g.feeder("product", HIDDEN_PRODUCT)
    g.ram("bias", ((1, 1), 1, (1, 8), (1, 4)))
    g.ram("before", HIDDEN, prologue=False)
    chain = [[sub("add", ["input0", "input1"], HIDDEN, "dest"), sub("add", ["dest", "input2"], HIDDEN, "output")]]
    g.fused_op("x", HIDDEN, ["product", "bias", "before"], chain, tms={1: [{"broadcast": {"r": 12}}]})
    g.taker("sum", as_left_factor(HIDDEN), "x", order="c")
    g.taker("centred", HIDDEN, "x")
    return g


def norm_scale():
    g = bert()
    g.feeder("sums", COLUMN_OF_HIDDEN)
    for constant in ("count", "epsilon"):
        g.ram(constant, ONE)
    g.feeder("centred", HIDDEN)
    for parameter in ("gamma", "beta"):
        g.ram(parameter, ((1, 1), 1, (1, 8), (1, 4)))
    column = COLUMN_OF_HIDDEN
    chain = [[sub("multiply", ["input0", "input1"], column, "dest"), sub("add", ["dest", "input2"], column, "dest"),
              sub("sqrt", ["dest"], column, "dest"), sub("reciprocal", ["dest"], column, "intermed0")],
             [sub("multiply", ["input3", "intermed0"], HIDDEN, "dest", pop_last=["intermed0"],
                  input_1_tms=[{"broadcast": {"c": 32}}, {"tile_broadcast": "c"}]),
              sub("multiply", ["dest", "input4"], HIDDEN, "dest"), sub("add", ["dest", "input5"], HIDDEN, "output")]]
    once = [{"broadcast": {"r": 12}}]
    g.fused_op("x", HIDDEN, ["sums", "count", "epsilon", "centred", "gamma", "beta"], chain, 1, tms=dict.fromkeys((1, 2, 4, 5), once),
               attributes={"kernel_broadcast": {"input_1": 1, "input_2": 1}})
    g.taker("reader", HIDDEN, "x")
    return g


def norm_centre():
    g = bert()
    g.ram("shares", HIDDEN)
    g.feeder("sums", COLUMN_OF_HIDDEN)
    g.feeder("all", HIDDEN)
    g.taker("sum", as_left_factor(HIDDEN), "all", order="c")
    chain = [[sub("multiply", ["input0", "input1"], HIDDEN, "dest", input_1_tms=[{"tile_broadcast": "c"}]),
              sub("subtract", ["input2", "dest"], HIDDEN, "output")]]
    g.fused_op("x", HIDDEN, ["shares", "sums", "all"], chain, tms={1: across(32)})
    g.taker("square", HIDDEN, "x")
    g.taker("scale", HIDDEN, "x")
    return g


def bias_of_values():
    g = bert()
    g.feeder("product", HIDDEN_PRODUCT)
    g.ram("bias", ((1, 1), 1, (1, 8), (1, 4)))
    g.op("x", "add", HIDDEN, ["product", "bias"], {1: [{"broadcast": {"r": 12}}]})
    # A matmul that reads it like the heads, and does little else.
    g.feeder("weights", ((2, 1), 16, (1, 3), (1, 4)))
    g.op("heads", "matmul", ((2, 2), 16, (1, 1), (1, 1)), ["weights", "x"], {1: [{"hslice": 16}]},
         {"m_k": 1, "u_kt": 12, "min_buffer_input": 0})
    return g


def norm_square():
    g = bert()
    g.feeder("centred", HIDDEN)
    g.op("x", "multiply", HIDDEN, ["centred", "centred"])
    g.taker("scale", HIDDEN, "centred")
    g.taker("sum", as_left_factor(HIDDEN), "x", order="c")
    return g


ROWS = {"resnet50/0": convolution_product, "resnet50/1": convolution_product, "resnet50/2": convolution_sum,
        "resnet50/3": convolution_picking, "resnet50/4": convolution_picking, "resnet50/5": convolution_product_14,
        "resnet50/6": convolution_product_14, "bert_large/7": attention_sum, "bert_large/8": attention_product,
        "bert_large/9": attention_division, "bert_large/10": attention_powers, "bert_large/11": dense, "bert_large/12": values,
        "bert_large/13": residual, "bert_large/14": norm_scale, "bert_large/15": norm_centre, "bert_large/16": norm_sum,
        "bert_large/17": norm_square_sum, "bert_large/18": bias_of_values, "bert_large/19": norm_square}
