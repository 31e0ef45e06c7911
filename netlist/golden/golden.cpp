#include "netlist/golden/golden.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>

#include "kernels/ops/golden_result.hpp"
#include "kernels/ops/integer_bits.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/golden/launch_group.hpp"
#include "netlist/golden/tm_tensor.hpp"

namespace ttsim::impl {

using Slots = std::map<std::int64_t, GoldenValue>;

/// A launch in progress: the accesses of every queue, and the values of the current input.
struct GoldenLaunchState {
    std::map<const Queue*, QueueAccess> access;
    std::vector<const Op*> order;
    std::map<std::string_view, GoldenValue> values;  // of queues and ops
    std::map<std::string_view, std::int64_t> uses_left;
    std::map<const Op*, GoldenValue> gradients;  // accumulated inside an execute
    std::map<std::pair<const Queue*, std::int64_t>, GoldenValue>
        cached_host_entries;                       // cached host entries that several inputs read
    std::map<const Queue*, GoldenValue> resident;  // rams in prologue, as first read
    std::int64_t cached_elements = 0, inputs = 1, first_input = 0;
};

namespace {

bool coarse(DataFormat format) { return info(format).block_float && info(format).magnitude_bits < 7; }

/// The vendor's reference requantizes only the coarsest formats, and Float32 operands if the chip has Tf32.
void requantize(DataFormat format, bool tf32, Tensor& tensor) {
    const MatrixView all{tensor.data.data(), tensor.z * tensor.rows, tensor.cols, tensor.cols};
    if (coarse(format)) host_convert(format, all, BlockRounding::Truncate);
    if (tf32 && format == DataFormat::Float32) host_convert(DataFormat::Tf32, all, BlockRounding::Truncate);
}

/// One op on one input. Operands with TMs or rounding are copied, by a few slices at a time if possible, so that a
/// broadcast is never complete in memory.
class OpGolden {
public:
    OpGolden(const GoldenOptions& options, const Op& op, const std::vector<GoldenValue>& in, std::int64_t input)
        : options_(options), op_(op), def_(*find_op(op.cfg.type)), input_(input) {
        decoded_.resize(in.size());
        tm_operands_.reserve(in.size());
        for (std::size_t k = 0; k < in.size(); ++k) {
            if (in[k].host) decoded_[k] = options.host_entry(*in[k].host, in[k].entry);
            operands_.push_back(in[k].host ? &decoded_[k] : in[k].tensor.get());
            // in_tile applies after transposes; TMs start from the producer's tile.
            TileDim tile = op.tms[k].empty() ? TileDim{} : op.cfg.in_tile[k];
            if (transposes_tiles(op.tms[k])) std::swap(tile.h, tile.w);
            tm_operands_.emplace_back(*operands_[k], op.tms[k], tile);
        }
    }

    Tensor run() {
        Tensor result;
        run(0, [&](std::int64_t z, Tensor part_result) {
            if (part_result.z == op_.cfg.out.t) {
                result = std::move(part_result);
                return;
            }
            if (z == 0) result = Tensor(op_.cfg.out.shape(), op_.cfg.tile);
            std::copy(part_result.data.begin(), part_result.data.end(), result.slice(z).data);
        });
        return result;
    }

    /// As run(), but in parts if possible; calls `consume` with each part and its first slice.
    void run_in_parts(const std::function<void(std::int64_t, Tensor)>& consume) {
        run(op_.cfg.out.shape().tiles() / op_.cfg.out.t * op_.cfg.tile.elements(), consume);
    }

private:
    bool becomes_floats(std::size_t k) const { return is_stored_as_bits(op_.cfg.in_df[k]) && !keeps_integers(op_.cfg); }
    bool rounds(std::size_t k) const {
        const DataFormat df = op_.cfg.in_df[k];
        return rounds_to_formats(options_.numerics) && (coarse(df) || (options_.tf32 && df == DataFormat::Float32));
    }
    bool is_copied(std::size_t k) const { return !op_.tms[k].empty() || rounds(k) || becomes_floats(k); }

    template <class Consume>
    void run(std::int64_t kept_elements, Consume&& consume) {
        const std::int64_t all = op_.cfg.out.t, limit = slices_at_once(kept_elements);
        if (limit >= all) return consume(0, part(op_.cfg, 0, all));
        for (std::int64_t z = 0; z < all; z += limit) {
            OpConfig cfg = op_.cfg;
            cfg.out.t = std::min(limit, all - z);
            for (TileShape& in : cfg.in) in.z = in.z / all * cfg.out.t;
            consume(z, part(cfg, z, cfg.out.t));
        }
    }

    /// Slices of the result to compute at once, so that operand copies and the kept `elements` per slice stay small;
    /// all slices if there are neither.
    std::int64_t slices_at_once(std::int64_t elements) {
        const std::int64_t all = op_.cfg.out.t;
        bool copies = elements > 0;
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            if (tm_operands_[k].z() % all != 0 || op_.cfg.in[k].z != tm_operands_[k].z()) return all;
            elements += tm_operands_[k].z() / all * tm_operands_[k].slice_elements();
        }
        for (std::size_t k = 0; k < operands_.size(); ++k) copies = copies || is_copied(k);
        return copies && golden_splits_by_slice(op_.cfg)
                   ? std::clamp(options_.max_copied_elements / std::max<std::int64_t>(1, elements), std::int64_t{1},
                                all)
                   : all;
    }

    /// Computes `count` slices of the result from slice `first` on.
    Tensor part(const OpConfig& cfg, std::int64_t first, std::int64_t count) {
        const std::int64_t all = op_.cfg.out.t;
        std::vector<Tensor> part_result;
        std::vector<const Tensor*> operands = operands_;
        part_result.reserve(operands_.size());
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            if (count == all && !is_copied(k)) continue;
            if (count == all) {
                part_result.push_back(tm_operands_[k].all());
                decoded_[k] = {};  // only the copy is needed
            } else {
                const std::int64_t group = tm_operands_[k].z() / all;
                part_result.push_back(tm_operands_[k].slices(first * group, count * group));
            }
            if (becomes_floats(k)) integers_to_floats(part_result.back());
            if (rounds(k)) requantize(op_.cfg.in_df[k], options_.tf32, part_result.back());
            operands[k] = &part_result.back();
        }
        if (!draws_random(cfg)) return def_.golden(cfg, operands);
        OpConfig drawn = cfg;
        drawn.random.input = input_;
        return def_.golden(drawn, operands);
    }

    const GoldenOptions& options_;
    const Op& op_;
    const OpDef& def_;
    std::int64_t input_;  // number in the run
    std::vector<Tensor> decoded_;
    std::vector<const Tensor*> operands_;
    std::vector<TmTensor> tm_operands_;
};

/// Limit of cached host entries of a launch: 1 GiB of floats.
constexpr std::int64_t max_cached_elements = std::int64_t{1} << 28;

}  // namespace

struct Golden::Impl {
    const Netlist& netlist;
    const Forecast& forecast;
    GoldenOptions options;
    ThreadPool& pool;
    PointerTable pointers;
    std::map<const Queue*, Slots> store;
    std::map<const Queue*, bool> read_by_graph;
    std::map<std::string_view, std::vector<const Queue*>> fed_by;
    std::int64_t inputs_done = 0;
    std::map<const Op*, std::int64_t> computed;  // number of results so far, for options.op_result

    Impl(const Netlist& n, const Forecast& f, GoldenOptions o, ThreadPool& p)
        : netlist(n), forecast(f), options(std::move(o)), pool(p), pointers(n), group(n) {
        for (const Graph& graph : netlist.graphs) {
            for (const QueueUse& use : pointers.uses(graph))
                if (use.read) read_by_graph[use.queue] = true;
        }
        for (const Queue& queue : netlist.queues)
            if (!queue.from_host()) fed_by[queue.input].push_back(&queue);
    }

    // --- memory ------------------------------------------------------------------------------------------------

    /// An alias is a view of its base: slot k is base slots k*n .. k*n+n-1 along z.
    std::pair<const Queue*, std::int64_t> base_of(const Queue& queue) const {
        if (queue.alias.empty()) return {&queue, 1};
        const Queue* base = netlist.find_queue(queue.alias);
        return {base, base->entries / queue.entries};
    }

    GoldenValue zeros(const Queue& queue) const {
        return {{}, std::make_shared<Tensor>(queue.shape(), queue.tile), nullptr, 0};
    }

    GoldenValue read_slot(const Queue& queue, std::int64_t n) {
        const auto [base, ratio] = base_of(queue);
        if (ratio == 1) {
            const Slots& slots = store[base];
            if (const auto it = slots.find(n); it != slots.end()) return it->second;
            return filled_by_host(*base, n) ? host_entry(*base, n) : zeros(*base);
        }
        std::vector<GoldenValue> parts;
        std::vector<Task> after;
        for (std::int64_t i = 0; i < ratio; ++i) {
            parts.push_back(read_slot(*base, n * ratio + i));
            after.push_back(parts.back().task);
        }
        auto joined = std::make_shared<Tensor>(queue.shape(), queue.tile);
        const Task task = pool.submit(
            [joined, parts] {
                auto to = joined->data.begin();
                for (const GoldenValue& part : parts)
                    to = std::copy(part.tensor->data.begin(), part.tensor->data.end(), to);
            },
            after);
        return {task, joined, nullptr, 0};
    }

    void write_slot(const Queue& queue, std::int64_t n, const GoldenValue& value) {
        const auto [base, ratio] = base_of(queue);
        if (ratio == 1) {
            store[base][n] = value;
            return;
        }
        const Queue* to = base;
        for (std::int64_t i = 0; i < ratio; ++i) {
            auto part = std::make_shared<Tensor>(to->shape(), to->tile);
            const Task task = pool.submit(
                [part, value, i] {
                    const auto size = static_cast<std::ptrdiff_t>(part->data.size());
                    std::copy_n(value.tensor->data.begin() + i * size, size, part->data.begin());
                },
                {value.task});
            store[to][n * ratio + i] = {task, part, nullptr, 0};
        }
    }

    bool filled_by_host(const Queue& queue, std::int64_t n) const {
        const auto known = forecast.queues.find(&queue);
        return known != forecast.queues.end() &&
               std::binary_search(known->second.host.begin(), known->second.host.end(), n);
    }

    GoldenValue host_entry(const Queue& queue, std::int64_t n) {
        auto tensor = std::make_shared<Tensor>();
        const Task task = pool.submit([this, &queue, n, tensor] { *tensor = options.host_entry(queue, n); });
        return {task, tensor, nullptr, 0};
    }

    GoldenValue read(GoldenLaunchState& launch, const Queue& queue, std::int64_t input) {
        const QueueAccess& access = launch.access.at(&queue);
        const std::int64_t n = access.read(input);
        const bool overwritten = store[&queue].contains(n);  // through an alias
        const bool is_reused = launch.inputs > 1 && (access.prologue || access.read_step == 0 || queue.entries == 1);
        if (filled_by_host(queue, n) && !overwritten) {
            if (const auto it = launch.cached_host_entries.find({&queue, n}); it != launch.cached_host_entries.end())
                return it->second;
            const std::int64_t elements = queue.shape().tiles() * queue.tile.elements();
            if (!is_reused || launch.cached_elements + elements > max_cached_elements) return {{}, nullptr, &queue, n};
            launch.cached_elements += elements;
            return launch.cached_host_entries[{&queue, n}] = host_entry(queue, n);
        }
        if (const auto known = launch.resident.find(&queue); known != launch.resident.end()) return known->second;
        if (queue.type == QueueType::Queue && !store[&queue].contains(n))
            fail_input(queue.loc, "queue '{}' is read at slot {} (entry {}), which has not been written", queue.name,
                       n % queue.entries, n);
        if (!access.prologue) return read_slot(queue, n);
        // In the prologue the value read for the first input serves all inputs.
        return launch.resident[&queue] = read_slot(queue, n);
    }

    // --- execution ---------------------------------------------------------------------------------------------

    GoldenValue compute(const Op& op, std::vector<GoldenValue> in, const GoldenValue& previous, std::int64_t input) {
        std::vector<Task> after{previous.task};
        for (const GoldenValue& value : in) after.push_back(value.task);
        auto result = std::make_shared<Tensor>();
        const std::int64_t n = options.op_result ? computed[&op]++ : 0;
        const Task task = pool.submit(
            [this, &op, n, in = std::move(in), previous, result, input] {
                *result = OpGolden(options, op, in, input).run();
                finish_golden(op.cfg, previous.tensor.get(), *result);
                if (rounds_to_formats(options.numerics)) requantize(op.cfg.out_df, false, *result);
                if (options.op_result) call_op_result(op, n, {*result, 0, result->z});
            },
            after);
        return {task, result, nullptr, 0};
    }

    /// Passes floats to op_result, and converts changed values back.
    void call_op_result(const Op& op, std::int64_t n, const GoldenPart& part) {
        const bool bits = is_stored_as_bits(op.cfg.out_df);
        if (!bits) return options.op_result(op, n, part);
        Tensor floats = part.slices;
        integers_to_floats(floats);
        const std::vector<float> before = floats.data;
        options.op_result(op, n, {floats, part.first, part.z});
        if (floats.data == before) return;
        floats_to_integers(floats);
        part.slices = std::move(floats);
    }
    void send_to_sink(const Queue& queue, std::int64_t n, const GoldenPart& part) const {
        if (!is_stored_as_bits(queue.df)) return options.sink(queue, n, part);
        Tensor floats = part.slices;
        integers_to_floats(floats);
        options.sink(queue, n, {floats, part.first, part.z});
    }

    /// Whether a large result has only the sink as reader and can be computed in parts.
    bool is_computed_in_parts(GoldenLaunchState& launch, const Op& op) {
        const auto fed = fed_by.find(op.name());
        if (fed == fed_by.end() || op.cfg.gradient || launch.uses_left.contains(op.name())) return false;
        const TileDim full_tile;  // so that parts begin at the vendor's runs of values
        if (op.cfg.tile != full_tile || !golden_splits_by_slice(op.cfg)) return false;
        if (op.cfg.out.shape().tiles() * op.cfg.tile.elements() <= options.max_copied_elements) return false;
        return std::all_of(fed->second.begin(), fed->second.end(), [&](const Queue* queue) {
            return sinks(*queue) && queue->input_tms.empty() && !launch.access.at(queue).epilogue;
        });
    }

    void compute_in_parts(GoldenLaunchState& launch, const Op& op, std::vector<GoldenValue> in, std::int64_t input) {
        std::vector<Task> after;
        for (const GoldenValue& value : in) after.push_back(value.task);
        std::vector<std::pair<const Queue*, std::int64_t>> to;
        for (const Queue* queue : fed_by.at(op.name())) {
            to.emplace_back(queue, launch.access.at(queue).write(input));
            after.push_back(last_sink_task[queue]);
        }
        const std::int64_t n = options.op_result ? computed[&op]++ : 0;
        const Task task = pool.submit(
            [this, &op, n, in = std::move(in), to, number = launch.first_input + input] {
                OpGolden(options, op, in, number).run_in_parts([&](std::int64_t first, Tensor slices) {
                    finish_golden(op.cfg, nullptr, slices);
                    if (rounds_to_formats(options.numerics)) requantize(op.cfg.out_df, false, slices);
                    const GoldenPart part{slices, first, op.cfg.out.t};
                    if (options.op_result) call_op_result(op, n, part);
                    for (const auto& [queue, entry] : to) send_to_sink(*queue, entry, part);
                });
            },
            after);
        for (const auto& [queue, entry] : to) last_sink_task[queue] = task;
    }

    /// The producer of an operand: the op itself, or the op that feeds the FIFO.
    std::string_view feeder(const std::string& name) const {
        const Queue* queue = netlist.find_queue(name);
        return queue && queue->type == QueueType::Queue ? std::string_view(queue->input) : std::string_view(name);
    }

    std::vector<const Op*> topological(const EpochLaunch& launch) const {
        std::map<std::string_view, const Op*> pending;
        std::vector<const Op*> order, todo;
        for (const ExecuteCommand& member : launch.members)
            for (const Op& op : member.graph->ops) {
                pending[op.name()] = &op;
                todo.push_back(&op);
            }
        // Several passes in file order: real files list ops nearly in order, so few passes are needed.
        while (!todo.empty()) {
            std::vector<const Op*> later;
            for (const Op* op : todo) {
                const bool waits = std::any_of(op->inputs.begin(), op->inputs.end(),
                                               [&](const std::string& name) { return pending.contains(feeder(name)); });
                if (waits) {
                    later.push_back(op);
                } else {
                    order.push_back(op);
                    pending.erase(op->name());
                }
            }
            if (later.size() == todo.size()) {  // only feedback FIFOs are left: their entries are from earlier inputs
                order.push_back(later.front());
                pending.erase(later.front()->name());
                later.erase(later.begin());
            }
            todo = std::move(later);
        }
        return order;
    }

    /// Rams filled by ops may be overwritten by this input, so they are read first. Others are read when needed, to
    /// save memory.
    bool reads_early(const Queue& queue) {
        return queue.type == QueueType::Ram && (!queue.host_fed() || !store[&queue].empty());
    }

    void begin_input(GoldenLaunchState& launch, std::int64_t input) {
        // A ram is read at the start of an input, before the writes of that input.
        launch.values.clear();
        for (const Op* op : launch.order)
            for (const std::string& name : op->inputs)
                if (const Queue* queue = netlist.find_queue(name);
                    queue && !launch.values.contains(name) && reads_early(*queue))
                    launch.values[name] = read(launch, *queue, input);
        launch.uses_left.clear();
        for (const Op* op : launch.order)
            for (const std::string& name : op->inputs) ++launch.uses_left[name];
    }

    void run_op(GoldenLaunchState& launch, const Op& op, std::int64_t input) {
        auto& values = launch.values;
        std::vector<GoldenValue> in;
        for (const std::string& name : op.inputs) {
            if (!values.contains(name)) values[name] = read(launch, *netlist.find_queue(name), input);
            in.push_back(values.at(name));
        }
        if (is_computed_in_parts(launch, op)) {
            compute_in_parts(launch, op, std::move(in), input);
        } else {
            const GoldenValue previous = op.cfg.gradient ? gradient_base(launch, op, input) : GoldenValue{};
            const GoldenValue result = compute(op, std::move(in), previous, launch.first_input + input);
            if (launch.uses_left.contains(op.name())) values[op.name()] = result;
            if (op.cfg.gradient) launch.gradients[&op] = result;
            if (const auto it = fed_by.find(op.name()); it != fed_by.end())
                for (const Queue* queue : it->second) write(launch, *queue, input, result);
        }
        for (const std::string& name : op.inputs)
            if (--launch.uses_left[name] == 0) values.erase(name);
        // Limits pending tasks to limit memory.
        while (pool.pending() > 24 && pool.help()) {
        }
    }

    GoldenValue gradient_base(GoldenLaunchState& launch, const Op& op, std::int64_t input) {
        const Queue* queue = fed_by.at(op.name()).front();
        const QueueAccess& access = launch.access.at(queue);
        if (const auto it = launch.gradients.find(&op);
            it != launch.gradients.end() && (access.epilogue || access.write_step == 0))
            return it->second;
        if (input == 0 && access.zero) return zeros(*queue);
        return read_slot(*queue, access.write(input));
    }

    void write(GoldenLaunchState& launch, const Queue& queue, std::int64_t input, const GoldenValue& result) {
        const QueueAccess& access = launch.access.at(&queue);
        if (access.epilogue && input + 1 < launch.inputs) return;
        GoldenValue written = result;
        if (!queue.input_tms.empty()) {
            auto moved = std::make_shared<Tensor>();
            const Task task = pool.submit(
                [moved, result, &queue] { *moved = apply_tms(*result.tensor, queue.input_tms, queue.tile); },
                {result.task});
            written = {task, moved, nullptr, 0};
        }
        const std::int64_t n = access.write(input);
        if (!sinks(queue)) return write_slot(queue, n, written);
        Task& previous_task = last_sink_task[&queue];
        previous_task = pool.submit(
            [this, &queue, n, value = written.tensor] {
                send_to_sink(queue, n, {*value, 0, value->z});
            },
            {written.task, previous_task});
    }

    bool sinks(const Queue& queue) { return options.sink && queue.type == QueueType::Queue && !read_by_graph[&queue]; }

    std::map<const Queue*, Task> last_sink_task;  // per queue, to keep its entries in order

    GoldenLaunchState begin_launch(const EpochLaunch& command, std::map<const Queue*, QueueAccess> access) {
        GoldenLaunchState state;
        state.access = std::move(access);
        state.order = topological(command);
        state.inputs = command.inputs;
        state.first_input = command.first_input();
        return state;
    }

    // --- launches that advance together ------------------------------------------------------------------------

    LaunchGroup group;
    std::deque<GoldenLaunchState> states;  // of the group's members
    std::set<const Queue*> accessed;       // by the group, and those whose pointers moved meanwhile

    void add_launch(const EpochLaunch& command) {
        LaunchGroup::Uses uses;
        for (const ExecuteCommand& member : command.members) uses.push_back(&pointers.uses(*member.graph));
        if (!group.accepts(command, uses)) run_group();
        states.push_back(begin_launch(command, pointers.launch(command)));
        const std::map<const Queue*, QueueAccess>& access = states.back().access;
        group.add(command, std::move(uses), access);
        pointers.finish(access, command.input_count());
        for (const auto& [queue, _] : access) accessed.insert(queue);
    }

    void run_group() {
        // Values of rams are decoded anew each time that a launch goes on, so it goes on for several inputs.
        constexpr std::int64_t least_inputs = 4;
        const std::int64_t passed = group.passed_elements();
        const std::int64_t count = passed == 0 ? std::numeric_limits<std::int64_t>::max()
                                               : std::max(least_inputs, options.max_passed_elements / passed);
        while (!group.done())
            for (std::size_t k = 0; k < group.size(); ++k) advance(k, count);
        group.clear();
        states.clear();
        for (const Queue* queue : accessed) discard_popped(*queue);
        accessed.clear();
    }

    /// Runs up to `count` inputs of a launch, as long as it does not wait for an earlier one.
    void advance(std::size_t k, std::int64_t count) {
        LaunchGroup::Member& member = group.at(k);
        GoldenLaunchState& state = states[k];
        if (member.done()) return;
        const auto has = [this](const Queue& queue, std::int64_t n) {
            return store[&queue].contains(n) || filled_by_host(queue, n);
        };
        for (; count > 0 && !member.done() && !group.waits(k, has); --count, ++member.next) {
            begin_input(state, member.next);
            for (const Op* op : state.order) run_op(state, *op, member.next);
            if (options.progress)
                options.progress(static_cast<double>(++inputs_done) /
                                 static_cast<double>(std::max<std::int64_t>(1, forecast.inputs)));
        }
        if (group.size() == 1) return;
        state.values.clear();
        state.cached_host_entries.clear();
        state.cached_elements = 0;
        for (const std::vector<QueueUse>* list : member.uses)
            for (const QueueUse& use : *list)
                if (use.read) discard_popped(*use.queue, group.first_needed(*use.queue));
    }

    /// Frees popped entries below `limit`, except of outputs without readers and of rewound queues.
    void discard_popped(const Queue& queue, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) {
        if (queue.type == QueueType::Ram || queue.host_fed() || !read_by_graph[&queue]) return;
        const auto known = forecast.queues.find(&queue);
        if (known != forecast.queues.end() && known->second.rewound) return;
        Slots& slots = store[&queue];
        slots.erase(slots.begin(), slots.lower_bound(std::min(limit, pointers.at(queue).popped())));
    }
};

Golden::Golden(const Netlist& netlist, const Forecast& forecast, GoldenOptions options, ThreadPool& pool)
    : impl_(std::make_unique<Impl>(netlist, forecast, std::move(options), pool)) {}

Golden::~Golden() = default;

void Golden::run(const std::vector<ProgramCall>& calls) {
    EpochStream stream(impl_->netlist, calls, impl_->options.inputs_count);
    EpochCommand command;
    while (stream.next(command)) {
        if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
            impl_->add_launch(*launch);
        } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
            impl_->pointers.move(*move);
            impl_->accessed.insert(move->queue);
        } else {
            impl_->run_group();
            impl_->pointers.allocate(std::get<AllocateCommand>(command));
        }
    }
    impl_->run_group();
    impl_->pool.wait_all();
}

static std::shared_ptr<Tensor> as_floats(const Queue& queue, std::shared_ptr<Tensor> value) {
    if (!is_stored_as_bits(queue.df)) return value;
    auto floats = std::make_shared<Tensor>(*value);
    integers_to_floats(*floats);
    return floats;
}

std::shared_ptr<Tensor> Golden::entry(const Queue& queue, std::int64_t n) {
    const auto [base, ratio] = impl_->base_of(queue);
    if (ratio == 1) {
        const Slots& slots = impl_->store[base];
        const auto it = slots.find(n);
        if (it == slots.end()) return nullptr;
        impl_->pool.wait(it->second.task);
        return as_floats(queue, it->second.tensor);
    }
    const Slots& parts = impl_->store[base];
    const auto first = parts.lower_bound(n * ratio);
    if (first == parts.end() || first->first >= (n + 1) * ratio) return nullptr;
    const GoldenValue value = impl_->read_slot(queue, n);
    impl_->pool.wait(value.task);
    return as_floats(queue, value.tensor);
}

// --- launch by launch ----------------------------------------------------------------------------------------------

namespace {
template <class Impl>
class SteppedLaunch : public GoldenLaunch {
public:
    SteppedLaunch(Impl& impl, GoldenLaunchState state) : impl_(impl), state_(std::move(state)) {}
    const std::vector<const Op*>& ops() const override { return state_.order; }
    void begin(std::int64_t input) override { impl_.begin_input(state_, input); }
    void run(std::size_t op, std::int64_t input) override { impl_.run_op(state_, *state_.order[op], input); }

private:
    Impl& impl_;
    GoldenLaunchState state_;
};
}  // namespace

std::unique_ptr<GoldenLaunch> Golden::launch(const EpochLaunch& launch, std::map<const Queue*, QueueAccess> access) {
    return std::make_unique<SteppedLaunch<Impl>>(*impl_, impl_->begin_launch(launch, std::move(access)));
}

void Golden::put(const Queue& queue, std::int64_t n, Tensor value) {
    impl_->write_slot(queue, n, {{}, std::make_shared<Tensor>(std::move(value)), nullptr, 0});
}

void Golden::forget(const Queue& fifo, std::int64_t below) {
    Slots& slots = impl_->store[&fifo];
    slots.erase(slots.begin(), slots.lower_bound(below));
}

}  // namespace ttsim::impl
