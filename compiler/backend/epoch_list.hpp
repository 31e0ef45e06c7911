// Builds the list of epochs in order; each depends on the candidates of earlier ones.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/backend/epoch_solver.hpp"

namespace ttsim::impl::ir {

class EpochList {
public:
    EpochList(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, const ScheduleOptions& options)
        : choices_(choices), budget_(budget), options_(options), solver_(choices, costs, budget, options) {}

    /// Adds the ops as one epoch, or as two halves if they do not fit. `preferences(first, end, n)`: the n-th
    /// preference to try; nullopt: no more.
    template <class Preferences>
    void add(std::size_t first, std::size_t end, Preferences preferences) {
        for (std::size_t n = 0;; ++n) {
            const std::optional<Preference> preference = preferences(first, end, n);
            if (!preference) break;
            if (auto epoch = solver_.solve(first, end, *preference, chosen_)) {
                chosen_.insert(chosen_.end(), epoch->chosen.begin(), epoch->chosen.end());
                epochs_.push_back(std::move(*epoch));
                return;
            }
            const bool edges = solver_.failure() == EpochSolver::Failure::Edges;
            if (edges && (end - first == 1 || options_.self_cut == SelfCut::None)) solver_.refuse();
        }
        if (end - first == 1) no_place(choices_.ops[first]);
        const std::size_t middle = choices_.divide(first, end, (first + end) / 2);
        add(first, middle, preferences);
        add(middle, end, preferences);
    }
    std::vector<Epoch> take() { return std::move(epochs_); }

private:
    /// Reports an op without a place on an empty chip, which only an override can cause.
    [[noreturn]] void no_place(const OpChoices& op) const;

    const Choices& choices_;
    const OpBudget& budget_;
    const ScheduleOptions& options_;
    EpochSolver solver_;
    std::vector<std::size_t> chosen_;
    std::vector<Epoch> epochs_;
};

}  // namespace ttsim::impl::ir
