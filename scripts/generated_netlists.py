"""Netlists of any size as text, for measurements of speed: chains of graphs, ops, chips side by side."""


class Netlist:
    """A netlist as text; queues get addresses of their own."""

    def __init__(self) -> None:
        self.queues: list[str] = []
        self.graphs: list[str] = []
        self.address = 0x10000000

    def queue(self, name: str, source: str = "HOST", entries: int = 2, tiles: int = 1, grid: tuple[int, int] = (1, 1),
              ram: bool = False, chip: int = 0) -> None:
        places = []
        for place in range(grid[0] * grid[1]):
            places.append(f"[{place % 6}, {self.address:#x}]")
            self.address += -(-entries * tiles * 2080 // 0x1000) * 0x1000
        self.queues.append(
            f"  {name}: {{input: {source}, type: {'ram' if ram else 'queue'}, entries: {entries}, "
            f"grid_size: [{grid[0]}, {grid[1]}], t: 1, mblock: [1, {tiles}], ublock: [1, 1], ublock_order: r, "
            f"df: Float16_b, target_device: {chip}, loc: dram, dram: [{', '.join(places)}]}}")

    def graph(self, name: str, inputs: int = 1, chip: int = 0) -> None:
        self.graphs.append(f"  {name}:\n    target_device: {chip}\n    input_count: {inputs}")

    def op(self, name: str, inputs: list[str], kind: str = "nop", tiles: int = 1, grid: tuple[int, int] = (1, 1),
           place: tuple[int, int] = (0, 0)) -> None:
        formats = ", ".join(["Float16_b"] * len(inputs))
        self.graphs.append(
            f"    {name}: {{type: {kind}, grid_loc: [{place[0]}, {place[1]}], grid_size: [{grid[0]}, {grid[1]}], t: 1, "
            f"mblock: [1, {tiles}], ublock: [1, 1], inputs: [{', '.join(inputs)}], in_df: [{formats}], "
            "acc_df: Float16_b, out_df: Float16_b, intermed_df: Float16_b, ublock_order: r, buf_size_mb: 2, "
            "math_fidelity: HiFi3, untilize_output: false}")

    def text(self, executes: list[str], loops: int = 1, variables: str = "$l: 0, $g: 0", moves: tuple[str, ...] = ()) -> str:
        program = [f"var: {{{variables}}}", f"loop: {loops}", *executes, *moves, "endloop"]
        return "\n".join(["devices: {arch: wormhole_b0}", "queues:", *self.queues, "graphs:", *self.graphs, "programs:",
                          "  - p:", *(f"      - {one}" for one in program), ""])


def execute(graph: str, queues: list[str], pointer: str = "") -> str:
    settings = ", ".join(f"{name}: {{prologue: false, epilogue: false, zero: false, rd_ptr_local: $l{pointer}, "
                         f"rd_ptr_global: $g{pointer}}}" for name in queues)
    return f"execute: {{graph_name: {graph}, queue_settings: {{{settings}}}}}"


def moves(wrap: int, pointer: str = "", step: int = 1) -> tuple[str, str]:
    return (f"varinst: [$l{pointer}, incwrap, {step}, {wrap}]", f"varinst: [$g{pointer}, incwrap, {step}, {wrap}]")


def one_graph(inputs: int = 1, entries: int = 2, tiles: int = 1, grid: tuple[int, int] = (1, 1), loops: int = 1,
              ops: int = 1, wraps: bool = True) -> str:
    netlist = Netlist()
    netlist.queue("x", entries=entries, tiles=tiles, grid=grid)
    netlist.queue("y", f"op{ops - 1}", entries, tiles, grid)
    netlist.graph("g", inputs)
    for n in range(ops):
        netlist.op(f"op{n}", ["x" if n == 0 else f"op{n - 1}"], tiles=tiles, grid=grid,
                   place=(n // 8 % 8, n % 8) if grid == (1, 1) else (0, 0))
    step = moves(2 * entries, step=inputs) if wraps else ("varinst: [$l, inc, 1]",)
    return netlist.text([execute("g", ["x"])], loops, moves=step)


def chain_of_graphs(graphs: int, loops: int = 1, own_pointers: bool = False, chips: int = 1, rams: int = 0) -> str:
    netlist = Netlist()
    netlist.queue("q0", entries=4)
    for n in range(rams):
        netlist.queue(f"w{n}", entries=1, ram=True)
    steps, variables, advance = [], "$l: 0, $g: 0", moves(8)
    for n in range(graphs):
        netlist.queue(f"q{n + 1}", f"op{n}", 4, chip=n * chips // graphs)
        netlist.graph(f"g{n}", chip=n * chips // graphs)
        pointer = str(n) if own_pointers else ""
        netlist.op(f"op{n}", [f"q{n}"] + ([f"w{n}"] if n < rams else []), "add" if n < rams else "nop")
        steps.append(execute(f"g{n}", [f"q{n}"], pointer))
        if own_pointers:
            variables += f", $l{n}: 0, $g{n}: 0"
            advance += moves(8, pointer)
    return netlist.text(steps, loops, variables, advance)


def parallel_chips(chips: int, rounds: int, host: bool = True) -> str:
    """A graph of one op on each chip. `host`: the host pushes and pops its entries; otherwise they stay in DRAM."""
    netlist = Netlist()
    steps = []
    for chip in range(chips):
        netlist.queue(f"x{chip}", entries=4, ram=not host, chip=chip)
        netlist.queue(f"y{chip}", f"op{chip}", 4, ram=not host, chip=chip)
        netlist.graph(f"g{chip}", chip=chip)
        netlist.op(f"op{chip}", [f"x{chip}"])
        steps.append(execute(f"g{chip}", [f"x{chip}"] if host else []))
    return netlist.text(steps, rounds, moves=moves(8))


def comments(lines: int) -> str:
    return one_graph() + "".join(f"# line {n} of a long comment, which a reader passes over\n" for n in range(lines))
