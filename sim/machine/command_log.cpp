#include "sim/machine/command_log.hpp"

namespace ttsim::impl::sim {

static std::int64_t identity(const void* part) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(part));
}

static void describe_launch(const EpochLaunch& launch, const std::map<const Queue*, QueueAccess>& access,
                            PointerTable& pointers, IssuedCommand& issued) {
    for (const ExecuteCommand& member : launch.members) {
        issued.same.push_back(identity(member.graph));
        for (const QueueUse& use : pointers.uses(*member.graph)) {
            if (use.queue->type == QueueType::Ram) continue;  // rams are not synchronized
            if (use.read) issued.entries.emplace_back(use.queue, access.at(use.queue).read_first);
            if (use.written) issued.entries.emplace_back(use.queue, access.at(use.queue).write_first);
        }
    }
    issued.same.push_back(launch.inputs);
    for (const auto& [queue, a] : access) {
        for (const bool flag : {a.prologue, a.epilogue, a.zero}) issued.same.push_back(flag);
        for (const std::int64_t step : {a.read_step, a.write_step, a.pop_step}) issued.same.push_back(step);
        issued.jumped = issued.jumped || a.jumped;
    }
}

IssuedCommand describe(const EpochCommand& command, const std::map<const Queue*, QueueAccess>& access,
                       PointerTable& pointers) {
    IssuedCommand issued;
    if (const auto* launch = std::get_if<EpochLaunch>(&command)) {
        describe_launch(*launch, access, pointers, issued);
    } else if (const auto* move = std::get_if<MovePointerCommand>(&command)) {
        issued.same = {static_cast<std::int64_t>(move->pointer), identity(move->queue)};
        if (move->queue->type == QueueType::Queue)
            issued.entries.emplace_back(move->queue, pointers.at(*move->queue).popped());
    } else {
        issued.same.push_back(static_cast<std::int64_t>(std::get<AllocateCommand>(command).allocate));
    }
    return issued;
}

EntrySteps::EntrySteps(const Popped& from, const Popped& to) : steps_(to) {
    for (const auto& [queue, popped] : from) steps_[queue] -= popped;
}

bool EntrySteps::repeats(const IssuedCommand& earlier, const IssuedCommand& later) const {
    if (later.same != earlier.same || later.entries.size() != earlier.entries.size()) return false;
    for (std::size_t e = 0; e < later.entries.size(); ++e) {
        const auto [queue, entry] = later.entries[e];
        const auto step = steps_.find(queue);
        if (queue != earlier.entries[e].first ||
            entry - earlier.entries[e].second != (step == steps_.end() ? 0 : step->second))
            return false;
    }
    return true;
}

void CommandLog::add(std::size_t number, IssuedCommand command) {
    if (number < from_) return;
    if (number - from_ >= commands_.size()) commands_.resize(number - from_ + 1);
    commands_[number - from_] = std::move(command);
    for (; commands_.size() > longest; ++from_) commands_.pop_front();
}

const IssuedCommand* CommandLog::find(std::size_t number) const {
    if (number < from_ || number - from_ >= commands_.size()) return nullptr;
    const IssuedCommand& command = commands_[number - from_];
    return command.same.empty() ? nullptr : &command;
}

void CommandLog::restart(std::size_t from) {
    commands_.clear();
    from_ = from;
}

}  // namespace ttsim::impl::sim
