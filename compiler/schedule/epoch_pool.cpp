#include "compiler/schedule/epoch_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "compiler/backend/schedule.hpp"

namespace ttsim::impl::ir {

namespace {

/// Key of an op: times of candidates, and relative positions of producers. The first op is unique, because loading its
/// epoch may not be counted.
std::string kind_of(const Choices& choices, std::size_t op) {
    const OpChoices& item = choices.ops[op];
    std::string kind = fmt::format("{} {} {}", item.op.cfg.type, item.begins() || op == 0, item.with_previous);
    for (const Candidate& c : item.choice.fitting)
        kind += fmt::format(" {}x{} {:.0f} {:.0f} {}", c.blocking.grid_r, c.blocking.grid_c, c.cycles, c.dram_bytes,
                            c.l1_bytes);
    for (const std::size_t e : choices.into[op])
        kind += fmt::format(" {}:{}", choices.details[e].operand, op - choices.edges[e].producer);
    return kind;
}

}  // namespace

EpochPool::EpochPool(const Choices& choices) : choices_(choices) {
    std::map<std::string, std::size_t> known;
    for (std::size_t op = 0; op < choices.ops.size(); ++op)
        kinds_.push_back(known.try_emplace(kind_of(choices, op), known.size()).first->second);
}

EpochPool::Kinds EpochPool::kinds(std::size_t first, std::size_t end) const {
    return {kinds_.begin() + static_cast<std::ptrdiff_t>(first), kinds_.begin() + static_cast<std::ptrdiff_t>(end)};
}

void EpochPool::add(const Schedule& schedule, const SimulatedRun& run) {
    if (run.epochs.size() != schedule.epochs) return;
    std::size_t first = 0;
    for (std::size_t epoch = 0; epoch < schedule.epochs; ++epoch) {
        MeasuredEpoch ran{
            schedule.epoch_targets[epoch], {}, run.epochs[epoch].cycles, run.epochs[epoch].busy_cycles, 1};
        const std::size_t begin = first;
        for (; first < schedule.ops.size() && schedule.ops[first].epoch == epoch; ++first)
            ran.chosen.push_back(schedule.ops[first].candidate);
        ran.busy.resize(ran.chosen.size(), 0);
        std::vector<MeasuredEpoch>& all = ran_[kinds(begin, first)];
        const auto same = std::find_if(all.begin(), all.end(),
                                       [&](const MeasuredEpoch& other) { return other.chosen == ran.chosen; });
        if (same == all.end()) {
            all.push_back(std::move(ran));
            continue;
        }
        ++same->runs;
        same->cycles += (ran.cycles - same->cycles) / static_cast<double>(same->runs);
        same->busy = std::move(ran.busy);
    }
}

const MeasuredEpoch* EpochPool::quickest(std::size_t first, std::size_t end) const {
    const auto found = ran_.find(kinds(first, end));
    if (found == ran_.end()) return nullptr;
    return &*std::min_element(found->second.begin(), found->second.end(),
                              [](const MeasuredEpoch& a, const MeasuredEpoch& b) { return a.cycles < b.cycles; });
}

bool EpochPool::knows(const EpochRequest& request) const {
    const auto found = ran_.find(kinds(request.first, request.end));
    return found != ran_.end() && std::any_of(found->second.begin(), found->second.end(),
                                              [&](const MeasuredEpoch& ran) { return ran.chosen == request.wanted; });
}

EpochSequence EpochPool::quickest() const {
    const std::size_t count = kinds_.size();
    std::set<std::size_t> lengths;
    for (const auto& [run, unused] : ran_) lengths.insert(run.size());
    struct Step {
        double cycles = std::numeric_limits<double>::infinity();
        std::size_t from = 0;
        const MeasuredEpoch* ran = nullptr;
    };
    std::vector<Step> best(count + 1);
    best[0].cycles = 0;
    for (std::size_t end = 1; end <= count; ++end)
        for (const std::size_t length : lengths) {
            if (length > end || best[end - length].cycles >= best[end].cycles) continue;
            const MeasuredEpoch* ran = quickest(end - length, end);
            if (!ran || best[end - length].cycles + ran->cycles >= best[end].cycles) continue;
            best[end] = {best[end - length].cycles + ran->cycles, end - length, ran};
        }
    EpochSequence sequence;
    if (!best[count].ran) return sequence;
    sequence.cycles = best[count].cycles;
    for (std::size_t end = count; end > 0; end = best[end].from) {
        sequence.epochs.push_back({best[end].from, end, best[end].ran->target, best[end].ran->chosen, {}});
        sequence.ran.push_back(best[end].ran);
    }
    std::reverse(sequence.epochs.begin(), sequence.epochs.end());
    std::reverse(sequence.ran.begin(), sequence.ran.end());
    return sequence;
}

}  // namespace ttsim::impl::ir
