#include "compiler/backend/emit.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/phase_times.hpp"
#include "compiler/backend/choice_cache.hpp"
#include "compiler/backend/sparse_blocking.hpp"
#include "compiler/ir/device_parts.hpp"
#include "compiler/ir/netlist_name.hpp"
#include "compiler/ir/training.hpp"
#include "compiler/lower/lowering.hpp"
#include "netlist/checks/instances.hpp"

namespace ttsim::impl::ir {

namespace {

Operand literal(std::int64_t n) { return {"", n}; }
Operand variable(const std::string& name) { return {name, 0}; }

class Emitter {
public:
    Emitter(const Graph& graph, const Schedule& schedule, const OpBudget& budget, const EmitOptions& options)
        : graph_(graph),
          schedule_(schedule),
          microbatch_(budget.microbatch),
          channels_(static_cast<std::int64_t>(budget.chip->dram.size())),
          chip_(*budget.chip),
          cache_(budget.cache),
          options_(options),
          chip_of_(chips_of(schedule, options.chips, options.fewer_chips)),
          dram_(static_cast<std::size_t>(options.chips), DramAllocator(*budget.chip, options.placement)),
          parts_of_(device_parts(graph)),
          epoch_part_(schedule.epochs, 1) {
        result_.netlist.archs = {budget.chip->name};
        for (ValueId id = 0; id < graph.nodes.size(); ++id)
            if (const std::int64_t iterations = graph.nodes[id].get(attr::iterations);
                graph.nodes[id].is_input() && iterations > 0)
                iterations_[parts_of_[id]] = iterations;
        for (const PlacedOp& op : schedule.ops) epoch_part_[op.epoch] = parts_of_[op.node];
        for (const Node& node : graph.nodes) {
            names_.insert(node.name);
            training_ = training_ || node.phase != Phase::Forward;
        }
        readers_.resize(graph.nodes.size());
        for (const PlacedOp& op : schedule.ops)
            for (const Edge& edge : graph.nodes[op.node].inputs)
                if (auto& all = readers_[edge.value]; all.empty() || all.back() != &op) all.push_back(&op);
    }

    EmittedModel run() {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) add_source(id);
        for (const PlacedOp& placed : schedule_.ops) add_parts(placed);
        for (const PlacedOp& placed : schedule_.ops) add_e2e_queues(placed);
        for (const Output& output : graph_.outputs) add_output(output);
        for (std::size_t epoch = 0; epoch < schedule_.epochs; ++epoch) add_graph(epoch);
        add_programs();
        list_trained();
        return std::move(result_);
    }

private:
    static constexpr std::int64_t host_executes =
        2;  // executes whose entries fit a host queue: the host fills one while the device reads the other

    std::int64_t iterations(std::int64_t part) const {
        const auto found = iterations_.find(part);
        return found == iterations_.end() ? 0 : found->second;
    }
    /// Inputs of an execute. An optimizer runs once a step. A loop runs one iteration per execute, since the next one
    /// needs its state.
    std::int64_t microbatch(std::int64_t part) const {
        return iterations(part) > 0 || is_optimizer(part) ? 1 : microbatch_;
    }

    bool is_backward(std::int64_t part) const { return training_ && part == 2; }
    bool is_optimizer(std::int64_t part) const { return training_ && part == 3; }
    /// Executes whose entries a queue between host and device holds.
    std::int64_t held_executes() const {
        return training_ ? std::max(host_executes, options_.microbatch_count) : host_executes;
    }
    /// Whether the backward program reads values of the forward program on a chip, where they must stay until then.
    bool kept_for_backward(ValueId id, std::int64_t on) const {
        return training_ && parts_of_[id] == 1 &&
               std::any_of(readers_[id].begin(), readers_[id].end(),
                           [&](const PlacedOp* op) { return chip(*op) == on && is_backward(parts_of_[op->node]); });
    }

    std::string unused(std::string name) {
        while (!names_.insert(name).second) name += "_";
        return name;
    }

    std::int64_t chip(const PlacedOp& op) const { return chip_of_[op.epoch]; }

    /// Adds a queue in host memory that the device accesses; buffers are consecutive.
    void add_host_queue(Queue q) {
        constexpr std::uint64_t host_alignment = 64;
        q.where = QueueLoc::Host;
        for (std::int64_t k = 0; k < q.blocking.cores(); ++k) {
            q.buffers.push_back({0, host_cursor_});
            host_cursor_ += (static_cast<std::uint64_t>(queue_buffer_bytes(q)) + host_alignment - 1) / host_alignment *
                            host_alignment;
        }
        result_.netlist.queues.push_back(std::move(q));
    }

    /// The chips whose ops read a value.
    std::set<std::int64_t> readers(ValueId id) const {
        std::set<std::int64_t> all;
        for (const PlacedOp* op : readers_[id]) all.insert(chip(*op));
        return all;
    }

    Queue queue(const std::string& name, const std::string& input, const Blocking& blocking, DataFormat df,
                std::int64_t on, std::int64_t microbatch) const {
        Queue q;
        q.name = name;
        q.input = input;
        q.blocking = blocking;
        q.df = df;
        q.alignment = chip_.features.noc_alignment;
        q.target_devices = {on};
        q.entries = held_executes() * microbatch;
        return q;
    }

    static bool is_stored(const Node& node) { return node.is_constant() || node.is_parameter(); }

    /// The epochs that read a value from its queue, once per operand.
    std::vector<std::size_t> reads(ValueId id, std::int64_t on) const {
        std::vector<std::size_t> epochs;
        for (const PlacedOp* reader : readers_[id]) {
            const PlacedOp& op = *reader;
            if (chip(op) != on) continue;
            const Node& node = graph_.nodes[op.node];
            const auto operands = operands_of(node);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                if (operands[k].kind != OperandSource::Kind::Input || node.inputs[operands[k].input].value != id)
                    continue;
                const auto producer = schedule_.index.find(id);
                const bool direct = producer != schedule_.index.end() && !op.through_dram[k] &&
                                    schedule_.ops[producer->second].epoch == op.epoch;
                const bool held = is_stored(graph_.nodes[id]) && op.resident[k];
                if (!direct && !held) epochs.push_back(op.epoch);
            }
        }
        return epochs;
    }

    void add_queue(Queue q, const QueueUse& use) {
        const auto only = options_.channels.find(q.name);
        dram_[static_cast<std::size_t>(q.target_devices.front())].place(
            q, use, only == options_.channels.end() ? std::nullopt : std::optional(only->second));
        result_.netlist.queues.push_back(std::move(q));
    }

    void add_source(ValueId id) {
        const Node& node = graph_.nodes[id];
        if (!node.is_input() && !node.is_constant()) return;
        if (!node.type.format || node.has(attr::state))
            return;                                  // tables of sparse products; states are added by add_output()
        for (const std::int64_t on : readers(id)) {  // one queue per chip
            const std::string name = on == *readers(id).begin() ? node.name : unused(node.name + "_chip");
            Queue q = queue(name, "HOST", spread(node.type.dims, channels_), *node.type.format, on,
                            microbatch(parts_of_[id]));
            if (schedule_.by_columns.count(id)) q.blocking.order = UblockOrder::Column;
            if (is_stored(node)) {
                q.type = QueueType::Ram;
                q.entries = 1;
                result_.constants.push_back({.queue = name,
                                             .values = node.is_constant() ? node.literal : node.initial,
                                             .bits = false,
                                             .derivation = node.derivation});
            } else {
                const auto dtype = parse_dtype(node.get(attr::dtype));
                result_.inputs.push_back({node.origin,
                                          name,
                                          {dtype.value_or(DType::F32), node.get(attr::dims), {}},
                                          *node.type.format,
                                          node.type.dims[1],
                                          node.type.dims[2],
                                          iterations(parts_of_[id])});
            }
            queue_of_[{id, on}] = name;
            if (kept_for_backward(id, on)) kept_.insert(name);
            if (node.is_input() && !is_stored(node) && options_.host_inputs && !options_.channels.contains(name))
                add_host_queue(std::move(q));
            else
                add_queue(std::move(q), read_by(id, on));
        }
    }

    std::vector<NocCoord> cores_of(const PlacedOp& op) const {
        std::vector<NocCoord> cores;
        for (std::int64_t i = 0; i < op.op.cfg.out.grid_r; ++i)
            for (std::int64_t j = 0; j < op.op.cfg.out.grid_c; ++j) {
                const std::int64_t r = op.op.grid_loc_r + (op.op.grid_transpose ? j : i);
                const std::int64_t c = op.op.grid_loc_c + (op.op.grid_transpose ? i : j);
                cores.push_back(
                    {chip_.worker_x[static_cast<std::size_t>(c)], chip_.worker_y[static_cast<std::size_t>(r)]});
            }
        return cores;
    }

    QueueUse read_by(ValueId id, std::int64_t on) const {
        for (const PlacedOp* op : readers_[id])
            if (chip(*op) == on) return {-1, -1, -1, cores_of(*op), reads(id, on)};
        return {};
    }

    /// Lifetime from the epoch that writes the queue to the last that reads it.
    QueueUse written_by(const PlacedOp& producer) const {
        QueueUse use{-1, -1, static_cast<std::int64_t>(producer.epoch), cores_of(producer), {}};
        if (!options_.dynamic_queues) return use;
        use.first_epoch = use.last_epoch = use.home;
        for (const PlacedOp* op : readers_[producer.node])
            use.last_epoch = std::max(use.last_epoch, static_cast<std::int64_t>(op->epoch));
        return use;
    }

    /// Whether an operand of the consumer reads the value from a queue.
    bool needs_queue(const PlacedOp& consumer, const PlacedOp& producer, ValueId value) const {
        if (producer.epoch != consumer.epoch) return true;
        const Node& node = graph_.nodes[consumer.node];
        const auto operands = operands_of(node);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (operands[k].kind == OperandSource::Kind::Input && node.inputs[operands[k].input].value == value &&
                consumer.through_dram[k])
                return true;
        return false;
    }

    std::string e2e_name(const std::string& op) {
        if (!options_.keep_names) return unused("e2e_" + op);
        for (int n = 0;; ++n)
            if (std::string name = fmt::format("e2e_{}_{}", op, n); names_.insert(name).second) return name;
    }

    /// Adds queues for values that are read in a later epoch, or in the same epoch through DRAM.
    void add_e2e_queues(const PlacedOp& consumer) {
        for (const Edge& edge : graph_.nodes[consumer.node].inputs) {
            const auto producer = schedule_.index.find(edge.value);
            if (producer == schedule_.index.end()) continue;
            const PlacedOp& op = schedule_.ops[producer->second];
            const std::pair key{edge.value, chip(consumer)};
            if (!needs_queue(consumer, op, edge.value) || queue_of_.count(key)) continue;
            const std::string name = e2e_name(op.op.name());
            queue_of_[key] = name;
            e2e_queues_.insert(name);
            Queue q = queue(name, op.op.name(), op.op.cfg.out, op.op.cfg.out_df, chip(consumer),
                            microbatch(parts_of_[consumer.node]));
            const bool saved = kept_for_backward(edge.value, chip(consumer));
            q.entries = microbatch(parts_of_[consumer.node]) * (saved ? options_.microbatch_count : 1);
            if (saved) {
                kept_.insert(name);
                saved_.insert(name);
                result_.saved_bytes += q.blocking.cores() * queue_buffer_bytes(q);
            }
            QueueUse use = written_by(op);
            use.moved = reads(edge.value, chip(consumer));
            use.moved.push_back(op.epoch);
            uses_.emplace_back(name, use);
            add_queue(std::move(q), use);
        }
    }

    void add_output(const Output& output) {
        const PlacedOp& op = schedule_.ops[schedule_.op_of(output.value)];
        if (add_state(output, op)) return;
        const std::string name =
            unused(options_.keep_names ? dotted_name(output.name) : "out_" + netlist_name(output.name));
        const std::int64_t part = parts_of_[op.node];
        BoundTensor bound{output.name, name, output.type.value_or(Type{})};
        bound.iterations = iterations(part);
        result_.outputs.push_back(std::move(bound));
        Queue q = queue(name, op.op.name(), op.op.cfg.out, op.op.cfg.out_df, chip(op), microbatch(part));
        if (options_.host_outputs && !options_.channels.contains(name))
            add_host_queue(std::move(q));
        else
            add_queue(std::move(q), {-1, -1, static_cast<std::int64_t>(op.epoch), cores_of(op), {op.epoch}});
    }

    /// A loop's state is a ram of one entry.
    bool add_state(const Output& output, const PlacedOp& op) {
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (!node.is_input() || node.get(attr::state) != output.name) continue;
            const std::set<std::int64_t> on = readers(id);
            if (on.size() != 1 && node.phase == Phase::Optimizer)
                fail_unsupported(node.loc, "'{}' of the optimizer is read on {} chips; train on one chip", output.name,
                                 on.size());
            if (on.size() != 1 && training_)
                fail_unsupported(node.loc,
                                 "parameter '{}' is read on {} chips; train on one chip, or freeze it (--freeze {})",
                                 output.name, on.size(), output.name);
            if (on.size() != 1)
                fail_unsupported(node.loc,
                                 "state '{}' of a loop is read on {} chips; unroll the loop (--loops unrolled)",
                                 output.name, on.size());
            Queue q =
                queue(unused(netlist_name(output.name)), op.op.name(), op.op.cfg.out, op.op.cfg.out_df, *on.begin(), 1);
            q.type = QueueType::Ram;
            q.entries = 1;
            queue_of_[{id, *on.begin()}] = q.name;
            state_queues_[output.name] = q.name;
            if (graph_.nodes[op.node].has(attr::gradient))
                gradients_[op.epoch].insert(q.name);
            else
                states_[op.epoch].insert(q.name);
            if (node.is_parameter())
                result_.constants.push_back(
                    {.queue = q.name, .values = node.initial, .bits = false, .derivation = node.derivation});
            add_queue(std::move(q), {-1, -1, static_cast<std::int64_t>(op.epoch), cores_of(op), {op.epoch}});
            return true;
        }
        return training_ && output.name.starts_with(gradient_prefix) && add_gradient(output, op);
    }

    /// Sums of a gradient that the host reads.
    bool add_gradient(const Output& output, const PlacedOp& op) {
        Queue q = queue(unused(netlist_name(output.name)), op.op.name(), op.op.cfg.out, op.op.cfg.out_df, chip(op), 1);
        q.type = QueueType::Ram;
        q.entries = 1;
        state_queues_[output.name] = q.name;
        gradients_[op.epoch].insert(q.name);
        add_queue(std::move(q), {-1, -1, static_cast<std::int64_t>(op.epoch), cores_of(op), {op.epoch}});
        return true;
    }

    void list_trained() {
        const auto queue_of = [&](ValueId id) {
            const auto found = queue_of_.lower_bound({id, 0});
            return found != queue_of_.end() && found->first.first == id ? found->second : std::string();
        };
        std::map<std::string, std::string> kept;  // rates and states of the optimizer
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.is_parameter() && !node.derivation) kept[node.origin] = queue_of(id);
        }
        for (ValueId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            const auto sum = state_queues_.find(gradient_state(node.origin));
            if (!node.is_parameter() || !node.derivation || sum == state_queues_.end()) continue;
            result_.trained.push_back(
                {node.origin, queue_of(id), sum->second, kept[learning_rate_state(node.origin)], {}, node.derivation});
            TrainedParameter& made = result_.trained.back();
            made.correction = kept[correction_state(node.origin)];
            made.epsilon = kept[epsilon_state(node.origin)];
            if (node.has(attr::rows_of)) {
                made.name = node.get(attr::rows_of);
                made.first_row = node.get(attr::first_row);
                made.row_count = node.get(attr::row_count);
            }
            for (const std::string_view kind : optimizer_states)
                if (const auto found = kept.find(optimizer_state(kind, node.origin)); found != kept.end())
                    made.states.emplace(kind, found->second);
        }
    }

    void add_graph(std::size_t epoch) {
        ttsim::impl::Graph g;
        const std::int64_t part = epoch_part_[epoch];
        const char* phase = is_backward(part) ? "bwd" : is_optimizer(part) ? "opt" : "fwd";
        g.name = fmt::format("{}_0_{}_temporal_epoch_{}", phase, epoch, epoch);
        g.target_devices = {chip_of_[epoch]};
        g.input_count = is_optimizer(part) ? 1 : microbatch(part);
        for (const PlacedOp& placed : schedule_.ops) {
            if (placed.epoch != epoch) continue;
            Op op = placed.op;
            for (std::size_t k = 0; k < op.cfg.in.size(); ++k) op.inputs.push_back(operand_name(placed, k));
            define_fused(op.cfg);
            op.cfg.in.clear();
            op.cfg.in_tile.clear();
            g.ops.push_back(std::move(op));
        }
        result_.netlist.graphs.push_back(std::move(g));
    }

    /// Fused ops with equal programs and blocks share a definition.
    void define_fused(OpConfig& cfg) {
        if (!cfg.fused) return;
        const Blocking& b = cfg.out;
        const auto key = std::tuple(cfg.attr.fused_op_id, b.mblock_m, b.mblock_n, b.ublock_rt, b.ublock_ct);
        auto& known = fused_[key];
        if (!known) {
            auto made = std::make_shared<FusedDefinition>(*cfg.fused);
            made->id = fmt::format("fused_{}", result_.netlist.fused_ops.size());
            result_.netlist.fused_ops.push_back(made);
            known = made;
        }
        cfg.attr.fused_op_id = known->id;
        cfg.fused = nullptr;  // resolve() links it
    }

    /// Adds operands 0 and 2 of a sparse product, which depend on its grid.
    void add_parts(const PlacedOp& placed) {
        if (!placed.pattern) return;
        SparseParts parts =
            cache_ ? cache_->parts(placed.pattern, placed.op.cfg) : make_parts(*placed.pattern, placed.op.cfg);
        for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
            const TileShape& shape = placed.op.cfg.in[k];
            Queue q = queue(unused(placed.op.name() + (k == 0 ? "_tiles" : "_encoding")), "HOST",
                            spread({shape.z, shape.rt, shape.ct}, channels_), placed.op.cfg.in_df[k], chip(placed),
                            microbatch_);
            q.type = QueueType::Ram;
            q.entries = 1;
            result_.constants.push_back(
                {q.name, k == 0 ? std::move(parts.tiles) : std::move(parts.encoding), k == 2, {}});
            parts_[{placed.node, k}] = q.name;
            std::vector<std::size_t> moved;
            if (!placed.resident[k]) moved.push_back(placed.epoch);
            add_queue(std::move(q), {-1, -1, -1, cores_of(placed), std::move(moved)});
        }
    }

    std::string operand_name(const PlacedOp& placed, std::size_t operand) const {
        const Node& node = graph_.nodes[placed.node];
        const OperandSource source = operands_of(node)[operand];
        if (source.kind != OperandSource::Kind::Input) return parts_.at({placed.node, operand});
        const ValueId id = node.inputs[source.input].value;
        return placed.through_dram[operand] ? queue_of_.at({id, chip(placed)}) : source_name(id, placed.epoch);
    }

    std::string source_name(ValueId id, std::size_t epoch) const {
        const auto producer = schedule_.index.find(id);
        if (producer != schedule_.index.end() && schedule_.ops[producer->second].epoch == epoch)
            return graph_.nodes[id].name;
        return queue_of_.at({id, chip_of_[epoch]});
    }

    static Instruction instruction(Instruction::Kind kind) {
        Instruction made;
        made.kind = kind;
        return made;
    }

    template <class When>
    void lifetimes(Program& program, Instruction::Kind kind, When when) const {
        Instruction marks = instruction(kind);
        for (const auto& [queue, use] : uses_)
            if (use.first_epoch >= 0 && when(use)) marks.queues.push_back(queue);
        if (!marks.queues.empty()) program.instructions.push_back(std::move(marks));
    }

    /// One program per device part.
    void add_programs() {
        std::map<std::int64_t, std::set<std::size_t>> epochs;
        for (const PlacedOp& op : schedule_.ops) epochs[parts_of_[op.node]].insert(op.epoch);
        for (const auto& [part, own] : epochs) add_program(part, own);
    }

    ModelProgram program_of(std::int64_t part) const {
        if (is_optimizer(part)) return {ProgramRole::Optimizer, 0, "run_opt_0", ""};
        if (is_backward(part)) return {ProgramRole::Backward, 0, "run_bwd_0", "$p_loop_count", "$p_zero_grad"};
        return {ProgramRole::Forward, part - 1, fmt::format("run_fwd_{}", part - 1), "$p_loop_count"};
    }

    static Instruction assign(const char* to, const char* op, std::vector<Operand> operands) {
        Instruction step = instruction(Instruction::Kind::VarInst);
        step.out = to;
        step.op = op;
        step.operands = std::move(operands);
        return step;
    }

    /// Pointers of queues, by the number of entries: a pointer wraps at twice that number.
    struct Pointers {
        const char *global, *local;
        std::int64_t entries;
    };
    std::vector<Pointers> pointers(std::int64_t part) const {
        std::vector<Pointers> all;
        if (!is_optimizer(part)) all.push_back({"$gptr", "$lptr", held_executes() * microbatch(part)});
        const bool moving = !e2e_queues_.empty() && !options_.dynamic_queues;  // an allocation resets pointers to 0
        if (moving) all.push_back({"$gptr_e2e", "$lptr_e2e", microbatch(part)});
        if (!saved_.empty() && !is_optimizer(part))
            all.push_back({"$gptr_saved", "$lptr_saved", microbatch(part) * options_.microbatch_count});
        return all;
    }

    void add_program(std::int64_t part, const std::set<std::size_t>& epochs) {
        using Kind = Instruction::Kind;
        const ModelProgram made = program_of(part);
        const bool keeps = training_ && part == 1 && !kept_.empty();
        Program program;
        program.name = made.name;
        Instruction params = instruction(Kind::Param), vars = instruction(Kind::Var),
                    statics = instruction(Kind::StaticVar);
        vars.variables = {{"$c_zero", literal(0)}};
        if (!made.executes.empty()) params.variables.push_back({made.executes, literal(0)});
        if (!made.zero.empty()) {
            params.variables.push_back({made.zero, literal(0)});
            vars.variables.push_back({"$v_zero_grad", literal(0)});
        }
        // entries that the backward program reads are freed by it, so their global pointers move between programs only
        if (keeps)
            for (const char* kept : {"$gptr_kept", "$gptr_saved_kept"}) vars.variables.push_back({kept, literal(0)});
        for (const Pointers& p : pointers(part))
            statics.variables.insert(statics.variables.end(), {{p.global, literal(0)}, {p.local, literal(0)}});
        if (!params.variables.empty()) program.instructions.push_back(params);
        program.instructions.push_back(vars);
        if (!statics.variables.empty()) program.instructions.push_back(statics);
        if (!made.zero.empty()) program.instructions.push_back(assign("$v_zero_grad", "set", {variable(made.zero)}));
        if (keeps) {
            program.instructions.push_back(assign("$gptr_kept", "set", {variable("$gptr")}));
            if (!saved_.empty())
                program.instructions.push_back(assign("$gptr_saved_kept", "set", {variable("$gptr_saved")}));
        }
        if (!is_optimizer(part)) {
            Instruction loop = instruction(Kind::Loop);
            loop.operands = {variable(made.executes)};
            program.instructions.push_back(loop);
            if (iterations(part) > 0) {
                loop.operands = {literal(iterations(part) * microbatch_)};
                program.instructions.push_back(loop);
            }
        }
        for (const std::size_t epoch : epochs) {
            const auto at = static_cast<std::int64_t>(epoch);
            lifetimes(program, Kind::Allocate, [&](const QueueUse& use) { return use.first_epoch == at; });
            program.instructions.push_back(execute(epoch));
            lifetimes(program, Kind::Deallocate, [&](const QueueUse& use) { return use.last_epoch == at; });
        }
        if (!made.zero.empty()) program.instructions.push_back(assign("$v_zero_grad", "set", {literal(0)}));
        for (const Pointers& p : pointers(part))
            for (const char* pointer : {p.global, p.local})
                program.instructions.push_back(
                    assign(pointer, "incwrap", {literal(microbatch(part)), literal(2 * p.entries)}));
        if (!is_optimizer(part)) {
            if (iterations(part) > 0) program.instructions.push_back(instruction(Kind::EndLoop));
            program.instructions.push_back(instruction(Kind::EndLoop));
        }
        program.instructions.push_back(instruction(Kind::EndProgram));
        result_.netlist.programs.push_back(std::move(program));
        result_.programs.push_back(made);
    }

    Instruction execute(std::size_t epoch) const {
        Instruction run = instruction(Instruction::Kind::Execute);
        run.graph = result_.netlist.graphs[epoch].name;
        std::map<std::string, bool> prologue;  // a constant is held in L1 only if all its readers hold it
        std::set<std::string> queues, states, gradients;
        if (const auto left = states_.find(epoch); left != states_.end()) states = left->second;
        if (const auto left = gradients_.find(epoch); left != gradients_.end()) gradients = left->second;
        for (const PlacedOp& placed : schedule_.ops) {
            if (placed.epoch != epoch) continue;
            const Node& node = graph_.nodes[placed.node];
            const std::vector<OperandSource> operands = operands_of(node);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const std::string name = operand_name(placed, k);
                const bool made = operands[k].kind != OperandSource::Kind::Input;
                const Node& from = graph_.nodes[node.inputs[operands[k].input].value];
                if (made || (is_stored(from) && !states.contains(name))) {
                    const auto [it, first] = prologue.emplace(name, placed.resident[k]);
                    if (!first) it->second = it->second && placed.resident[k];
                } else if (from.has(attr::state)) {
                    states.insert(name);
                } else if (name != from.name || from.is_input()) {
                    queues.insert(name);
                }
            }
        }
        for (const std::string& name : queues) run.settings.push_back(fifo(name, epoch_part_[epoch]));
        for (const std::string& name : states) run.settings.push_back(ram(name, false));
        for (const auto& [name, held] : prologue) run.settings.push_back(ram(name, held));
        for (const std::string& name : gradients) {
            QueueSetting sum = ram(name, true);
            sum.epilogue = literal(1);
            sum.zero = variable("$v_zero_grad");
            run.settings.push_back(sum);
        }
        return run;
    }

    QueueSetting fifo(const std::string& name, std::int64_t part) const {
        const bool between = e2e_queues_.contains(name), kept = part == 1 && kept_.contains(name);
        QueueSetting s;
        s.queue = name;
        s.prologue = literal(0);
        s.epilogue = literal(0);
        s.zero = literal(0);
        const bool fixed = between && options_.dynamic_queues;
        const bool saved = saved_.contains(name);
        s.rd_ptr_local = variable(fixed ? "$c_zero" : saved ? "$lptr_saved" : between ? "$lptr_e2e" : "$lptr");
        s.rd_ptr_global = variable(fixed           ? "$c_zero"
                                   : saved && kept ? "$gptr_saved_kept"
                                   : saved         ? "$gptr_saved"
                                   : between       ? "$gptr_e2e"
                                   : kept          ? "$gptr_kept"
                                                   : "$gptr");
        return s;
    }
    static QueueSetting ram(const std::string& name, bool held) {
        QueueSetting s;
        s.queue = name;
        s.prologue = literal(held ? 1 : 0);
        s.epilogue = literal(0);
        s.zero = literal(0);
        s.rd_ptr_global = variable("$c_zero");
        s.wr_ptr_global = variable("$c_zero");
        return s;
    }

    const Graph& graph_;
    const Schedule& schedule_;
    std::int64_t microbatch_, channels_;
    const ChipParams& chip_;
    ChoiceCache* cache_;
    EmitOptions options_;
    std::vector<std::int64_t> chip_of_;                    // per epoch
    std::vector<DramAllocator> dram_;                      // per chip
    std::vector<std::int64_t> parts_of_;                   // per node
    std::vector<std::int64_t> epoch_part_;                 // per epoch
    std::map<std::int64_t, std::int64_t> iterations_;      // of parts that loop
    std::map<std::size_t, std::set<std::string>> states_;  // of loops, by the epoch that writes them
    std::map<std::string, std::string> state_queues_;      // by the output that writes them
    bool training_ = false;                                // whether there is a backward program
    std::map<std::size_t, std::set<std::string>>
        gradients_;                  // rams of summed gradients, by the epoch that adds to them
    std::set<std::string> kept_;     // queues that the forward program reads and the backward program frees
    std::set<std::string> saved_;    // queues between ops that the backward program reads
    std::uint64_t host_cursor_ = 0;  // bytes of host memory in use
    EmittedModel result_;
    std::set<std::string> names_;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>,
             std::shared_ptr<const FusedDefinition>>
        fused_;                         // by program and blocks
    std::set<std::string> e2e_queues_;  // queues between ops
    std::vector<std::pair<std::string, QueueUse>> uses_;
    std::vector<std::vector<const PlacedOp*>> readers_;                 // of each value, in order
    std::map<std::pair<ValueId, std::int64_t>, std::string> queue_of_;  // value and the chip that reads it
    std::map<std::pair<ValueId, std::size_t>, std::string> parts_;      // node and operand -> queue
};

}  // namespace

EmittedModel emit(const Graph& graph, const Schedule& schedule, const OpBudget& budget, const EmitOptions& options) {
    const TimedPhase timed("emit");
    const auto emitted = [&](const EmitOptions& way) {
        EmittedModel made = Emitter(graph, schedule, budget, way).run();
        made.dynamic_queues = way.dynamic_queues;
        return made;
    };
    try {
        return emitted(options);
    } catch (const DramFull&) {
        const bool training = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                          [](const Node& node) { return node.phase != Phase::Forward; });
        if (options.dynamic_queues || training) throw;  // saved queues live from one program to the next
        EmitOptions sharing = options;
        sharing.dynamic_queues = true;
        return emitted(sharing);
    }
}

}  // namespace ttsim::impl::ir
