#include "netlist/program/queue_state.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl {

static std::int64_t modulo(std::int64_t a, std::int64_t n) {
    const std::int64_t m = a % n;
    return m < 0 ? m + n : m;
}

std::int64_t QueueAccess::read(std::int64_t input) const {
    const std::int64_t steps = prologue ? 0 : input * read_step;
    if (ram) return modulo(read_first + steps, entries);
    // A queue of one entry holds the same entry for all inputs of an execute, unless each input pops it.
    return entries == 1 && pop_step == 0 ? read_first : read_first + steps;
}

std::int64_t QueueAccess::write(std::int64_t input) const {
    const std::int64_t at = write_first + (epilogue ? 0 : input * write_step);
    return ram ? modulo(at, entries) : at;
}

void QueuePointers::reset() {
    popped_ = pushed_ = last_read_global_ = ram_read_ = ram_write_ = 0;
    rewound_ = chip_popped_ = false;
}

/// Returns whether the pointer was elsewhere.
bool QueuePointers::set_read_global(std::int64_t value) {
    const std::int64_t entries = queue_->entries;
    last_read_global_ = value;
    const std::int64_t back = modulo(popped_ - value, entries);
    if (back == 0) return false;
    // A program that resets its pointers returns to entries still in memory; otherwise it skips entries.
    if (popped_ - back >= std::max<std::int64_t>(0, pushed_ - entries)) {
        popped_ -= back;
        rewound_ = true;
    } else {
        popped_ += entries - back;
    }
    return true;
}

QueueAccess QueuePointers::launch(const QueueLaunch* settings, bool read, bool written, std::int64_t input_count) {
    QueueAccess access;
    access.queue = queue_;
    access.ram = queue_->type == QueueType::Ram;
    access.entries = queue_->entries;
    if (settings) {
        access.prologue = settings->prologue;
        access.epilogue = settings->epilogue;
        access.zero = settings->zero;
    }
    if (access.ram) {
        if (settings && settings->has_read_global) ram_read_ = settings->read_global % access.entries;
        if (settings && settings->has_write_global) ram_write_ = settings->write_global % access.entries;
        access.read_first = ram_read_;
        access.write_first = ram_write_;
        access.read_step = settings ? settings->pop_step : 0;
        access.write_step = settings ? settings->write_step : 0;
        return access;
    }
    if (settings && settings->has_read_global) access.jumped = set_read_global(settings->read_global);
    if (read) {
        const std::int64_t local = settings && settings->has_read_local ? settings->read_local : popped_;
        access.read_first = popped_ + modulo(local - popped_, access.entries);
        access.read_step = settings ? settings->read_step : 1;
        access.pop_step = settings ? settings->pop_step : 0;
    }
    if (written) {
        access.write_first = pushed_;
        access.write_step = settings ? settings->write_step : 1;
        pushed_ += access.epilogue ? access.write_step : access.write_step * input_count;
    }
    return access;
}

void QueuePointers::move(Pointer pointer, std::int64_t value) {
    if (queue_->type == QueueType::Ram) {
        if (pointer == Pointer::ReadGlobal) ram_read_ = modulo(value, queue_->entries);
        if (pointer == Pointer::WriteGlobal) ram_write_ = modulo(value, queue_->entries);
        return;
    }
    if (pointer != Pointer::ReadGlobal || value == last_read_global_) return;
    const std::int64_t forward = modulo(value - last_read_global_, queue_->entries);
    // Either a full wrap-around, or the program tracks automatic pops with a variable that wraps at the number of
    // entries.
    popped_ += forward == 0 && !chip_popped_ ? queue_->entries : forward;
    last_read_global_ = value;
    chip_popped_ = false;
}

void QueuePointers::finish(const QueueAccess& access, std::int64_t input_count) {
    if (access.ram) {
        ram_read_ = modulo(ram_read_ + access.read_step * input_count, queue_->entries);
        ram_write_ = modulo(ram_write_ + access.write_step * input_count, queue_->entries);
    } else {
        popped_ += access.pop_step * input_count;
        last_read_global_ = modulo(last_read_global_ + access.pop_step * input_count, 2 * queue_->entries);
        chip_popped_ = chip_popped_ || access.pop_step != 0;
    }
}

std::vector<QueueUse> queue_uses(const Netlist& netlist, const Graph& graph) {
    std::vector<QueueUse> uses;
    std::map<const Queue*, std::size_t> seen;
    const auto use = [&](const Queue& queue) -> QueueUse& {
        const auto [it, fresh] = seen.try_emplace(&queue, uses.size());
        if (fresh) uses.push_back({.queue = &queue});
        return uses[it->second];
    };
    std::set<const Queue*> written;  // of one vector, and so in file order
    for (const Op& op : graph.ops) {
        for (const std::string& input : op.inputs)
            if (const Queue* queue = netlist.find_queue(input)) use(*queue).read = true;
        for (const Queue* queue : netlist.written_by(op.name())) written.insert(queue);
    }
    for (const Queue* queue : written) use(*queue).written = true;
    return uses;
}

// --- temporal epochs -----------------------------------------------------------------------------------------------

/// Graphs joined by op-to-op edges, each list in file order.
static std::map<const Graph*, std::vector<const Graph*>> find_epochs(const Netlist& netlist) {
    std::map<std::string_view, std::size_t> graph_of_op;
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g)
        for (const Op& op : netlist.graphs[g].ops) graph_of_op[op.name()] = g;
    std::vector<std::size_t> root(netlist.graphs.size());
    for (std::size_t g = 0; g < root.size(); ++g) root[g] = g;
    const auto find = [&](std::size_t g) {
        while (root[g] != g) g = root[g] = root[root[g]];
        return g;
    };
    for (std::size_t g = 0; g < netlist.graphs.size(); ++g)
        for (const Op& op : netlist.graphs[g].ops)
            for (const std::string& input : op.inputs)
                if (const auto it = graph_of_op.find(input); it != graph_of_op.end()) root[find(it->second)] = find(g);
    std::map<std::size_t, std::vector<const Graph*>> members;
    for (std::size_t g = 0; g < root.size(); ++g) members[find(g)].push_back(&netlist.graphs[g]);
    std::map<const Graph*, std::vector<const Graph*>> epochs;
    for (const auto& [_, list] : members)
        for (const Graph* graph : list) epochs[graph] = list;
    return epochs;
}

EpochStream::EpochStream(const Netlist& netlist, std::vector<ProgramCall> calls,
                         std::optional<std::int64_t> inputs_count)
    : netlist_(&netlist),
      runner_(netlist, std::move(calls)),
      inputs_count_(inputs_count),
      epoch_of_(find_epochs(netlist)) {}

bool EpochStream::may_launch(const Graph& graph) const {
    const auto has = [&](const ExecuteCommand& command) { return command.graph == &graph; };
    if (std::any_of(waiting_.begin(), waiting_.end(), has)) return true;
    for (std::size_t k = ready_at_; k < ready_.size(); ++k)
        if (const auto* launch = std::get_if<EpochLaunch>(&ready_[k]))
            if (std::any_of(launch->members.begin(), launch->members.end(), has)) return true;
    return runner_.may_execute(graph);
}

void EpochStream::gather(const ExecuteCommand& execute) {
    for (const ExecuteCommand& earlier : waiting_)
        if (earlier.graph == execute.graph)
            fail_input(execute.loc, "graph '{}' is executed again before the graphs it streams to or from have run",
                       execute.graph->name);
    waiting_.push_back(execute);
    // Launch if all members of the epoch were executed.
    const auto& epoch = epoch_of_.at(execute.graph);
    EpochLaunch launch;
    for (const Graph* member : epoch)
        for (const ExecuteCommand& command : waiting_)
            if (command.graph == member) launch.members.push_back(command);
    if (launch.members.size() < epoch.size()) return;
    for (const ExecuteCommand& member : launch.members)
        if (member.graph->input_count != launch.input_count())
            fail_input(member.loc, "graphs '{}' and '{}' stream into each other but have input counts {} and {}",
                       launch.members.front().graph->name, member.graph->name, launch.input_count(),
                       member.graph->input_count);
    launch.inputs = inputs_count_ ? std::min(*inputs_count_, launch.input_count()) : launch.input_count();
    std::erase_if(waiting_, [&](const ExecuteCommand& command) {
        return std::find(epoch.begin(), epoch.end(), command.graph) != epoch.end();
    });
    ready_.emplace_back(std::move(launch));
}

bool EpochStream::next(EpochCommand& command) {
    while (ready_at_ == ready_.size()) {
        ready_.clear();
        ready_at_ = 0;
        Command raw;
        if (!runner_.next(raw)) {
            if (waiting_.empty()) return false;
            const ExecuteCommand& incomplete = waiting_.front();
            fail_input(incomplete.loc, "graph '{}' streams to or from graphs that are never executed with it",
                       incomplete.graph->name);
        }
        if (const auto* execute = std::get_if<ExecuteCommand>(&raw)) {
            gather(*execute);
        } else {
            // Pointer moves between the members of an epoch take effect after it.
            EpochCommand other = std::holds_alternative<MovePointerCommand>(raw)
                                     ? EpochCommand(std::get<MovePointerCommand>(raw))
                                     : EpochCommand(std::get<AllocateCommand>(raw));
            (waiting_.empty() ? ready_ : held_).push_back(std::move(other));
        }
        if (waiting_.empty() && !held_.empty()) {
            ready_.insert(ready_.end(), held_.begin(), held_.end());
            held_.clear();
        }
    }
    command = std::move(ready_[ready_at_++]);
    return true;
}

// --- forecast ------------------------------------------------------------------------------------------------------

const std::vector<QueueUse>& PointerTable::uses(const Graph& graph) {
    const auto it = uses_.find(&graph);
    return it != uses_.end() ? it->second : uses_.emplace(&graph, queue_uses(*netlist_, graph)).first->second;
}

std::map<const Queue*, QueueAccess> PointerTable::launch(const EpochLaunch& launch) {
    std::map<const Queue*, QueueAccess> accesses;
    for (const ExecuteCommand& member : launch.members)
        for (const QueueUse& use : uses(*member.graph)) {
            const auto settings = std::find_if(member.queues.begin(), member.queues.end(),
                                               [&](const QueueLaunch& q) { return q.queue == use.queue; });
            const QueueAccess access = at(*use.queue)
                                           .launch(settings == member.queues.end() ? nullptr : &*settings, use.read,
                                                   use.written, launch.input_count());
            const auto [it, fresh] = accesses.try_emplace(use.queue, access);
            if (fresh) continue;
            // Two members share the queue: one writes it, the other reads it.
            QueueAccess& both = it->second;
            both.jumped = both.jumped || access.jumped;
            if (use.written) {
                both.write_first = access.write_first;
                both.write_step = access.write_step;
            }
            if (use.read) {
                both.read_first = access.read_first;
                both.read_step = access.read_step;
                both.pop_step = access.pop_step;
                both.prologue = access.prologue;
            }
        }
    return accesses;
}

void PointerTable::finish(const std::map<const Queue*, QueueAccess>& accesses, std::int64_t input_count) {
    for (const auto& [queue, access] : accesses) at(*queue).finish(access, input_count);
}

void PointerTable::allocate(const AllocateCommand& command) {
    if (command.allocate) at(*command.queue).reset();
}

namespace {
class Forecaster {
public:
    Forecaster(const Netlist& netlist, std::optional<std::int64_t> inputs_count)
        : netlist_(netlist), pointers_(netlist), sparse_(inputs_count.has_value()) {}

    void apply(const EpochCommand& command) {
        if (const auto* launch = std::get_if<EpochLaunch>(&command))
            run(*launch);
        else if (const auto* move = std::get_if<MovePointerCommand>(&command))
            pointers_.move(*move);
        else
            pointers_.allocate(std::get<AllocateCommand>(command));
    }

    Forecast finish() {
        for (auto& [queue, per] : result_.queues) {
            per.rewound = pointers_.at(*queue).rewound();
            if (!queue->host_fed()) continue;
            if (!sparse_ && queue->type == QueueType::Queue)
                for (std::int64_t n = 0; n < per.entries; ++n) reads_[queue].insert(n);
            per.host.assign(reads_[queue].begin(), reads_[queue].end());
        }
        return std::move(result_);
    }

private:
    void run(const EpochLaunch& launch) {
        ++result_.launches;
        result_.inputs += launch.inputs;
        result_.most_inputs = std::max(result_.most_inputs, launch.inputs);
        const auto accesses = pointers_.launch(launch);
        for (const ExecuteCommand& member : launch.members)
            for (const QueueUse& use : pointers_.uses(*member.graph))
                touch(member, use, accesses.at(use.queue), launch.inputs);
        pointers_.finish(accesses, launch.input_count());
    }

    void touch(const ExecuteCommand& member, const QueueUse& use, const QueueAccess& access, std::int64_t inputs) {
        Forecast::PerQueue& per = result_.queues[use.queue];
        if (use.read && use.queue->host_fed()) read_host(member, *use.queue, access, inputs);
        if (use.read && !use.queue->alias.empty()) read_view(*use.queue, access, inputs);
        if (use.read) per.entries = std::max(per.entries, access.read(0) + 1);
        if (use.written) per.entries = std::max(per.entries, access.write(inputs - 1) + 1);
    }

    void read_host(const ExecuteCommand& member, const Queue& queue, const QueueAccess& access, std::int64_t inputs) {
        Forecast::PerQueue& per = result_.queues[&queue];
        const std::int64_t popped = pointers_.at(queue).popped();
        const std::int64_t distinct = access.prologue || access.read_step == 0 ? 1 : inputs;
        for (std::int64_t n = 0; n < distinct; ++n) {
            const std::int64_t entry = access.read(n);
            const std::int64_t free_by_then = popped + n * access.pop_step;
            if (!access.ram && entry - free_by_then >= queue.entries)
                fail_input(
                    member.loc,
                    "graph '{}' reads entry {} of queue '{}', but only {} entries fit and none before entry {} is "
                    "popped by then",
                    member.graph->name, entry, queue.name, queue.entries, free_by_then);
            reads_[&queue].insert(entry);
            per.entries = std::max(per.entries, entry + 1);
        }
    }

    /// Records the slots of a host-filled ram that an alias reads.
    void read_view(const Queue& view, const QueueAccess& access, std::int64_t inputs) {
        const Queue* base = netlist_.find_queue(view.alias);
        if (!base->host_fed()) return;
        const std::int64_t ratio = base->entries / view.entries;
        for (std::int64_t n = 0; n < inputs; ++n)
            for (std::int64_t i = 0; i < ratio; ++i) {
                const std::int64_t slot = access.read(n) * ratio + i;
                reads_[base].insert(slot);
                Forecast::PerQueue& per = result_.queues[base];
                per.entries = std::max(per.entries, slot + 1);
            }
    }

    const Netlist& netlist_;
    PointerTable pointers_;
    bool sparse_;
    Forecast result_;
    std::map<const Queue*, std::set<std::int64_t>> reads_;
};
}  // namespace

Forecast forecast(const Netlist& netlist, const std::vector<ProgramCall>& calls,
                  std::optional<std::int64_t> inputs_count) {
    EpochStream stream(netlist, calls, inputs_count);
    Forecaster forecaster(netlist, inputs_count);
    EpochCommand command;
    while (stream.next(command)) forecaster.apply(command);
    return forecaster.finish();
}

}  // namespace ttsim::impl
