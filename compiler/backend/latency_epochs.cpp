#include "compiler/backend/latency_epochs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/backend/epoch_list.hpp"
#include "compiler/backend/input_time.hpp"
#include "compiler/backend/levels.hpp"
#include "compiler/backend/load_time.hpp"

namespace ttsim::impl::ir {

namespace {

/// The best candidate of each op at each price of a core, in clocks.
class PriceTable {
public:
    /// `load`: clocks to load a core's programs, which is the least price except in the first epoch.
    PriceTable(const Choices& choices, double load) : choices_(choices) {
        double slowest = 1;
        for (const OpChoices& op : choices.ops)
            for (const Candidate& c : op.choice.fitting) slowest = std::max(slowest, c.cycles);
        constexpr double step = 1.15;
        for (double price = 1; price < slowest * step; price *= step) prices_.push_back(price);
        loaded_ = static_cast<std::size_t>(std::lower_bound(prices_.begin(), prices_.end(), load) - prices_.begin());
        loaded_ = std::min(loaded_, prices_.size() - 1);
        std::vector<std::int64_t> cores(choices.ops.size());
        for (const double price : prices_) {
            std::vector<std::size_t> chosen(choices.ops.size());
            for (std::size_t op = 0; op < chosen.size(); ++op) {
                const std::size_t like = choices.like[op];
                chosen[op] = like < op ? chosen[like] : order(op, price).front();
                cores[op] = choices.ops[op].choice.fitting[chosen[op]].blocking.cores();
            }
            levels_.add(std::move(chosen), cores);
        }
    }
    std::size_t size() const { return prices_.size(); }
    double price(std::size_t k) const { return prices_[k]; }
    /// Levels are prices.
    const Levels& levels() const { return levels_; }
    /// The least price at which ops first .. end - 1 need at most this many cores; size() if there is none.
    std::size_t least(std::size_t first, std::size_t end, std::int64_t cores) const {
        return levels_.least(first, end, cores, first == 0 ? 0 : loaded_);
    }
    /// Candidates by time + price * cores.
    std::vector<std::size_t> order(std::size_t op, double price) const {
        const std::vector<Candidate>& fitting = choices_.ops[op].choice.fitting;
        std::vector<std::size_t> all(fitting.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        const auto key = [&](std::size_t i) {
            return fitting[i].cycles + price * static_cast<double>(fitting[i].blocking.cores());
        };
        std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        return all;
    }

private:
    const Choices& choices_;
    std::vector<double> prices_;
    std::size_t loaded_ = 0;  // the least price if loading is counted
    Levels levels_;
};

std::vector<std::pair<std::size_t, std::size_t>> shortest(const Choices& choices, const PriceTable& table,
                                                          std::int64_t cores, const LoadTime& load) {
    const std::size_t count = choices.ops.size();
    std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> from(count + 1, 0);
    best[0] = 0;
    for (std::size_t end = 1; end <= count; ++end)
        for (std::size_t first = end; first-- > 0;) {
            std::size_t k = table.least(first, end, cores);
            if (k == table.size() && end - first > 1) break;  // more ops need more
            k = std::min(k, table.size() - 1);
            const double loading =
                first == 0 ? 0 : load.of_cores(static_cast<double>(table.levels().cores(k, first, end)));
            const double total =
                best[first] + choices.apart(first) + loading +
                latency_of(choices.times, first, std::span(table.levels().chosen(k)).subspan(first, end - first));
            if (total < best[end]) {
                best[end] = total;
                from[end] = first;
            }
            if (choices.ops[first].begins()) break;
        }
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t end = count; end > 0; end = from[end]) runs.emplace_back(from[end], end);
    std::reverse(runs.begin(), runs.end());
    return runs;
}

}  // namespace

std::vector<Epoch> latency_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                  const ScheduleOptions& options) {
    const LoadTime load(*budget.chip, budget.rows, budget.cols);
    const PriceTable table(choices, load.per_core());
    const auto cores = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(budget.rows * budget.cols) * options.packing));
    EpochList epochs(choices, costs, budget, options);
    // rectangles may not fill a chip: use a higher price if they do not fit
    const auto preferences = [&](std::size_t first, std::size_t end, std::size_t n) -> std::optional<Preference> {
        const std::size_t k = std::min(table.least(first, end, cores), table.size() - 1) + n;
        if (k >= table.size()) return std::nullopt;
        double slowest = 0;
        for (std::size_t op = first; op < end; ++op)
            slowest = std::max(slowest, choices.ops[op].choice.fitting[table.levels().chosen(k)[op]].cycles);
        return Preference{slowest, [&table, k](std::size_t op) { return table.order(op, table.price(k)); }};
    };
    for (const auto& [first, end] : shortest(choices, table, cores, load)) epochs.add(first, end, preferences);
    return epochs.take();
}

}  // namespace ttsim::impl::ir
