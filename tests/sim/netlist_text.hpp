// Netlists written as text by tests: queues with addresses of their own, ops, graphs, programs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ttsim::impl::test {

/// Grid, mblock, ublock and t of a queue or op.
struct Cut {
    int grid_r = 1, grid_c = 1, m = 1, n = 1, rt = 1, ct = 1, t = 1;
    int rows() const { return grid_r * m * rt; }
    int cols() const { return grid_c * n * ct; }
    std::string text() const {
        return fmt::format("grid_size: [{}, {}], t: {}, mblock: [{}, {}], ublock: [{}, {}]", grid_r, grid_c, t, m, n,
                           rt, ct);
    }
};

struct QueueText {
    std::string name, input = "HOST";
    Cut cut{};
    int entries = 2;
    bool ram = false;
    std::string df = "Float16_b";
    std::string order = "r";
    int device = 0;
    bool on_host = false;
    std::string more = "";  ///< further fields: "alias: base"
};

struct OpText {
    std::string name, type;
    std::vector<std::string> inputs;
    Cut cut{};
    int row = 0, col = 0;
    std::string more = "";  ///< further fields: "attributes: {...}, input_0_tms: [...]"
    std::string order = "r";
    int buffer = 2;
    std::string df = "Float16_b";
    bool untilize = false;
    bool gradient = false;
    std::string fidelity = "HiFi4";
    std::vector<std::string> in_df{};  ///< empty: df for all
};

class NetlistText {
public:
    explicit NetlistText(std::string arch = "wormhole_b0") : arch_(std::move(arch)) {}

    void queue(const QueueText& q) {
        std::string places;
        const std::uint64_t tiles = static_cast<std::uint64_t>(q.cut.m * q.cut.n * q.cut.rt * q.cut.ct * q.cut.t);
        const std::uint64_t bytes =
            (static_cast<std::uint64_t>(q.entries) * tiles * 4160 + 0xfffff) / 0x100000 * 0x100000;
        for (int n = 0; n < q.cut.grid_r * q.cut.grid_c; ++n) {
            const int channel = q.on_host ? 0 : next_channel_++ % 6;
            places += fmt::format("{}[{}, {:#x}]", n == 0 ? "" : ", ", channel, next_address_);
            next_address_ += bytes;
        }
        queues_ += fmt::format(
            "  {}: {{input: {}, type: {}, entries: {}, {}, ublock_order: {}, df: {}, target_device: {}, loc: {}, {}: "
            "[{}]{}{}}}\n",
            q.name, q.input, q.ram ? "ram" : "queue", q.entries, q.cut.text(), q.order, q.df, q.device,
            q.on_host ? "host" : "dram", q.on_host ? "host" : "dram", places, q.more.empty() ? "" : ", ", q.more);
    }
    void graph(const std::string& name, int input_count, int device = 0) {
        graphs_ += fmt::format("  {}:\n    target_device: {}\n    input_count: {}\n", name, device, input_count);
    }
    /// Into the graph opened last.
    void op(const OpText& o) {
        std::string inputs, formats;
        for (std::size_t k = 0; k < o.inputs.size(); ++k) {
            inputs += (k == 0 ? "" : ", ") + o.inputs[k];
            formats += (k == 0 ? "" : ", ") + (o.in_df.empty() ? o.df : o.in_df[k]);
        }
        const std::string place =
            o.type == "ethernet_datacopy" ? "" : fmt::format("grid_loc: [{}, {}], ", o.row, o.col);
        graphs_ += fmt::format(
            "    {}: {{type: {}, {}{}, inputs: [{}], in_df: [{}], acc_df: {}, out_df: {}, intermed_df: {}, "
            "ublock_order: {}, "
            "buf_size_mb: {}, math_fidelity: {}, untilize_output: {}{}{}{}}}\n",
            o.name, o.type, place, o.cut.text(), inputs, formats, acc_df, o.df, o.df, o.order, o.buffer, o.fidelity,
            o.untilize, o.gradient ? ", gradient_op: true" : "", o.more.empty() ? "" : ", ", o.more);
    }
    /// Instructions, one string each, without the leading dash.
    void program(const std::string& name, const std::vector<std::string>& instructions) {
        programs_ += fmt::format("  - {}:\n", name);
        for (const std::string& instruction : instructions) programs_ += "      - " + instruction + "\n";
    }
    std::string text() const {
        return fmt::format("devices: {{arch: {}}}\n{}queues:\n{}graphs:\n{}programs:\n{}", arch_, head, queues_,
                           graphs_, programs_);
    }

    std::string head =
        "test-config: {stimulus-config: {type: Uniform, uniform_lower_bound: -1.0, uniform_upper_bound: 1.0}}\n";
    std::string acc_df = "Float16_b";

private:
    std::string arch_, queues_, graphs_, programs_;
    int next_channel_ = 0;
    std::uint64_t next_address_ = 0x10000000;
};

/// Settings of a queue that is read in order, and of a ram.
inline std::string fifo(const std::string& queue) {
    return queue + ": {prologue: false, epilogue: false, zero: false, rd_ptr_local: $l, rd_ptr_global: $g}";
}
inline std::string ram(const std::string& queue, bool prologue = false, const std::string& read = "0",
                       const std::string& write = "0") {
    return fmt::format("{}: {{prologue: {}, epilogue: false, zero: false, rd_ptr_global: {}, wr_ptr_global: {}}}",
                       queue, prologue, read, write);
}
/// loops x (execute graphs; advance the pointers $l and $g by `step` modulo `wrap`).
inline std::vector<std::string> looped(int loops, const std::vector<std::string>& executes, int step, int wrap) {
    std::vector<std::string> all{"var: {$l: 0, $g: 0}", fmt::format("loop: {}", loops)};
    all.insert(all.end(), executes.begin(), executes.end());
    all.push_back(fmt::format("varinst: [$l, incwrap, {}, {}]", step, wrap));
    all.push_back(fmt::format("varinst: [$g, incwrap, {}, {}]", step, wrap));
    all.push_back("endloop");
    return all;
}
inline std::string execute(const std::string& graph, const std::vector<std::string>& settings) {
    std::string text;
    for (const std::string& setting : settings) text += (text.empty() ? "" : ", ") + setting;
    return fmt::format("execute: {{graph_name: {}, queue_settings: {{{}}}}}", graph, text);
}

/// Eight slices of `fork` go to `join` directly, and to `slow`, which needs all eight before it gives one.
inline std::string fork_and_join(int buffer) {
    NetlistText n;
    const Cut eight{.m = 2, .n = 2, .rt = 2, .ct = 2, .t = 8};
    n.queue({.name = "x", .cut = eight, .entries = 1});
    n.queue({.name = "w", .cut = eight, .entries = 1, .ram = true});
    n.queue({.name = "y", .input = "join", .cut = eight, .entries = 1});
    n.graph("g", 1);
    n.op({.name = "fork", .type = "nop", .inputs = {"x"}, .cut = eight, .buffer = buffer});
    n.op({.name = "slow",
          .type = "matmul",
          .inputs = {"fork", "w"},
          .cut = {.m = 2, .n = 2, .rt = 2, .ct = 2},
          .col = 1,
          .more = "attributes: {m_k: 4, u_kt: 1, accumulate: true, z: 8}"});
    n.op({.name = "join",
          .type = "add",
          .inputs = {"fork", "slow"},
          .cut = eight,
          .col = 2,
          .more = "input_1_tms: [broadcast: {z: 8}]"});
    n.program("p", looped(1, {execute("g", {fifo("x"), ram("w")})}, 1, 2));
    return n.text();
}

/// Graph g copies x to the queue mid, graph h copies mid to y; no program yet. `inputs` of one execute.
inline NetlistText two_graphs(int inputs, int mid_entries) {
    NetlistText n;
    n.queue({.name = "x", .entries = inputs});
    n.queue({.name = "mid", .input = "first", .entries = mid_entries});
    n.queue({.name = "y", .input = "second", .entries = inputs});
    n.graph("g", inputs);
    n.op({.name = "first", .type = "nop", .inputs = {"x"}});
    n.graph("h", inputs);
    n.op({.name = "second", .type = "nop", .inputs = {"mid"}});
    return n;
}

}  // namespace ttsim::impl::test
