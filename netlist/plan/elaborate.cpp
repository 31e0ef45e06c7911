// Elaboration: builds the Plan of a temporal epoch from the netlist.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "netlist/plan/chunk_needs.hpp"
#include "netlist/plan/chunk_walk.hpp"
#include "netlist/plan/l1_space.hpp"
#include "netlist/plan/plan.hpp"

namespace ttsim::impl {

int Plan::find_queue(const Queue* queue) const {
    for (std::size_t q = 0; q < queues.size(); ++q)
        if (queues[q].queue == queue) return static_cast<int>(q);
    return -1;
}

bool PlanOp::takes_strips() const {
    return std::any_of(operands.begin(), operands.end(),
                       [](const PlanOperand& operand) { return operand.intake == Intake::Strips; });
}

std::vector<std::int64_t> PlanOp::pushed_tiles() const {
    std::vector<std::int64_t> pushed;
    for (std::int64_t left : out_tiles)
        for (; left > 0; left -= pushed.back()) pushed.push_back(pushed_at_once(left));
    return pushed;
}

static bool in_prologue(const EpochLaunch& launch, const Queue* queue) {
    for (const ExecuteCommand& member : launch.members)
        for (const QueueLaunch& settings : member.queues)
            if (settings.queue == queue && settings.prologue) return true;
    return false;
}

std::string plan_key(const EpochLaunch& launch) {
    std::string key;
    for (const ExecuteCommand& member : launch.members) {
        key += member.graph->name + '{';
        for (const QueueLaunch& settings : member.queues)
            if (settings.prologue) key += settings.queue->name + ',';
        key += '}';
    }
    return key;
}

namespace {

/// Builds one Plan, in the order of build().
class Elaborator {
public:
    Elaborator(const Netlist& netlist, const EpochLaunch& launch, const Machine& machine,
               const std::map<const Op*, SparseCounts>& sparse, PlanMechanisms mechanisms, PlanPurpose purpose)
        : netlist_(netlist),
          launch_(launch),
          machine_(machine),
          sparse_(sparse),
          mechanisms_(mechanisms),
          purpose_(purpose) {}

    std::shared_ptr<const Plan> build() {
        // (1) ops in topological order, (2) their cores, (3) their sources, (4) how they send their outputs, (5) their
        // loop nests and pipes
        list_ops();
        for (PlanOp& op : plan_->ops) place(op);
        for (PlanOp& op : plan_->ops) connect(op);
        for (PlanOp& op : plan_->ops) classify(op);
        for (PlanOp& op : plan_->ops) fit_into_l1(op);
        if (!shortages_.empty()) report_l1_shortages();
        return plan_;
    }

private:
    [[noreturn]] void report_l1_shortages() const;
    void list_ops();
    void place(PlanOp& op);
    void connect(PlanOp& op);
    PlanOperand operand(const PlanOp& op, std::size_t k);
    void classify(PlanOp& op);
    void fit_into_l1(PlanOp& op);
    void build_loops_and_pipes(PlanOp& op);
    bool stream_resident_operands(PlanOp& op) const;
    void loop_nest(PlanOp& op);
    void set_times(PlanOp& op, bool reduces) const;
    std::int64_t ublocks_per_step(const PlanOp& op);
    void build_pipes(PlanOp& op, std::size_t k);
    void set_streams(PlanOp& op, std::size_t k, std::int64_t step) const;
    int queue_index(const Queue* queue);

    const Netlist& netlist_;
    const EpochLaunch& launch_;
    const Machine& machine_;
    const std::map<const Op*, SparseCounts>& sparse_;
    const PlanMechanisms mechanisms_;
    const PlanPurpose purpose_;
    std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
    std::map<std::string_view, int> op_index_;
    std::vector<L1Shortage> shortages_;
};

/// Reports all ops whose buffers are too large.
void Elaborator::report_l1_shortages() const {
    Diagnostics problems;
    std::vector<L1Error::Place> places;
    for (const L1Shortage& l1 : shortages_) {
        const Op& op = *l1.op->op;
        problems.error(op.cfg.loc, "{}", l1.message);
        places.push_back({l1.op->graph->name, op.name(), l1.op->chip, l1.needed, l1.left, op.overlay_size,
                          l1.op->cores.front(), op.grid_loc_r, op.grid_loc_c});
    }
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw L1Error(error, std::move(places));
    }
    TT_CHECK(false, "no op is too large");
    std::abort();
}

void Elaborator::list_ops() {
    std::map<std::string_view, std::pair<const Graph*, const Op*>> all;
    std::vector<std::string_view> order;
    std::set<std::int64_t> chips;
    for (const ExecuteCommand& member : launch_.members) {
        plan_->graphs.push_back(member.graph);
        chips.insert(member.graph->device());
        for (const Op& op : member.graph->ops) {
            all[op.name()] = {member.graph, &op};
            order.push_back(op.name());
        }
    }
    plan_->chips.assign(chips.begin(), chips.end());
    // A FIFO may feed back into the ops that fill it, so an op is visited only once.
    std::set<std::string_view> visited;
    std::vector<std::pair<std::string_view, std::size_t>> stack;
    for (const std::string_view start : order) {
        if (!visited.insert(start).second) continue;
        stack.emplace_back(start, 0);
        while (!stack.empty()) {
            auto& [name, next] = stack.back();
            const auto& [graph, op] = all.at(name);
            if (next < op->inputs.size()) {
                const std::string& input = op->inputs[next++];
                auto producer = all.find(input);
                if (producer == all.end())  // for a FIFO filled by an op of this epoch, that op comes first
                    if (const Queue* queue = netlist_.find_queue(input); queue && queue->type == QueueType::Queue)
                        producer = all.find(queue->input);
                if (producer != all.end() && visited.insert(producer->first).second)
                    stack.emplace_back(producer->first, 0);
                continue;
            }
            op_index_[name] = static_cast<int>(plan_->ops.size());
            PlanOp made;
            made.op = op;
            made.graph = graph;
            made.def = find_op(op->cfg.type);
            TT_CHECK(made.def, "op type '{}' passed validation", op->cfg.type);
            plan_->ops.push_back(std::move(made));
            stack.pop_back();
        }
    }
}

void Elaborator::place(PlanOp& op) {
    op.chip = op.graph->device();
    const ChipInstance* chip = machine_.find(op.chip);
    if (!chip)
        fail_input(op.graph->loc, "graph '{}' runs on chip {}, which the machine does not have", op.graph->name,
                   op.chip);
    const Blocking& out = op.op->cfg.out;
    op.ethernet = op.def->op_class == OpClass::Ethernet;
    if (op.ethernet) {
        const auto& channels = op.op->cfg.attr.ingress_channels;
        for (std::int64_t n = 0; n < out.cores(); ++n) {
            const std::int64_t channel = channels.empty() ? n : channels[static_cast<std::size_t>(n) % channels.size()];
            if (chip->params.eth.empty())
                fail_input(op.op->cfg.loc, "op '{}' needs Ethernet, which {} does not have", op.op->name(),
                           chip->params.name);
            op.cores.push_back(chip->params.eth[static_cast<std::size_t>(channel) % chip->params.eth.size()]);
        }
        return;
    }
    const auto rows = static_cast<std::int64_t>(chip->params.worker_y.size());
    const auto cols = static_cast<std::int64_t>(chip->params.worker_x.size());
    for (std::int64_t i = 0; i < out.grid_r; ++i)
        for (std::int64_t j = 0; j < out.grid_c; ++j) {
            const std::int64_t r = op.op->grid_loc_r + (op.op->grid_transpose ? j : i);
            const std::int64_t c = op.op->grid_loc_c + (op.op->grid_transpose ? i : j);
            if (r >= rows || c >= cols)
                fail_input(op.op->cfg.loc, "op '{}' needs core [{}, {}]; chip {} has {} x {} working cores",
                           op.op->name(), r, c, op.chip, rows, cols);
            op.cores.push_back(chip->worker(r, c));
        }
}

int Elaborator::queue_index(const Queue* queue) {
    int at = plan_->find_queue(queue);
    if (at < 0) {
        at = static_cast<int>(plan_->queues.size());
        plan_->queues.push_back({queue, -1, {}});
    }
    return at;
}

void Elaborator::connect(PlanOp& op) {
    const int self = op_index_.at(op.op->name());
    op.slices = op.op->cfg.out.t;
    op.slice_tiles = op.op->cfg.out.mblock_tiles();
    op.out_tile_bytes = op.op->cfg.out_tile_bytes();
    for (std::size_t k = 0; k < op.op->inputs.size(); ++k) {
        PlanOperand made = operand(op, k);
        const PlanReader reader{self, static_cast<int>(k)};
        if (made.producer_op >= 0)
            plan_->ops[static_cast<std::size_t>(made.producer_op)].readers.push_back(reader);
        else
            plan_->queues[static_cast<std::size_t>(made.producer_queue)].readers.push_back(reader);
        op.operands.push_back(std::move(made));
    }
    for (const Queue* queue : netlist_.written_by(op.op->name())) {
        const int index = queue_index(queue);
        plan_->queues[static_cast<std::size_t>(index)].writer = self;
        op.out_queues.push_back(index);
    }
}

PlanOperand Elaborator::operand(const PlanOp& op, std::size_t k) {
    const std::string& name = op.op->inputs[k];
    const auto producer = op_index_.find(name);
    TileShape from;
    int producer_op = -1, producer_queue = -1;
    bool resident = false;
    if (producer != op_index_.end()) {
        producer_op = producer->second;
        from = plan_->ops[static_cast<std::size_t>(producer_op)].op->shape();
    } else {
        const Queue* queue = netlist_.find_queue(name);
        TT_CHECK(queue, "input '{}' was resolved", name);
        producer_queue = queue_index(queue);
        from = queue->shape();
        resident = in_prologue(launch_, queue);
    }
    PlanOperand made(TmMap(from, op.op->tms[k]));
    made.producer_op = producer_op;
    made.producer_queue = producer_queue;
    made.operand_z = made.map.shape().z;
    made.df = op.op->cfg.in_df[k];
    made.tile = op.op->cfg.in_tile[k];
    made.tile_bytes = op.op->cfg.in_tile_bytes(k);
    if (resident) made.intake = Intake::Resident;
    return made;
}

/// Ublocks of a product that leave the packer together: one on the chip, here at least an eighth of the mblock, which
/// divides it, so that a slice has few events.
static std::int64_t pushed_ublocks(const Blocking& out) {
    const std::int64_t ublocks = out.mblock_m * out.mblock_n;
    std::int64_t pushed = (ublocks + 7) / 8;
    while (ublocks % pushed != 0) ++pushed;
    return pushed;
}

/// The readers of the output and their tile order determine how it is sent, and so its buffer size.
void Elaborator::classify(PlanOp& op) {
    const Blocking& out = op.op->cfg.out;
    std::vector<OutputReader> readers;
    for (const PlanReader& reader : op.readers) {
        const auto k = static_cast<std::size_t>(reader.operand);
        const PlanOp& to = plan_->ops[static_cast<std::size_t>(reader.op)];
        readers.push_back({fmt::format("operand {} of '{}'", k, to.op->name()),
                           tile_orders(to.op->cfg, k, to.op->tms[k], out),
                           to.def->use(to.op->cfg, reader.operand, 0, 0).clear_tiles, false});
    }
    // Untilized rows, and sums accumulated in their queue, leave as they are computed.
    if (!op.op->cfg.untilize && !op.op->cfg.gradient)
        for (const int q : op.out_queues) {
            const Queue& queue = *plan_->queues[static_cast<std::size_t>(q)].queue;
            readers.push_back({fmt::format("queue '{}'", queue.name), tile_orders(queue, out), 1, true});
        }
    op.output_streaming = output_streaming(*op.op, launch_.input_count(), readers);
    const OutputStreaming& made = op.output_streaming;
    // A stack that its buffer does not hold still must be complete at once.
    op.capacity_tiles =
        made.scatter() ? made.buffer_tiles / made.block_tiles * made.held_together : output_buffer_tiles(*op.op);
    op.packs_in_place = packs_in_place(op.op->cfg);
    const OpConfig& cfg = op.op->cfg;
    if (cfg.untilize) {
        op.push_tiles = out.mblock_n * out.ublock_tiles();
    } else if (mechanisms_.pieces && cfg.type == "matmul" && cfg.attr.min_buffer_input != 1 && !made.scatter() &&
               op.out_queues.empty()) {
        op.push_tiles = pushed_ublocks(out) * out.ublock_tiles();
    }
}

/// Builds loop nest and pipes.
void Elaborator::build_loops_and_pipes(PlanOp& op) {
    for (PlanOperand& operand : op.operands) {
        operand.pipes.clear();
        operand.pipe_of_core.clear();
    }
    loop_nest(op);
    for (std::size_t k = 0; k < op.operands.size(); ++k) build_pipes(op, k);
}

/// Prologue operands that need more tiles per input than their buffer holds are sent from L1 for every input. Returns
/// true if there are any.
bool Elaborator::stream_resident_operands(PlanOp& op) const {
    bool any = false;
    const OpConfig& cfg = op.op->cfg;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        PlanOperand& operand = op.operands[k];
        const auto number = static_cast<int>(k);
        if (operand.intake != Intake::Resident || op.ethernet || (cfg.attr.identity && k != 1)) continue;
        if (cfg.attr.kernel_broadcast.contains(number) || cfg.attr.kernel_broadcast_per_t.contains(number)) continue;
        const Queue& queue = *plan_->queues[static_cast<std::size_t>(operand.producer_queue)].queue;
        if (queue.layout == QueueLayout::Flat) continue;
        const OperandUse use = op.def->use(cfg, number, 0, 0);
        std::int64_t taken = 0;
        for (const TileRect& rect : use.rects) taken += rect.nr * rect.nc * operand.operand_z;
        if (taken <= input_buffer_tiles(*op.op, k, use, operand.tile_bytes)) continue;
        operand.held_tiles = operand.l1_tiles;
        for (const TileOrder& order : tile_orders(cfg, k, op.op->tms[k], queue.blocking))
            operand.held_runs = std::max(operand.held_runs, static_cast<std::int64_t>(order.size()));
        operand.intake = Intake::PerStep;  // loop_nest() selects the exact kind
        any = true;
    }
    return any;
}

/// The operand with the largest buffer among those that `counts` accepts.
static PlanOperand* largest(PlanOp& op, std::int64_t PlanOperand::*tiles, bool (*counts)(const PlanOperand&)) {
    PlanOperand* found = nullptr;
    for (PlanOperand& operand : op.operands)
        if (counts(operand) && (!found || operand.*tiles * operand.tile_bytes > found->*tiles * found->tile_bytes))
            found = &operand;
    return found;
}

/// If prologue operands do not fit in L1 together, the largest lose their separate buffer first, and are then streamed
/// from DRAM once per input.
void Elaborator::fit_into_l1(PlanOp& op) {
    const ChipParams& chip = machine_.find(op.chip)->params;
    build_loops_and_pipes(op);
    if (stream_resident_operands(op)) build_loops_and_pipes(op);
    while (l1_shortage(op, chip)) {
        if (PlanOperand* sent =
                largest(op, &PlanOperand::held_tiles, [](const PlanOperand& o) { return o.held_tiles > 0; })) {
            sent->held_tiles = 0;
            sent->intake = Intake::Resident;
        } else if (PlanOperand* held = largest(op, &PlanOperand::l1_tiles,
                                               [](const PlanOperand& o) { return o.intake == Intake::Resident; })) {
            held->intake = Intake::PerStep;
        } else {
            break;
        }
        build_loops_and_pipes(op);
    }
    if (std::optional<L1Shortage> shortage = l1_shortage(op, chip)) shortages_.push_back(std::move(*shortage));
}

/// Element-wise ops stream groups of ublocks: as many as half of the smallest operand buffer holds.
std::int64_t Elaborator::ublocks_per_step(const PlanOp& op) {
    const Blocking& out = op.op->cfg.out;
    std::int64_t group = out.mblock_m * out.mblock_n;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const PlanOperand& operand = op.operands[k];
        const OperandUse use = op.def->use(op.op->cfg, static_cast<int>(k), 0, 0);
        if (use.chunks != OperandUse::Chunks::Ublocks || operand.intake == Intake::Resident) continue;
        const std::int64_t buffer = input_buffer_tiles(*op.op, k, use, operand.tile_bytes);
        group = std::min(group, buffer / 2 / std::max<std::int64_t>(1, use.chunk_rt * use.chunk_ct));
    }
    if (op.push_tiles > 0 && group > out.mblock_n) group -= group % out.mblock_n;  // full rows of ublocks
    return std::max<std::int64_t>(1, group);
}

/// Iterations of operand k, for ops that consume ublocks of their operands alternately, with `group` result ublocks
/// each.
static std::vector<PlanOperand::Iteration> iterations_of(const PlanOp& op, std::size_t k, std::int64_t group) {
    const OpConfig& cfg = op.op->cfg;
    const std::int64_t ublocks = cfg.out.mblock_m * cfg.out.mblock_n;
    std::vector<PlanOperand::Iteration> iterations;
    for (std::int64_t made = 0; made < ublocks;) {
        made = std::min(made + group, ublocks);
        const std::int64_t passed = op.def->passed(cfg, static_cast<int>(k), made);
        const std::int64_t needed = (passed + group - 1) / group;
        iterations.push_back({needed, made == ublocks ? needed : passed / group});
    }
    return iterations;
}

/// Parts in which operand k of a product is consumed within a k-block: as many of its ublocks as half of its buffer
/// holds, so that it is filled while the other half is multiplied. 1: whole k-blocks, which the buffer holds twice.
static std::int64_t parts_of_block(const PlanOp& op, std::size_t k) {
    const PlanOperand& operand = op.operands[k];
    const OperandUse use = op.def->use(op.op->cfg, static_cast<int>(k), 0, 0);
    if (operand.intake == Intake::Resident || use.parts == 1) return 1;
    const std::int64_t half = input_buffer_tiles(*op.op, k, use, operand.tile_bytes) / 2;
    std::int64_t parts = 1;
    while (parts < use.parts && (use.parts % parts != 0 || use.parts / parts * use.clear_tiles > half)) ++parts;
    return parts;
}

/// Iterations of an operand whose k-blocks are used by `parts` steps each.
static std::vector<PlanOperand::Iteration> iterations_of_blocks(std::int64_t blocks, std::int64_t parts) {
    std::vector<PlanOperand::Iteration> iterations;
    for (std::int64_t step = 0; step < blocks * parts; ++step)
        iterations.push_back({step / parts + 1, (step + 1) / parts});
    return iterations;
}

/// Whether the k-blocks of an operand that any output slice may use are taken one after the other.
static bool in_strips(const OperandUse& use) { return use.whole_input && use.chunks == OperandUse::Chunks::KRows; }

void Elaborator::loop_nest(PlanOp& op) {
    const OpConfig& cfg = op.op->cfg;
    const Blocking& out = cfg.out;
    const std::int64_t ublocks = out.mblock_m * out.mblock_n;
    const std::int64_t group = ublocks_per_step(op);
    bool by_ublock = false;
    std::int64_t k_steps = 1, parts = 1;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        op.operands[k].parts = mechanisms_.parts ? parts_of_block(op, k) : 1;
        parts = std::max(parts, op.operands[k].parts);
        const OperandUse use = op.def->use(cfg, static_cast<int>(k), 0, 0);
        if (mechanisms_.strips && in_strips(use))
            k_steps = std::max(k_steps, (use.slices * use.count + out.t - 1) / out.t);
        if (use.whole_input || use.at_end) continue;
        if (use.chunks == OperandUse::Chunks::Ublocks) by_ublock = true;
        if (use.chunks == OperandUse::Chunks::KColumns || use.chunks == OperandUse::Chunks::KRows)
            k_steps = std::max(k_steps, use.slices * use.count);
        else if (use.chunks == OperandUse::Chunks::Ublocks && use.slices > 1)
            k_steps = std::max(k_steps, use.slices);
    }
    const std::int64_t groups = (ublocks + group - 1) / group;
    const bool reduces = k_steps > 1 || !by_ublock;
    op.steps_per_slice = reduces ? (by_ublock ? k_steps * groups : k_steps * parts) : groups;
    op.out_tiles.assign(static_cast<std::size_t>(op.steps_per_slice), 0);
    // The last k-block is packed by rows of ublocks if the left operand comes by rows.
    const bool by_rows = !op.operands.empty() && op.operands.front().parts > 1 && out.order == UblockOrder::Row;
    const std::int64_t packing = by_rows ? parts : 1;
    if (reduces)
        std::fill(op.out_tiles.end() - packing, op.out_tiles.end(), op.slice_tiles / packing);
    else
        for (std::int64_t step = 0; step < groups; ++step)
            op.out_tiles[static_cast<std::size_t>(step)] =
                (std::min(ublocks, (step + 1) * group) - step * group) * out.ublock_tiles();

    for (std::size_t k = 0; k < op.operands.size(); ++k) {
        PlanOperand& operand = op.operands[k];
        const OperandUse use = op.def->use(cfg, static_cast<int>(k), 0, 0);
        operand.slices = use.slices;
        operand.whole_input = use.whole_input;
        const bool streamed = use.chunks != OperandUse::Chunks::One;
        const bool in_turn = use.chunks == OperandUse::Chunks::Ublocks && op.def->passed != nullptr;
        operand.chunks_per_slice = !streamed                                   ? 1
                                   : in_turn                                   ? (chunks_of(use) + group - 1) / group
                                   : use.chunks == OperandUse::Chunks::Ublocks ? groups
                                                                               : use.count * operand.parts;
        const std::int64_t blocks = operand.chunks_per_slice * use.slices;
        const bool by_blocks = streamed && parts > 1 && operand.parts == 1 && blocks * parts == op.steps_per_slice;
        operand.iterations.clear();
        if (in_turn) operand.iterations = iterations_of(op, k, group);
        if (by_blocks) operand.iterations = iterations_of_blocks(blocks, parts);
        if (operand.intake != Intake::Resident)
            operand.intake = mechanisms_.strips && in_strips(use) ? Intake::Strips
                             : use.whole_input                    ? Intake::WholeInput
                             : in_turn || by_blocks               ? Intake::InTurn
                             : use.at_end                         ? Intake::SliceEnd
                             : streamed && operand.chunks_per_slice * use.slices == op.steps_per_slice
                                 ? Intake::PerStep
                                 : Intake::PerSlice;
        operand.l1_tiles =
            operand.intake == Intake::Resident ? 0 : input_buffer_tiles(*op.op, k, use, operand.tile_bytes);
    }
    if (purpose_ == PlanPurpose::Run) set_times(op, reduces);
}

void Elaborator::set_times(PlanOp& op, bool reduces) const {
    // Work of a step as fraction of its slice: its tiles if the result grows by steps, otherwise equal fractions.
    const ChipTiming& timing = machine_.find(op.chip)->params.timing;
    std::vector<double> shares;
    for (const std::int64_t out_now : op.out_tiles)
        shares.push_back(reduces ? 1.0 / static_cast<double>(op.steps_per_slice)
                                 : static_cast<double>(out_now) / static_cast<double>(op.slice_tiles));
    const auto known = sparse_.find(op.op);
    op.step_times = step_times(op.op->cfg, *op.def, timing, shares,
                               known != sparse_.end() ? std::optional(known->second) : std::nullopt);
}

/// Maximum k-blocks that a step needs at once, of an operand that is taken in strips.
static std::int64_t max_strips(const PlanOperand& operand, std::int64_t steps) {
    std::int64_t most = 0;
    for (std::int64_t step = 0; step < steps; ++step)
        most = std::max(most, operand.strips_needed(step + 1, steps) - operand.strips_passed(step, steps));
    return most;
}

/// Maximum tiles of the chunks that a step needs at once, including skipped ones.
static std::int64_t max_iteration_tiles(const PlanOperand& operand, const Pipe& pipe) {
    std::int64_t most = 0, first = 0;
    for (const PlanOperand::Iteration& iteration : operand.iterations) {
        const auto from = pipe.chunk_tiles.begin();
        most = std::max<std::int64_t>(most, std::accumulate(from + first, from + iteration.needed, std::int64_t{0}));
        first = iteration.passed;
    }
    return most;
}

void Elaborator::build_pipes(PlanOp& op, std::size_t k) {
    PlanOperand& operand = op.operands[k];
    const OpConfig& cfg = op.op->cfg;
    const NeedSource source =
        operand.producer_op >= 0 ? op_source(plan_->ops[static_cast<std::size_t>(operand.producer_op)])
                                 : queue_source(*plan_->queues[static_cast<std::size_t>(operand.producer_queue)].queue);
    const std::int64_t group = ublocks_per_step(op);
    std::map<std::vector<std::int64_t>, std::uint32_t> known;  // rects -> pipe
    for (std::int64_t i = 0; i < cfg.out.grid_r; ++i)
        for (std::int64_t j = 0; j < cfg.out.grid_c; ++j) {
            const OperandUse use = op.def->use(cfg, static_cast<int>(k), i, j);
            std::vector<std::int64_t> key;
            for (const TileRect& rect : use.rects) key.insert(key.end(), {rect.r0, rect.c0, rect.nr, rect.nc});
            const auto [it, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(operand.pipes.size()));
            if (fresh) {
                Pipe pipe;
                pipe.rects = use.rects;
                if (purpose_ == PlanPurpose::Check)
                    count_chunks(pipe, operand, use, cfg.out, group, source.blocking.shape());
                else
                    fill_chunks(pipe, operand, use, cfg.out, group, source);
                operand.pipes.push_back(std::move(pipe));
            }
            operand.pipes[it->second].cores.push_back(static_cast<std::uint32_t>(operand.pipe_of_core.size()));
            operand.pipe_of_core.push_back(it->second);
        }
    // Chunks that are held at the same time must fit, regardless of the L1 space rule.
    std::int64_t together = 0;
    for (const Pipe& pipe : operand.pipes) {
        std::int64_t all = 0, most = max_iteration_tiles(operand, pipe);
        for (const std::uint32_t tiles : pipe.chunk_tiles) {
            all += tiles;
            most = std::max<std::int64_t>(most, tiles);
        }
        if (operand.intake == Intake::Strips) most *= max_strips(operand, op.input_steps());
        const std::int64_t slice = operand.operand_z > 0 ? all / operand.operand_z : all;
        const std::int64_t held = operand.intake == Intake::Resident || operand.intake == Intake::WholeInput ? all
                                  : operand.intake == Intake::PerSlice ? slice * operand.slices
                                                                       : most;
        together = std::max(together, held);
        if (operand.intake == Intake::Resident) operand.l1_tiles = std::max(operand.l1_tiles, all);
    }
    operand.capacity_tiles = std::max(operand.l1_tiles, together);
    if (operand.intake == Intake::Resident) return;
    set_streams(op, k, together);
    if (operand.reads.waits_for_unpacker()) return;
    // A chunk of a queue is requested only when there is space for all of it.
    const std::int64_t ahead = operand.reads.buffer + (operand.reads.beside ? operand.l1_tiles : 0);
    operand.capacity_tiles = std::max({operand.capacity_tiles, ahead, together + operand.reads.chunk});
}

/// Sets how tiles arrive: from a queue in chunks of requests, from an op by credits.
void Elaborator::set_streams(PlanOp& op, std::size_t k, std::int64_t step) const {
    PlanOperand& operand = op.operands[k];
    const std::int64_t clear = op.def->use(op.op->cfg, static_cast<int>(k), 0, 0).clear_tiles;
    operand.credit_tiles = credit_tiles(operand.l1_tiles, operand_unit(*op.op, k, clear));
    if (operand.producer_queue < 0 || operand.held_tiles > 0) return;
    const Queue& queue = *plan_->queues[static_cast<std::size_t>(operand.producer_queue)].queue;
    if (queue.layout == QueueLayout::Flat) {
        const bool table = op.op->cfg.attr.num_indices > 0;
        operand.reads = table ? table_reads(op.op->cfg, step) : flat_reads(queue, step);
        if (operand.reads.waits_for_unpacker()) operand.capacity_tiles = operand.reads.buffer;
        return;
    }
    const auto& dram_buffer_tiles = op.op->input_dram_io_buf_size_tiles;
    operand.reads =
        queue_reads(queue, tile_orders(op.op->cfg, k, op.op->tms[k], queue.blocking), clear, operand.l1_tiles,
                    operand.tile_bytes, k < dram_buffer_tiles.size() ? dram_buffer_tiles[k] : 0);
    if (!mechanisms_.beside) operand.reads.beside = false;
}

}  // namespace

std::shared_ptr<const Plan> elaborate(const Netlist& netlist, const EpochLaunch& launch, const Machine& machine,
                                      const std::map<const Op*, SparseCounts>& sparse, PlanMechanisms mechanisms,
                                      PlanPurpose purpose) {
    return Elaborator(netlist, launch, machine, sparse, mechanisms, purpose).build();
}

}  // namespace ttsim::impl
