#include "sim/machine/sequencer.hpp"

namespace ttsim::impl::sim {

Sequencer::Sequencer(Context& context, EpochStream stream)
    : context_(context), stream_(std::move(stream)), pointers_(context.state.netlist), order_(context.state.netlist) {
    RunState& state = context.state;
    for (const Queue& queue : state.netlist.queues) {
        const auto forecast = state.forecast.queues.find(&queue);
        if (!state.live && forecast == state.forecast.queues.end()) continue;
        std::vector<std::int64_t> push;
        if (!state.live) push = forecast->second.host;
        if (queue.type == QueueType::Ram) {
            if (state.values())
                for (const std::int64_t n : push) state.store.put(queue, n, state.host.entry(queue, n));
            continue;
        }
        const bool pops = !queue.host_fed() && !state.read_by_graph[&queue];
        if (!push.empty() || pops || (state.live && queue.host_fed())) {
            const auto when = pops && !state.live ? HostPort::Pops::WhenComplete : HostPort::Pops::OnRequest;
            host_.push_back(std::make_unique<HostPort>(context, context.memory(queue), std::move(push), when));
            host_of_[&queue] = host_.back().get();
        }
    }
}

void Sequencer::call(const ProgramCall& call) {
    context_.state.prepare_call(stream_, call);
    // Iterations of a loop belong to one call.
    in_flight_history_.clear();
    loop_history_.clear();
    loop_backoff_.reset();
    at_end_ = false;
    context_.board.host_calendar().at(context_.now, *this, 0);
}

HostPort& Sequencer::host(const Queue& queue) {
    const auto it = host_of_.find(&queue);
    TT_CHECK(it != host_of_.end(), "'{}' is a FIFO that the host pushes or pops", queue.name);
    return *it->second;
}

Cycle Sequencer::write_ram(const Queue& ram) { return context_.now == 0 ? 0 : host_write(context_, ram); }

void Sequencer::on_event(std::uint32_t, std::uint64_t) {
    for (auto& port : host_) port->start();
    issue();
}

void Sequencer::fill_window() {
    while (!at_end_ && window_.size() < window_size) {
        EpochCommand command;
        if (stream_.next(command))
            order_.add(append(window_, std::move(command), next_number_++));
        else
            at_end_ = true;
    }
}

Sequencer::Pending& Sequencer::append(Window& window, EpochCommand command, std::size_t number) {
    Pending& pending = window.emplace_back();
    pending.use = use_of(command, context_.state.netlist, pointers_);
    pending.command = std::move(command);
    pending.number = number;
    pending.place = std::prev(window.end());
    return pending;
}

void Sequencer::set_over(Pending& pending) {
    order_.finish(pending);
    over_.push_back(&pending);
}

/// Makes room in the window, also behind commands of another chip that go on.
void Sequencer::drop_over() {
    for (const Pending* pending : over_) window_.erase(pending->place);
    over_.clear();
}

void Sequencer::issue() {
    if (issuing_) return;  // a pointer move can unblock an epoch, which may call issue() again
    issuing_ = true;
    bool moved = true;
    while (moved) {
        moved = false;
        fill_window();
        while (OrderedCommand* const next = order_.take()) {
            auto& pending = static_cast<Pending&>(*next);
            moved = true;
            if (begins_iteration(pending) && skip_loop_iterations(pending)) break;  // the window is another one now
            run(pending);
        }
        moved = moved || !over_.empty();
        drop_over();
    }
    issuing_ = false;
    context_.attention = true;
}

void Sequencer::run(Pending& pending) {
    in_flight_history_.clear();
    issued_to_ = std::max(issued_to_, pending.number + 1);
    ++generation_;
    if (const auto* move = std::get_if<MovePointerCommand>(&pending.command)) {
        pointers_.move(*move);
        log(pending.number, describe(pending.command, {}, pointers_));
        set_over(pending);
        if (move->queue->type == QueueType::Queue)
            context_.memory(*move->queue).set_popped(pointers_.at(*move->queue).popped());
        return;
    }
    if (const auto* allocate = std::get_if<AllocateCommand>(&pending.command)) {
        pointers_.allocate(*allocate);
        never_skip_ = true;
        set_over(pending);
        if (allocate->allocate && !allocate->queue->host_fed()) {
            context_.memory(*allocate->queue).clear();
            if (const auto port = host_of_.find(allocate->queue); port != host_of_.end()) port->second->restart();
        }
        return;
    }
    const auto& launch = std::get<EpochLaunch>(pending.command);
    launched_iteration_ = std::max(launched_iteration_, launch.iteration());
    pending.started = launches_++;
    std::map<const Queue*, QueueAccess> access = pointers_.launch(launch);
    log(pending.number, describe(pending.command, access, pointers_));
    for (const auto& [queue, _] : access)
        if (queue->type == QueueType::Queue && context_.state.read_by_graph[queue])
            context_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    pending.epoch = std::make_unique<Epoch>(context_, context_.state.prepare(launch), launch, std::move(access),
                                            [this, &pending] { finish(pending); });
    pending.epoch->start();
}

void Sequencer::finish(Pending& pending) {
    in_flight_history_.clear();
    ++generation_;
    Epoch& epoch = *pending.epoch;
    RunState& state = context_.state;
    for (const ExecuteCommand& member : epoch.launch().members) state.graph_report(*member.graph);
    std::vector<GraphReport*> reports;
    for (const ExecuteCommand& member : epoch.launch().members) reports.push_back(&state.graph_report(*member.graph));
    epoch.report(reports);
    if (context_.probe) context_.probe->over(epoch.probe(), epoch.ended(), epoch.inputs_per_second());
    pointers_.finish(epoch.access(), epoch.launch().input_count());
    for (const auto& [queue, access] : epoch.access())
        if (access.pop_step > 0 && queue->type == QueueType::Queue)
            context_.memory(*queue).set_popped(pointers_.at(*queue).popped());
    inputs_done_ += epoch.inputs();
    const std::unique_ptr<Epoch> ended = std::move(pending.epoch);
    set_over(pending);
    ended_ = std::move(pending.use);
    issue();
    ended_ = {};
}

void Sequencer::report_progress() const {
    std::int64_t over = inputs_done_;
    double parts = static_cast<double>(inputs_done_);
    for (const Pending& pending : window_) {
        if (!pending.epoch) continue;
        over += pending.epoch->inputs_over();
        parts += static_cast<double>(pending.epoch->inputs()) * pending.epoch->done_fraction();
    }
    context_.state.report_progress(over, parts);
}

std::vector<const Epoch*> Sequencer::epochs() const {
    std::vector<const Epoch*> running;
    for (const Pending& pending : window_)
        if (pending.epoch) running.push_back(pending.epoch.get());
    return running;
}

std::vector<const Waiter*> Sequencer::unfinished() const {
    std::vector<const Waiter*> parts;
    for (const Pending& pending : window_)
        if (pending.epoch) {
            const auto more = pending.epoch->unfinished();
            parts.insert(parts.end(), more.begin(), more.end());
        }
    return parts;
}

}  // namespace ttsim::impl::sim
