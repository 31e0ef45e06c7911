#include "sim/untimed/running_launch.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ttsim::impl::sim {

Fifos::Fifo& Fifos::fifo(const Queue& queue) {
    auto& slot = fifos_[&queue];
    if (!slot) slot = std::make_unique<Fifo>(queue, state_);
    return *slot;
}

void Fifos::clear(const Queue& queue) {
    Fifo& known = fifo(queue);
    known.memory.clear();
    known.host = HostCursor(known.memory);
}

RunningLaunch::RunningLaunch(RunState& state, Fifos& fifos, EpochLaunch launch, QueueAccesses access,
                             std::unique_ptr<UntimedLaunch> values, const std::vector<const RunningLaunch*>& launches)
    : state_(state),
      fifos_(fifos),
      launch_(std::move(launch)),
      access_(std::move(access)),
      values_(std::move(values)),
      launches_(launches) {
    for (const Op* op : values_->ops()) {
        OpState& made = ops_.emplace_back();
        made.launch = this;
        made.op = op;
    }
    if (state_.live) connect();
    readers_left_ = readers_;
    if (ops_.empty()) input_ = launch_.inputs;  // netlists may contain empty graphs
}

void RunningLaunch::connect() {
    std::unordered_map<std::string_view, OpState*> op_of;
    for (OpState& op : ops_) op_of[op.op->name()] = &op;
    std::unordered_map<std::string_view, const QueueAccess*> fifo_of;
    for (const auto& [queue, access] : access_) {
        if (access.ram) continue;
        fifo_of[queue->name] = &access;
        if (const auto writer = op_of.find(queue->input); writer != op_of.end())
            writer->second->writes.push_back(&access);
    }
    for (OpState& op : ops_) {
        const std::set<std::string_view> inputs(op.op->inputs.begin(), op.op->inputs.end());
        for (const std::string_view input : inputs) {
            if (const auto producer = op_of.find(input); producer != op_of.end())
                op.producers.push_back(producer->second);
            const auto fifo = fifo_of.find(input);
            if (fifo == fifo_of.end()) continue;
            op.reads.push_back(fifo->second);
            if (fifo->second->pop_step > 0) ++readers_[fifo->second->queue];
        }
    }
}

bool RunningLaunch::reads(const QueueAccess& access) const { return input_ == 0 || !access.prologue; }

bool RunningLaunch::writes(const QueueAccess& access) const { return !access.epilogue || input_ + 1 == launch_.inputs; }

bool RunningLaunch::can_run(const OpState& op) const {
    const auto missing = [this](const QueueAccess* read) {
        return reads(*read) && !fifos_.memory(*read->queue).complete(read->read(input_));
    };
    const auto full = [this](const QueueAccess* write) {
        return writes(*write) && !fifos_.memory(*write->queue).free_slot(write->write(input_));
    };
    return std::all_of(op.producers.begin(), op.producers.end(), [](const OpState* p) { return p->done; }) &&
           std::none_of(op.reads.begin(), op.reads.end(), missing) &&
           std::none_of(op.writes.begin(), op.writes.end(), full);
}

bool RunningLaunch::step() {
    if (over()) return false;
    if (!begun_) values_->begin(input_);
    begun_ = true;
    for (std::size_t o = first_open_; o < ops_.size(); ++o) {
        if (ops_[o].done || !can_run(ops_[o])) continue;
        values_->run(o, input_);
        finish(ops_[o]);
        return true;
    }
    return false;
}

void RunningLaunch::finish(OpState& op) {
    op.done = true;
    ++done_;
    for (const QueueAccess* write : op.writes) {
        if (!writes(*write)) continue;
        QueueMemory& memory = fifos_.memory(*write->queue);
        memory.begin(write->write(input_));
        memory.set_complete(write->write(input_));
    }
    for (const QueueAccess* read : op.reads) {
        if (read->pop_step == 0 || --readers_left_.at(read->queue) > 0) continue;
        QueueMemory& memory = fifos_.memory(*read->queue);
        memory.set_popped(memory.popped() + read->pop_step);
    }
    while (first_open_ < ops_.size() && ops_[first_open_].done) ++first_open_;
    if (first_open_ < ops_.size()) return;
    ++input_;
    begun_ = false;
    first_open_ = done_ = 0;
    readers_left_ = readers_;
    for (OpState& open : ops_) open.done = false;
}

double RunningLaunch::inputs_over() const {
    const double part = ops_.empty() ? 0 : static_cast<double>(done_) / static_cast<double>(ops_.size());
    return static_cast<double>(input_) + part;
}

// --- wait-for chains -----------------------------------------------------------------------------------------------

const Waiter* RunningLaunch::writer_of(const Queue& queue) const {
    for (const RunningLaunch* launch : launches_)
        for (const OpState& op : launch->ops_)
            if (op.op->name() == queue.input) return &op;
    return nullptr;
}

const Waiter* RunningLaunch::reader_of(const Queue& queue) const {
    for (const RunningLaunch* launch : launches_)
        for (const OpState& op : launch->ops_)
            for (const QueueAccess* read : op.reads)
                if (read->queue == &queue && !op.done) return &op;
    return nullptr;
}

WaitsFor RunningLaunch::OpState::waits_for() const {
    const std::int64_t input = launch->input_;
    const std::string self = fmt::format("'{}' (input {})", op->name(), input);
    for (const OpState* producer : producers)
        if (!producer->done) return {fmt::format("{} waits for '{}'", self, producer->op->name()), producer};
    for (const QueueAccess* read : reads) {
        const Queue& queue = *read->queue;
        const std::int64_t n = read->read(input);
        if (!launch->reads(*read) || launch->fifos_.memory(queue).complete(n)) continue;
        return {fmt::format("{} waits for entry {} of queue '{}' (slot {})", self, n, queue.name, n % queue.entries),
                launch->writer_of(queue), Room{Room::Kind::Entries, queue.name, 0, queue.entries}};
    }
    for (const QueueAccess* write : writes) {
        const Queue& queue = *write->queue;
        if (!launch->writes(*write) || launch->fifos_.memory(queue).free_slot(write->write(input))) continue;
        return {fmt::format("{} waits for a free slot of queue '{}': all {} entries are full", self, queue.name,
                            queue.entries),
                launch->reader_of(queue), Room{Room::Kind::Entries, queue.name, 0, queue.entries}};
    }
    return {fmt::format("{} {}", self, done ? "is done" : "is ready to run"), nullptr};
}

std::vector<const Waiter*> RunningLaunch::unfinished() const {
    std::vector<const Waiter*> parts;
    for (const OpState& op : ops_)
        if (!op.done) parts.push_back(&op);
    return parts;
}

}  // namespace ttsim::impl::sim
