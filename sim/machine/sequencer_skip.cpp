// Extrapolation in the sequencer: skips repeated inputs of the epochs in flight.
#include <algorithm>
#include <set>

#include "sim/machine/sequencer.hpp"

namespace ttsim::impl::sim {

bool Sequencer::may_skip() const {
    const RunState& state = context_.state;
    return state.settings.mode == Mode::Timing && state.settings.extrapolate && !never_skip_ &&
           !state.input_record.any();  // some figures are recorded per input
}

void Sequencer::host_acted() {
    in_flight_history_.clear();
    loop_history_.clear();
}

std::vector<Epoch*> Sequencer::in_flight() const {
    std::vector<Epoch*> epochs;
    for (const Pending& pending : window_)
        if (pending.epoch) epochs.push_back(pending.epoch.get());
    return epochs;
}

/// Queues that change while the epochs in flight run: their own, and those of the host.
const std::vector<QueueMemory*>& Sequencer::moving_queues() {
    if (moving_at_ == generation_) return moving_;
    std::set<const Queue*> queues;  // of one vector, and so in file order
    for (const auto& [queue, port] : host_of_) queues.insert(queue);
    for (const Pending& pending : window_) {
        if (!pending.epoch) continue;
        for (const CommandUse::QueueMemory& memory : pending.use.queues) {
            queues.insert(memory.use.queue);
            queues.insert(memory.owner);
        }
    }
    moving_.clear();
    for (const Queue* queue : queues)
        if (const auto memory = context_.queues.find(queue); memory != context_.queues.end())
            moving_.push_back(memory->second.get());
    moving_at_ = generation_;
    return moving_;
}

void Sequencer::log(std::size_t number, IssuedCommand issued) {
    if (may_skip()) log_.add(number, std::move(issued));
}

void Sequencer::walk(StateWalk& walk) {
    walk.fixed(context_.queues.size());
    if (walk.over_iterations())
        for (auto& [queue, memory] : context_.queues) memory->walk(walk);
    else
        for (QueueMemory* memory : moving_queues()) memory->walk(walk);
    for (auto& port : host_) port->walk(walk);
    context_.board.walk(walk);
    if (context_.probe) context_.probe->walk(walk);
}

/// An input of an epoch has finished in this cycle.
void Sequencer::input_over() {
    context_.input_over = false;
    if (!may_skip()) return;
    const std::vector<Epoch*> epochs = in_flight();
    if (epochs.empty()) return;
    std::vector<std::int64_t> over;
    bool more = false;
    for (Epoch* epoch : epochs) {
        over.push_back(epoch->count_inputs_over());
        if (over.back() == 0) return;  // it has not finished an input
        more = more || over.back() < epoch->inputs();
    }
    if (over == last_over_) return;
    last_over_ = over;
    if (!more || !input_backoff_.due()) return;  // no input is left to skip, or none was skipped for long
    const auto walk_all = [&](StateWalk& walk) {
        walk.fixed(generation_);
        for (Epoch* epoch : epochs) epoch->walk(walk);
        this->walk(walk);
    };
    StateWalk save(context_.now, Period::Inputs);
    walk_all(save);
    if (!save.comparable()) return;
    Snapshot present = save.take();
    if (const auto* before = in_flight_history_.find(present)) {
        for (std::size_t e = 0; e < epochs.size(); ++e) epochs[e]->set_period(over[e] - before->mark[e]);
        StateWalk limit(before->snapshot, present);
        walk_all(limit);
        if (limit.periods() > 0 && over != before->mark) {
            StateWalk advance(before->snapshot, present, limit.periods());
            walk_all(advance);
            context_.board.clock().skip(advance.cycles());
            for (std::size_t e = 0; e < epochs.size(); ++e)
                context_.state.report.inputs_skipped +=
                    (over[e] - before->mark[e]) * static_cast<std::int64_t>(advance.periods());
            in_flight_history_.clear();
            input_backoff_.reset();
            return;
        }
    }
    in_flight_history_.add(std::move(present), std::move(over));
}

}  // namespace ttsim::impl::sim
