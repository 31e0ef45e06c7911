"""Netlists with one bottleneck planted each, and the same netlist without it: (text, what advice must say first)."""


class Net:
    def __init__(self, arch="grayskull", inputs=16):
        self.arch, self.inputs, self.free = arch, inputs, {}
        self.queues, self.graphs, self.settings = [], {"g": (0, [])}, {"g": []}

    def queue(self, name, grid, mblock, ublock, t=1, df="Float16_b", source="HOST", channels=(0,), kind="queue", loc="dram",
              entries=None, chip=0, layout=None):
        tiles = t * mblock[0] * mblock[1] * ublock[0] * ublock[1]
        size = tiles * {"Float16_b": 2080, "Float32": 4128, "Bfp8_b": 1120, "Float16": 2080}[df]
        if layout == "flat": size = tiles * 1024 * (4 if df == "Float32" else 2)
        entries = entries or (1 if kind == "ram" else 2 * self.inputs)
        size = (size * entries + 32 + 31) // 32 * 32
        size = (size + 0xfff) // 0x1000 * 0x1000
        places = []
        for n in range(grid[0] * grid[1]):
            channel = channels[n % len(channels)] if loc == "dram" else None
            key = (chip, channel)
            at = self.free.get(key, 0x20000000 if loc == "dram" else 0)
            self.free[key] = at + size
            places.append(f"[{channel}, {at:#x}]" if loc == "dram" else f"{at:#x}")
        more = f", layout: {layout}" if layout else ""
        self.queues.append(f"  {name}: {{type: {kind}, input: {source}, entries: {entries}, grid_size: {list(grid)}, t: {t}, "
                           f"mblock: {list(mblock)}, ublock: {list(ublock)}, df: {df}, target_device: {chip}, loc: {loc}, "
                           f"{'dram' if loc == 'dram' else 'host'}: [{', '.join(places)}]{more}}}")

    def op(self, name, type, grid, inputs, mblock, ublock, at=None, t=1, df="Float16_b", in_df=None, fidelity="HiFi3", buf=2, more="",
           untilize=False, graph="g", intermed=None):
        in_df = in_df or [df] * len(inputs)
        place = f"grid_loc: {list(at)}, " if at else ""
        self.graphs[graph][1].append(
            f"    {name}: {{type: {type}, {place}grid_size: {list(grid)}, inputs: [{', '.join(inputs)}], in_df: [{', '.join(in_df)}], "
            f"acc_df: Float16_b, out_df: {df}, intermed_df: {intermed or df}, ublock_order: r, buf_size_mb: {buf}, "
            f"math_fidelity: {fidelity}, untilize_output: {'true' if untilize else 'false'}, t: {t}, mblock: {list(mblock)}, ublock: {list(ublock)}"
            f"{', ' + more if more else ''}}}")

    def read(self, queue, graph="g", ram=False, prologue=False):
        if ram:
            text = f"{queue}: {{prologue: {'true' if prologue else 'false'}, epilogue: false, zero: false, rd_ptr_global: $zero, wr_ptr_global: $zero}}"
        else:
            text = f"{queue}: {{prologue: false, epilogue: false, zero: false, rd_ptr_local: $lptr, rd_ptr_global: $gptr}}"
        self.settings.setdefault(graph, []).append(text)

    def text(self, loops=1):
        out = [f"devices: {{arch: {self.arch}}}", "queues:"] + self.queues + ["graphs:"]
        for name, (chip, ops) in self.graphs.items():
            out += [f"  {name}:", f"    target_device: {chip}", f"    input_count: {self.inputs // loops}"] + ops
        out += ["programs:", "  - run:", "    - staticvar: {$lptr: 0, $gptr: 0}",
                f"    - var: {{$n: {self.inputs // loops}, $wrap: {4 * self.inputs}, $zero: 0, $loops: {loops}}}"]
        if loops > 1: out += ["    - loop: $loops"]
        for name in self.graphs:
            out += [f"    - execute: {{graph_name: {name}, queue_settings: {{{', '.join(self.settings.get(name, []))}}}}}"]
        out += ["    - varinst: [$lptr, incwrap, $n, $wrap]", "    - varinst: [$gptr, incwrap, $n, $wrap]"]
        if loops > 1: out += ["    - endloop"]
        return "\n".join(out) + "\n"


def hot_channel(bad):
    n = Net()
    for k, q in enumerate("abcd"):
        n.queue(q, (2, 2), (2, 2), (2, 2), channels=(3,) if bad else (2 * k % 8, (2 * k + 1) % 8))
        n.read(q)
    n.op("left", "add", (2, 2), ["a", "b"], (2, 2), (2, 2), (0, 0))
    n.op("right", "add", (2, 2), ["c", "d"], (2, 2), (2, 2), (0, 2))
    n.op("sum", "add", (2, 2), ["left", "right"], (2, 2), (2, 2), (2, 0))
    n.queue("y", (2, 2), (2, 2), (2, 2), source="sum", channels=(0, 1, 6, 7))
    return n.text(), r"DRAM channel 3 of chip 0 .*:"


def small_grid(bad):
    n = Net()
    n.queue("x", (4, 4), (1, 1), (2, 2), channels=range(8))
    n.read("x")
    n.op("first", "gelu", (4, 4), ["x"], (1, 1), (2, 2), (0, 0))
    n.op("slow", "exp", (1, 1) if bad else (4, 4), ["first"], (4, 4) if bad else (1, 1), (2, 2), (0, 4))
    n.op("last", "gelu", (4, 4), ["slow"], (1, 1), (2, 2), (4, 0))
    n.queue("y", (4, 4), (1, 1), (2, 2), source="last", channels=range(8))
    return n.text(), r"op 'slow'.*larger grid .*\[1, 1\]"


def low_u_kt(bad):
    n = Net()
    n.queue("x", (1, 1), (2, 8), (2, 4), channels=(0,))
    n.read("x")
    n.queue("w", (1, 1), (16, 2), (2, 4), kind="ram", channels=(1,))
    n.read("w", ram=True, prologue=True)
    n.op("src", "nop", (2, 2), ["x"], (1, 4), (2, 4), (0, 0))
    n.op("mm", "matmul", (1, 2), ["src", "w"], (2, 1), (2, 4), (0, 2), more="attributes: {m_k: %d, u_kt: %d}" % ((32, 1) if bad else (4, 8)), fidelity="LoFi")
    n.queue("y", (1, 2), (2, 1), (2, 4), source="mm", channels=(2, 3))
    return n.text(), r"op 'mm'.*u_kt 1 "


def expand(n, name, rows, columns, grid, at, df="Float16_b", channel=0, out=None):
    """An op that makes rows x columns tiles out of few."""
    n.queue(f"{name}.x", (1, 1), (rows, 1), (1, 1), channels=(channel,))
    n.read(f"{name}.x")
    n.queue(f"{name}.w", (1, 1), (1, columns), (1, 1), kind="ram", channels=(channel + 1,))
    n.read(f"{name}.w", ram=True, prologue=True)
    n.op(name, "matmul", grid, [f"{name}.x", f"{name}.w"], (rows // grid[0], columns // grid[1]), (1, 1), at, df=df, in_df=["Float16_b"] * 2,
         more="attributes: {m_k: 1, u_kt: 1}", fidelity="LoFi")


def shrink(n, name, source, rows, columns, grid, at, in_df="Float16_b", channel=4):
    """An op that makes rows x 1 tiles of a product."""
    n.queue(f"{name}.w", (1, 1), (columns, 1), (1, 1), kind="ram", channels=(channel,))
    n.read(f"{name}.w", ram=True, prologue=True)
    n.op(name, "matmul", grid, [source, f"{name}.w"], (rows // grid[0], 1), (1, 1), at, in_df=[in_df, "Float16_b"], more=f"attributes: {{m_k: 1, u_kt: {columns}}}", fidelity="LoFi")
    n.queue(f"{name}.y", grid, (rows // grid[0], 1), (1, 1), source=name, channels=range(channel + 1, 8))


def grid_mismatch(bad):
    n = Net(inputs=64)
    expand(n, "made", 8, 8, (1, 8), (0, 0))
    n.op("taken", "nop", (1, 1) if bad else (1, 8), ["made"], (8, 8) if bad else (8, 1), (1, 1), (1, 0), df="Bfp8_b", in_df=["Float16_b"])
    if bad:
        n.queue("y", (1, 1), (8, 8), (1, 1), source="taken", channels=(6,), df="Bfp8_b")
    else:
        n.queue("y", (1, 8), (8, 1), (1, 1), source="taken", channels=range(8), df="Bfp8_b")
    return n.text(), r"op 'taken'.*larger grid .*\[1, 1\]"


def fork_join(bad):
    n = Net(inputs=64)
    n.queue("x", (1, 1), (2, 2), (2, 2), channels=(0,))
    n.read("x")
    n.op("fork", "nop", (1, 1), ["x"], (2, 2), (2, 2), (0, 0))
    last = "fork"
    for k in range(6):
        n.queue(f"w{k}", (1, 1), (1, 2), (4, 2), kind="ram", channels=(k + 1,))
        n.read(f"w{k}", ram=True, prologue=True)
        n.op(f"long{k}", "matmul", (1, 1), [last, f"w{k}"], (2, 2), (2, 2), (1, k), more="attributes: {m_k: 1, u_kt: 4}", fidelity="LoFi")
        last = f"long{k}"
    n.op("join", "add", (1, 1), [last, "fork"], (2, 2), (2, 2), (0, 1), more="" if bad else "input_buf_min_size_tiles: [0, 192]")
    n.queue("y", (1, 1), (2, 2), (2, 2), source="join", channels=(7,))
    return n.text(), r"fork-join.*'fork' and 'join'"


def host_queue(bad):
    n = Net(inputs=64)
    n.queue("x", (2, 2), (4, 4), (2, 2), channels=range(4), loc="host" if bad else "dram")
    n.read("x")
    n.op("eat", "nop", (2, 2), ["x"], (4, 4), (2, 2), (0, 0))
    n.queue("w", (1, 1), (16, 1), (1, 1), kind="ram", channels=(4,))
    n.read("w", ram=True, prologue=True)
    n.op("less", "matmul", (2, 1), ["eat", "w"], (8, 1), (1, 1), (0, 2), more="attributes: {m_k: 1, u_kt: 16}", fidelity="LoFi")
    n.queue("y", (2, 1), (8, 1), (1, 1), source="less", channels=(4, 5))
    return n.text(), r"host over PCIe.*queue 'x'"


def ethernet(bad):
    n = Net("wormhole_b0")
    n.graphs = {"one": (0, []), "two": (1 if bad else 0, [])}
    n.queue("x", (2, 2), (2, 2), (2, 2), channels=range(4))
    n.read("x", "one")
    n.op("act", "nop", (2, 2), ["x"], (2, 2), (2, 2), (0, 0), graph="one")
    if bad: n.op("cross", "ethernet_datacopy", (1, 1), ["act"], (1, 2), (2, 2), None, t=8, graph="one", more="input_0_tms: [vslice: 4, hslice: 2], attributes: {dest_device: 1}")
    n.op("end", "nop", (2, 2), ["cross" if bad else "act"], (2, 2), (2, 2), (2, 2), graph="two", more="input_0_tms: [hstack: 2, vstack: 4]" if bad else "")
    n.queue("y", (2, 2), (2, 2), (2, 2), source="end", channels=range(4), chip=1 if bad else 0)
    if not bad: n.graphs = {"one": (0, n.graphs["one"][1] + n.graphs["two"][1])}
    return n.text(), r"Ethernet link chip 0 ethernet \d+ to chip 1"


def fidelity(bad):
    n = Net()
    n.queue("x", (2, 2), (2, 1), (2, 8), channels=range(4))
    n.read("x")
    n.queue("w", (1, 2), (8, 2), (2, 4), kind="ram", channels=(4, 5))
    n.read("w", ram=True, prologue=True)
    n.op("mm", "matmul", (2, 2), ["x", "w"], (2, 2), (2, 4), (0, 0), more="attributes: {m_k: 2, u_kt: 8}", fidelity="HiFi4" if bad else "LoFi")
    n.op("act", "nop", (2, 2), ["mm"], (2, 2), (2, 4), (0, 2))
    n.queue("y", (2, 2), (2, 2), (2, 4), source="act", channels=(6, 7))
    return n.text(), r"op 'mm'.*HiFi4"


def wide_format(bad):
    df = "Float32" if bad else "Float16_b"
    n = Net(inputs=64)
    expand(n, "one", 8, 8, (1, 1), (0, 0), df=df)
    n.queue("y", (1, 1), (8, 8), (1, 1), source="one", channels=(6,), df=df)
    return n.text(), r"DRAM channel 6 of chip 0 .*:.*narrower format of queue 'y'"


def short_epochs(bad):
    n = Net(inputs=32)
    n.queue("x", (1, 1), (1, 1), (2, 2), channels=(0,))
    n.read("x")
    n.op("a", "nop", (1, 1), ["x"], (1, 1), (2, 2), (0, 0))
    n.op("b", "nop", (1, 1), ["a"], (1, 1), (2, 2), (0, 1))
    n.queue("y", (1, 1), (1, 1), (2, 2), source="b", channels=(1,))
    return n.text(loops=32 if bad else 1), r"loading of epochs"


def untilized(bad):
    n = Net()
    n.queue("x", (2, 2), (2, 2), (2, 2), channels=range(4))
    n.read("x")
    n.op("act", "nop", (2, 2), ["x"], (2, 2), (2, 2), (0, 0))
    n.op("out", "nop", (2, 2), ["act"], (2, 2), (2, 2), (0, 2), untilize=bad)
    if bad: n.queue("y", (1, 1), (4, 4), (2, 2), source="out", loc="host", layout="flat")
    else: n.queue("y", (2, 2), (2, 2), (2, 2), source="out", channels=(4, 5, 6, 7))
    return n.text(), r"host over PCIe.*queue 'y'.*untilize_output"


def streamed_weights(bad):
    n = Net(inputs=16)
    n.queue("x", (1, 1), (1, 1), (2, 8), channels=(0,))
    n.read("x")
    n.queue("w", (1, 1), (8, 4), (1, 4), kind="ram", channels=(5,))
    n.read("w", ram=True, prologue=not bad)
    n.op("mm", "matmul", (1, 1), ["x", "w"], (1, 4), (2, 4), (0, 0), more="attributes: {m_k: 1, u_kt: 8}", fidelity="LoFi")
    n.queue("y", (1, 1), (1, 4), (2, 4), source="mm", channels=(2,))
    return n.text(), r"DRAM channel 5 of chip 0 .*:.*queue 'w'"


def shared_link(bad):
    n = Net(inputs=32)
    for k in range(6):
        expand(n, f"s{k}", 8, 8, (1, 1), (0, k) if bad else (k, 0), channel=k % 6)
        shrink(n, f"d{k}", f"s{k}", 8, 8, (1, 1), (0, 6 + k) if bad else (k, 1), channel=k % 6)
    return n.text(), r"NoC link chip 0 noc"


def hot_output(bad):
    n = Net(inputs=32)
    expand(n, "made", 8, 8, (1, 4), (0, 0))
    n.queue("y", (1, 4), (8, 2), (1, 1), source="made", channels=(6,) if bad else (4, 5, 6, 7))
    return n.text(), r"DRAM channel 6 of chip 0 .*:.*queue 'y'"


def one_buffer(bad):
    n = Net(inputs=32)
    n.queue("x", (1, 1) if bad else (2, 2), (8, 8) if bad else (4, 4), (1, 1), channels=(2,) if bad else (0, 1, 2, 3))
    n.read("x")
    n.queue("w", (1, 1), (8, 1), (1, 1), kind="ram", channels=(4,))
    n.read("w", ram=True, prologue=True)
    n.op("few", "matmul", (4, 1), ["x", "w"], (2, 1), (1, 1), (0, 0), more="attributes: {m_k: 1, u_kt: 8}", fidelity="LoFi")
    n.queue("y", (4, 1), (2, 1), (1, 1), source="few", channels=(5,))
    return n.text(), r"DRAM channel 2 of chip 0 .*:.*queue 'x'"


def skip_output(bad):
    """The skip path has an op of its own, whose output buffer is to hold what the long branch has not made yet."""
    n = Net(inputs=64)
    n.queue("x", (1, 1), (2, 2), (2, 2), channels=(0,))
    n.read("x")
    n.op("fork", "nop", (1, 1), ["x"], (2, 2), (2, 2), (0, 0))
    n.op("skip", "nop", (1, 1), ["fork"], (2, 2), (2, 2), (0, 1), buf=2 if bad else 24)
    last = "fork"
    for k, name in enumerate(["up", "act", "down", "scaled", "shifted", "out"]):
        n.queue(f"w.{name}", (1, 1), (1, 2), (4, 2), kind="ram", channels=(k + 1,))
        n.read(f"w.{name}", ram=True, prologue=True)
        n.op(name, "matmul", (1, 1), [last, f"w.{name}"], (2, 2), (2, 2), (1, k), more="attributes: {m_k: 1, u_kt: 4}", fidelity="LoFi")
        last = name
    n.op("join", "add", (1, 1), [last, "skip"], (2, 2), (2, 2), (0, 2))
    n.queue("y", (1, 1), (2, 2), (2, 2), source="join", channels=(7,))
    return n.text(), r"fork-join.*'skip' and 'join'"


def wide_fork(bad):
    """One core sends what it makes to six ops, each of which takes all of it."""
    n = Net(inputs=64)
    expand(n, "made", 8, 8, (1, 1) if bad else (1, 8), (0, 0))
    for k, name in enumerate(["red", "green", "blue", "cyan", "pink", "gold"]):
        n.queue(f"w.{name}", (1, 1), (8, 1), (1, 1), kind="ram", channels=(k,))
        n.read(f"w.{name}", ram=True, prologue=True)
        n.op(name, "matmul", (4, 1), ["made", f"w.{name}"], (2, 1), (1, 1), (2 + 4 * (k // 3), k % 3), more="attributes: {m_k: 1, u_kt: 8}", fidelity="LoFi")
        n.queue(f"y.{name}", (4, 1), (2, 1), (1, 1), source=name, channels=(k,))
    return n.text(), r"slow sending of op 'made'"


def multicast(bad):
    """Each column of a product takes all of its first operand, gathered from eight cores in another order."""
    n = Net(inputs=64)
    expand(n, "made", 8, 8, (8, 1) if bad else (1, 1), (0, 0))
    n.queue("w", (1, 8), (8, 1), (1, 1), kind="ram", channels=range(8))
    n.read("w", ram=True, prologue=True)
    n.op("wide", "matmul", (1, 8), ["made", "w"], (8, 1), (1, 1), (8, 0), more="attributes: {m_k: 1, u_kt: 8}", fidelity="LoFi")
    n.op("less", "reduce", (1, 8), ["wide"], (1, 1), (1, 1), (9, 0), more="attributes: {dim: r, m_k: 8, u_kt: 1, type: max}")
    n.queue("y", (1, 8), (1, 1), (1, 1), source="less", channels=range(8))
    return n.text(), r"pipe from 'made' to 'wide'"


def repeated_layers(layers):
    """Layers of a slow op and a fast one, each: no bottleneck, but each finding is reported once."""
    n = Net(inputs=8)
    n.queue("x", (1, 1), (2, 2), (2, 2), channels=(0,))
    n.read("x")
    last = "x"
    for k in range(layers):
        n.op(f"layers.{k}.act.1", "exp", (1, 1), [last], (2, 2), (2, 2), (0, k))
        n.op(f"layers.{k}.out.2", "nop", (1, 1), [f"layers.{k}.act.1"], (2, 2), (2, 2), (1, k))
        last = f"layers.{k}.out.2"
    n.queue("y", (1, 1), (2, 2), (2, 2), source=last, channels=(1,))
    return n.text()


PLANTS = [hot_channel, small_grid, low_u_kt, grid_mismatch, fork_join, host_queue, ethernet, fidelity, wide_format,
          short_epochs, untilized, streamed_weights, shared_link, hot_output, one_buffer, skip_output, wide_fork, multicast]
