#include "compiler/backend/latency_epochs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/backend/epoch_list.hpp"
#include "compiler/backend/load_time.hpp"

namespace tt::ir {

namespace {

/// What each op takes at each price of a core, in clocks.
class PriceTable {
public:
    /// `load`: what loading a core's programs takes, and so its least price, but in the first epoch.
    PriceTable(const Choices& choices, double load) : choices_(choices) {
        double slowest = 1;
        for (const OpChoices& op : choices.ops)
            for (const Candidate& c : op.choice.fitting) slowest = std::max(slowest, c.cycles);
        constexpr double step = 1.15;
        for (double price = 1; price < slowest * step; price *= step) prices_.push_back(price);
        loaded_ = static_cast<std::size_t>(std::lower_bound(prices_.begin(), prices_.end(), load) - prices_.begin());
        loaded_ = std::min(loaded_, prices_.size() - 1);
        for (const double price : prices_) {
            std::vector<std::int64_t> cores{0};
            std::vector<std::size_t> chosen;
            for (std::size_t op = 0; op < choices.ops.size(); ++op) {
                chosen.push_back(order(op, price).front());
                cores.push_back(cores.back() + choices.ops[op].choice.fitting[chosen.back()].blocking.cores());
            }
            cores_.push_back(std::move(cores));
            chosen_.push_back(std::move(chosen));
        }
    }
    std::size_t size() const { return prices_.size(); }
    double price(std::size_t k) const { return prices_[k]; }
    std::int64_t cores(std::size_t k, std::size_t first, std::size_t end) const {
        return cores_[k][end] - cores_[k][first];
    }
    const std::vector<std::size_t>& chosen(std::size_t k) const { return chosen_[k]; }
    /// The least price at which ops first .. end - 1 take so many cores at most; size() when there is none.
    std::size_t least(std::size_t first, std::size_t end, std::int64_t cores) const {
        std::size_t low = first == 0 ? 0 : loaded_, high = size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (cores_[middle][end] - cores_[middle][first] <= cores)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    /// Candidates by time and price.
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
    std::size_t loaded_ = 0;                        // the least price where loading counts
    std::vector<std::vector<std::int64_t>> cores_;  // per price: sums over the ops before
    std::vector<std::vector<std::size_t>> chosen_;  // per price: of all ops
};

/// When the first of a result is there, and all of it.
struct Span {
    double first = 0, last = 0;
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
            const double loading = first == 0 ? 0 : load.of_cores(static_cast<double>(table.cores(k, first, end)));
            const double total = best[first] + loading +
                                 latency_of(choices, first, std::span(table.chosen(k)).subspan(first, end - first));
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

double latency_of(const Choices& choices, std::size_t first, std::span<const std::size_t> chosen) {
    const std::size_t end = first + chosen.size();
    std::vector<Span> made(chosen.size());
    double last = 0;
    for (std::size_t op = first; op < end; ++op) {
        Span begin;
        for (const std::size_t e : choices.into[op]) {
            const std::size_t producer = choices.edges[e].producer;
            if (producer < first) continue;
            begin.first = std::max(begin.first, made[producer - first].first);
            begin.last = std::max(begin.last, made[producer - first].last);
        }
        const OpChoices& item = choices.ops[op];
        const Candidate& candidate = item.choice.fitting[chosen[op - first]];
        const double cycles = candidate.cycles;
        begin.first = std::max(begin.first, candidate.resident_cycles);
        begin.last = std::max(begin.last, candidate.resident_cycles);
        const double tail = cycles * item.first_share;  // of what came last
        made[op - first] = {begin.first + tail, std::max(begin.first + cycles, begin.last + tail)};
        last = std::max(last, made[op - first].last);
    }
    return last;
}

std::vector<Epoch> latency_epochs(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget,
                                  const ScheduleOptions& options) {
    const LoadTime load(*budget.chip, budget.rows, budget.cols);
    const PriceTable table(choices, load.per_core());
    const auto cores = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(budget.rows * budget.cols) * options.packing));
    EpochList epochs(choices, costs, budget, options);
    // rectangles do not fill a chip: a higher price where they do not fit together
    const auto wishes = [&](std::size_t first, std::size_t end, std::size_t n) -> std::optional<Wish> {
        const std::size_t k = std::min(table.least(first, end, cores), table.size() - 1) + n;
        if (k >= table.size()) return std::nullopt;
        double slowest = 0;
        for (std::size_t op = first; op < end; ++op)
            slowest = std::max(slowest, choices.ops[op].choice.fitting[table.chosen(k)[op]].cycles);
        return Wish{slowest, [&table, k](std::size_t op) { return table.order(op, table.price(k)); }};
    };
    for (const auto& [first, end] : shortest(choices, table, cores, load)) epochs.add(first, end, wishes);
    return epochs.take();
}

}  // namespace tt::ir
