#include "compiler/backend/search_budget.hpp"

#include <algorithm>

namespace ttsim::impl::ir {

namespace {

constexpr int default_effort = 1, highest_effort = 3;

/// Each effort above the default multiplies the budgets.
std::int64_t budget_of(Search search, int effort) {
    constexpr std::int64_t factor = 4;
    std::int64_t ops = search_limits[static_cast<std::size_t>(search)].ops;
    for (int level = default_effort; level < effort; ++level) ops *= factor;
    return ops;
}

}  // namespace

std::int64_t SearchLog::budget(Search search) const { return budget_of(search, effort_); }

void SearchLog::record(Search search, std::int64_t used, bool exhausted) {
    SearchUse& use = uses_[static_cast<std::size_t>(search)];
    use.budget = budget(search);
    use.used = std::max(use.used, used);
    use.exhausted = use.exhausted || exhausted;
}

std::string raising_option(int effort) {
    return effort >= highest_effort ? "" : "--effort " + std::to_string(std::max(effort, default_effort) + 1);
}

SearchBudget::SearchBudget(Search search, std::shared_ptr<SearchLog> log)
    : search_(search), log_(std::move(log)), budget_(log_ ? log_->budget(search) : budget_of(search, default_effort)) {}

SearchBudget::~SearchBudget() {
    if (log_ && (used_ > 0 || exhausted_)) log_->record(search_, used_, exhausted_);
}

bool SearchBudget::fits(std::size_t ops) {
    const bool fit = used_ + static_cast<std::int64_t>(ops) <= budget_;
    exhausted_ = exhausted_ || !fit;
    return fit;
}

bool SearchBudget::take(std::size_t ops) {
    if (!fits(ops)) return false;
    spend(ops);
    return true;
}

}  // namespace ttsim::impl::ir
