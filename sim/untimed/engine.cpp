#include "sim/untimed/engine.hpp"

#include <algorithm>
#include <csignal>

namespace ttsim::impl::sim {

UntimedEngine::UntimedEngine(RunState& state)
    : state_(state), stream_(state.netlist, {}, state.settings.inputs_count), pointers_(state.netlist), fifos_(state) {}

// --- programs ------------------------------------------------------------------------------------------------------

void UntimedEngine::call(const ProgramCall& call) {
    state_.prepare_call(stream_, call);
    at_end_ = false;
}

bool UntimedEngine::advance(const Until& until, std::uint64_t) {
    while (!until()) {
        check_stop();
        if (!step()) return until();
    }
    return true;
}

void UntimedEngine::check_stop() const {
    const std::atomic<int>* stop = state_.settings.stop;
    if (const int signal = stop ? stop->load(std::memory_order_relaxed) : 0; signal != 0)
        throw Error(Fault::Interrupted, {}, signal == SIGINT ? "SIGINT" : "SIGTERM");
}

void UntimedEngine::fill_window() {
    while (!at_end_ && window_.size() < window_size) {
        Pending pending;
        if (!stream_.next(pending.command)) {
            at_end_ = true;
            return;
        }
        pending.use = use_of(pending.command, state_.netlist, pointers_);
        window_.push_back(std::move(pending));
    }
}

bool UntimedEngine::blocked(const Pending& pending) const {
    for (const Pending& earlier : window_) {
        if (&earlier == &pending) return false;
        if (!earlier.over && conflict(earlier.use, pending.use)) return true;
    }
    return false;
}

/// Executes one op of the first command that can proceed.
bool UntimedEngine::step() {
    fill_window();
    const bool moved = std::any_of(window_.begin(), window_.end(), [this](Pending& pending) { return step(pending); });
    while (!window_.empty() && window_.front().over) window_.pop_front();
    return moved;
}

bool UntimedEngine::step(Pending& pending) {
    if (pending.over) return false;
    if (!pending.running) {
        if (blocked(pending)) return false;
        start(pending);
        if (pending.over) return true;
    }
    if (!pending.running->over() && !pending.running->step()) return false;
    if (state_.settings.progress) report_progress();
    if (pending.running->over()) finish(pending);
    return true;
}

void UntimedEngine::start(Pending& pending) {
    if (const auto* move = std::get_if<MovePointerCommand>(&pending.command)) {
        pointers_.move(*move);
        pending.over = true;
        if (move->queue->type == QueueType::Queue)
            fifos_.memory(*move->queue).set_popped(pointers_.at(*move->queue).popped());
        return;
    }
    if (const auto* allocate = std::get_if<AllocateCommand>(&pending.command)) {
        pointers_.allocate(*allocate);
        pending.over = true;
        if (allocate->allocate && !allocate->queue->host_fed()) fifos_.clear(*allocate->queue);
        return;
    }
    const auto& command = std::get<EpochLaunch>(pending.command);
    QueueAccesses access = pointers_.launch(command);
    for (const auto& [queue, _] : access)
        if (queue->type == QueueType::Queue && state_.read_by_graph[queue])
            fifos_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    std::unique_ptr<UntimedLaunch> values = launch(command, access);
    pending.running =
        std::make_unique<RunningLaunch>(state_, fifos_, command, std::move(access), std::move(values), running_);
    running_.push_back(pending.running.get());
}

void UntimedEngine::finish(Pending& pending) {
    const EpochLaunch& launch = pending.running->launch();
    const QueueAccesses& access = pending.running->access();
    pointers_.finish(access, launch.input_count());
    for (const auto& [queue, used] : access)
        if (used.pop_step > 0 && queue->type == QueueType::Queue)
            fifos_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    for (const ExecuteCommand& member : launch.members) {
        GraphReport& report = state_.graph_report(*member.graph);
        ++report.executes;
        report.inputs += launch.inputs;
    }
    inputs_done_ += launch.inputs;
    std::erase(running_, pending.running.get());
    pending.running.reset();
    pending.over = true;
}

void UntimedEngine::report_progress() const {
    double parts = 0;
    for (const RunningLaunch* launch : running_) parts += launch->inputs_over();
    state_.report_progress(inputs_done_ + static_cast<std::int64_t>(parts), static_cast<double>(inputs_done_) + parts);
}

std::string UntimedEngine::waits() const {
    std::vector<const Waiter*> parts;
    for (const RunningLaunch* launch : running_) {
        const auto more = launch->unfinished();
        parts.insert(parts.end(), more.begin(), more.end());
    }
    return wait_chain(parts).text;
}

// --- queues of the host --------------------------------------------------------------------------------------------

void UntimedEngine::push(const Queue& queue, EntryPtr entry) {
    HostCursor& host = fifos_.host(queue);
    const std::int64_t n = host.pushed();
    host.push(n);
    put(queue, n, std::move(entry));
    fifos_.memory(queue).set_complete(n);
}

void UntimedEngine::pop(const Queue& queue, std::int64_t count) {
    HostCursor& host = fifos_.host(queue);
    for (; count > 0; --count) {
        const std::int64_t n = host.popped();
        host.pop(n);
        fifos_.memory(queue).set_popped(n + 1);
    }
}

}  // namespace ttsim::impl::sim
