// Commands on the state of a run: queues, cores, flows, links, wait-for chain.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/debug/arguments.hpp"
#include "analysis/trace/analysis.hpp"
#include "base/text.hpp"

namespace ttsim::impl::debug {

namespace {

std::string place_name(const Queue& queue) { return queue.where == QueueLoc::Host ? "host" : "dram"; }

Json addresses(const Queue& queue) {
    Json list = Json::array();
    for (const BufferAddress& at : queue.buffers) list.push_back(fmt::format("{}:{:#x}", at.channel, at.address));
    return list;
}

std::vector<std::string> readers_of(const Netlist& netlist, const Queue& queue) {
    std::vector<std::string> readers;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops)
            if (std::find(op.inputs.begin(), op.inputs.end(), queue.name) != op.inputs.end())
                readers.push_back(op.name());
    return readers;
}

enum class Which : std::uint8_t { All, Dram, Host };

Answer queues_live(Debugger& debugger, const Words& words, Which which) {
    expect(words, 0, 1, "queues [NAME]");
    const Netlist& netlist = debugger.run().netlist();
    const sim::MachineView view = debugger.run().view();
    const Queue* only = words.empty() ? nullptr : &find_queue(netlist, words[0]);
    Rows rows{"queues", {"entries", "wr", "rd", "occ", "type", "device", "loc", "name", "input", "outputs"}, {}};
    if (only) rows.keys.emplace_back("buffers");
    for (const Queue& queue : netlist.queues) {
        const bool host = queue.where == QueueLoc::Host;
        if ((only && &queue != only) || (which == Which::Dram && host) || (which == Which::Host && !host)) continue;
        const sim::QueueState state = view.queue(queue);
        const bool ram = queue.type == QueueType::Ram;
        const auto of_fifo = [ram](std::int64_t value) { return ram ? Json(nullptr) : Json(value); };
        std::vector<Json> row{queue.entries,         of_fifo(state.written),
                              of_fifo(state.read),   of_fifo(state.occupied),
                              ram ? "ram" : "queue", queue.device(),
                              place_name(queue),     queue.name,
                              queue.input,           readers_of(netlist, queue)};
        if (only) row.push_back(addresses(queue));
        rows.add(std::move(row));
    }
    Answer answer;
    answer.facts["cycle"] = view.now();
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer queues_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "queues [NAME]");
    Rows rows{"queues", {"entries", "type", "device", "loc", "name", "format", "entry_bytes", "buffers"}, {}};
    std::vector<std::string> names;
    trace::Statement ask(
        debugger.trace().database(),
        "SELECT entries, type, chip, place, name, format, entry_bytes, buffers FROM queue ORDER BY id");
    while (ask.step()) {
        names.push_back(ask.text(4));
        if (words.empty() || words[0] == names.back())
            rows.add({ask.integer(0), ask.text(1), ask.integer(2), ask.text(3), ask.text(4), ask.text(5),
                      ask.integer(6), ask.text(7)});
    }
    if (!words.empty() && rows.rows.empty())
        fail_input({}, "the trace has no queue '{}'{}", words[0], did_you_mean(words[0], names));
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

std::vector<std::string> places(const PlanOp& op, const std::vector<std::size_t>& cores) {
    std::vector<std::string> list;
    for (const std::size_t core : cores) list.push_back(name_of(op.cores[core]));
    return list;
}

Answer flow(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "flow [OP]");
    const Op* op = words.empty() ? nullptr : &find_op(debugger.run().netlist(), words[0]);
    const sim::MachineView view = debugger.run().view();
    Rows rows{"flows",
              {"from", "to", "cores", "sent", "of", "arrived", "freed", "chunk_tiles", "held_tiles", "buffer_tiles",
               "last_arrival", "waits"},
              {}};
    for (const sim::FlowState& state : view.flows(op)) {
        const Json held = state.writer ? Json(nullptr) : Json(state.held_tiles);
        const Json room = state.writer ? Json(nullptr) : Json(state.buffer_tiles);
        rows.add({state.from, state.to, places(*state.op, state.cores), state.sent, state.total, state.arrived,
                  state.freed, state.chunk_tiles, held, room, state.last_arrival,
                  state.waits.empty() ? Json(nullptr) : Json(state.waits)});
    }
    Answer answer;
    answer.facts["cycle"] = view.now();
    answer.tables.push_back(std::move(rows));
    return answer;
}

/// The cores selected by a command: of an op, at a coordinate, or all.
std::vector<sim::CoreState> chosen_cores(Debugger& debugger, const Words& words) {
    const sim::MachineView view = debugger.run().view();
    if (words.empty()) return view.cores(nullptr);
    const std::optional<NocCoord> at = place(words[0]);
    if (!at) {
        if (words.size() > 1) fail_input({}, "a chip needs a coordinate, such as 1-2 {}", words[1]);
        return view.cores(&find_op(debugger.run().netlist(), words[0]));
    }
    const std::int64_t chip = words.size() > 1 ? number(words[1], "chip") : debugger.run().machine().chips.front().id;
    std::vector<sim::CoreState> cores = view.cores(nullptr);
    std::erase_if(cores, [&](const sim::CoreState& core) { return core.op->chip != chip || core.at() != *at; });
    return cores;
}

Answer core(Debugger& debugger, const Words& words) {
    expect(words, 0, 2, "core [OP | X-Y [CHIP]]");
    Rows rows{"cores",
              {"op", "chip", "noc", "state", "input", "of", "slice", "step", "since", "until", "packed", "sendable",
               "released", "waits"},
              {}};
    Rows operands{"operands", {"op", "noc", "operand", "source", "arrived", "needed", "freed"}, {}};
    const std::vector<sim::CoreState> cores = chosen_cores(debugger, words);
    for (const sim::CoreState& state : cores) {
        const bool works = state.activity == sim::CoreActivity::Computing;
        rows.add({state.op->op->name(), state.op->chip, name_of(state.at()), sim::name_of(state.activity), state.input,
                  state.inputs, state.slice, state.step, works ? Json(nullptr) : Json(state.since),
                  works ? Json(state.until) : Json(nullptr), state.packed, state.sendable, state.released,
                  state.waits.empty() ? Json(nullptr) : Json(state.waits)});
        for (std::size_t k = 0; k < state.operands.size() && !words.empty(); ++k) {
            const sim::OperandState& operand = state.operands[k];
            operands.add({state.op->op->name(), name_of(state.at()), k, operand.source, operand.arrived, operand.needed,
                          operand.freed});
        }
    }
    Answer answer;
    answer.facts["cycle"] = debugger.run().view().now();
    answer.tables.push_back(std::move(rows));
    if (!operands.rows.empty()) answer.tables.push_back(std::move(operands));
    if (cores.empty()) answer.lines.emplace_back("no epoch in flight runs there; 'epochs' shows which do");
    return answer;
}

Answer waits(Debugger& debugger, const Words& words) {
    expect(words, 0, 0, "waits");
    Answer answer = debugger.where();
    const std::string chain = debugger.run().view().waits();
    for (std::size_t at = 0; at < chain.size();) {
        const std::size_t end = std::min(chain.find('\n', at), chain.size());
        if (end > at) answer.lines.push_back(chain.substr(at, end - at));
        at = end + 1;
    }
    return answer;
}

Rows link_rows() {
    return {"links", {"link", "kind", "bytes_per_cycle", "transfers", "bytes", "busy", "share", "queueing"}, {}};
}

Answer links_live(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "links [noc|dram|pcie|ethernet]");
    const sim::MachineView view = debugger.run().view();
    std::vector<sim::LinkState> links = view.links();
    std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
    Rows rows = link_rows();
    const auto cycles = static_cast<double>(std::max<std::uint64_t>(1, view.now()));
    for (const sim::LinkState& link : links)
        if (words.empty() || words[0] == link.kind)
            rows.add({link.name, link.kind, link.bytes_per_cycle, link.transfers, link.bytes, link.busy,
                      static_cast<double>(link.busy) / cycles, link.queueing});
    Answer answer;
    answer.facts["cycle"] = view.now();
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer links_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "links [noc|dram|pcie|ethernet]");
    Rows rows = link_rows();
    for (const trace::ResourceUse& link : trace::resources(debugger.trace()))
        if (words.empty() || words[0] == link.kind)
            rows.add({link.name, link.kind, link.bytes_per_cycle, link.transfers, link.bytes, link.busy_cycles,
                      link.utilization, link.queueing_cycles});
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

const std::vector<std::string> counter_keys{"steps",        "tiles",       "math",     "math_bound",
                                            "unpack_bound", "wait_source", "wait_noc", "wait_dram",
                                            "wait_room",    "wait_output", "wait_dst", "wait_pack"};

Answer counters_live(Debugger& debugger, const Words& words) {
    expect(words, 0, 2, "counters [OP | X-Y [CHIP]]");
    Rows rows{"counters", {"op", "noc"}, {}};
    rows.keys.insert(rows.keys.end(), counter_keys.begin(), counter_keys.end());
    for (const sim::CoreState& core : chosen_cores(debugger, words)) {
        const sim::CoreCounters& c = core.counters;
        rows.add({core.op->op->name(), name_of(core.at()), c.steps, c.tiles, c.math, c.math_bound, c.unpack_bound,
                  c.wait_source, c.wait_noc, c.wait_dram, c.wait_room, c.wait_output, c.wait_dst, c.wait_pack});
    }
    Answer answer;
    answer.facts["cycle"] = debugger.run().view().now();
    answer.tables.push_back(std::move(rows));
    return answer;
}

Answer counters_offline(Debugger& debugger, const Words& words) {
    expect(words, 0, 1, "counters [OP]");
    Rows rows{"counters", {"epoch", "op", "noc"}, {}};
    rows.keys.insert(rows.keys.end(), counter_keys.begin(), counter_keys.end());
    std::string sql = "SELECT oc.epoch, o.name, c.x, c.y";
    for (const std::string& key : counter_keys) sql += ", oc." + key;
    trace::Statement ask(debugger.trace().database(),
                         sql +
                             " FROM op_core oc JOIN op o ON o.id = oc.op JOIN core c ON c.id = oc.core "
                             "ORDER BY oc.epoch, oc.core");
    bool known = words.empty();
    while (ask.step()) {
        if (!words.empty() && ask.text(1) != words[0]) continue;
        known = true;
        std::vector<Json> row{ask.integer(0), ask.text(1), fmt::format("{}-{}", ask.integer(2), ask.integer(3))};
        for (std::size_t n = 0; n < counter_keys.size(); ++n) row.emplace_back(ask.integer(static_cast<int>(n + 4)));
        rows.add(std::move(row));
    }
    if (!known) fail_input({}, "the trace has no op '{}'; 'map' lists them", words[0]);
    Answer answer;
    answer.tables.push_back(std::move(rows));
    return answer;
}

auto queues_of(Which which) {
    return [which](Debugger& debugger, const Words& words) { return queues_live(debugger, words, which); };
}

}  // namespace

void add_state_commands(std::vector<Command>& to) {
    to.push_back({"queues",
                  {"q", "queue-summary"},
                  "[NAME]",
                  "queues with pointers and occupancy",
                  queues_of(Which::All),
                  queues_offline,
                  ""});
    to.push_back({"dram-queue", {"dq"}, "[NAME]", "queues in DRAM", queues_of(Which::Dram), {}, ""});
    to.push_back({"host-queue", {"hq"}, "[NAME]", "queues in host memory", queues_of(Which::Host), {}, ""});
    to.push_back({"flow",
                  {"p", "pipe", "s"},
                  "[OP]",
                  "pipes to operands and writers to queues: chunks sent, arrived, "
                  "freed",
                  flow,
                  {},
                  ""});
    to.push_back(
        {"core", {"srs", "cdr"}, "[OP | X-Y [CHIP]]", "activity of cores, and what they wait for", core, {}, ""});
    to.push_back({"waits", {"ha", "ha2"}, "", "the wait-for chain, to its root", waits, {}, ""});
    to.push_back({"links",
                  {},
                  "[noc|dram|pcie|ethernet]",
                  "bytes, busy cycles and queueing, busiest first",
                  links_live,
                  links_offline,
                  ""});
    to.push_back(
        {"counters", {}, "[OP | X-Y [CHIP]]", "cycles of cores by cause", counters_live, counters_offline, ""});
}

}  // namespace ttsim::impl::debug
