// Budgets of the searches that compare several forms of the whole model.
//
// Work is counted in ops: each time an op is scheduled, or simulated, as a part of the whole model counts one. So the
// result does not depend on the speed of the machine. A budget holds for one search; the default effort keeps the time
// of a compilation bounded for models of any size, and higher efforts raise all budgets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl::ir {

enum class Search : std::uint8_t { Fractures, Products, OneHeight, Nops, Alternatives, Simulations };
inline constexpr std::size_t search_count = 6;

struct SearchLimit {
    std::string_view name;
    std::int64_t ops;          ///< budget at effort 0 and 1
    std::string_view simpler;  ///< what a model has whose search ended early
};
/// By Search. Measured on models of up to 2,460 ops: docs/compiler.md, "Search budget".
inline constexpr std::array<SearchLimit, search_count> search_limits{{
    {"fractured convolutions", 2'000, "slow convolutions stay whole"},
    {"padded axes and split products", 2'000, "axes and products of few rows stay as they are"},
    {"grids of one height", 1'000, "grids of one height are not compared"},
    {"nops in forks that wait", 16'000, "some forks still wait"},
    {"splices and operands held once", 600, "they are used without a comparison"},
    {"schedules on the simulated chip", 4'200, "fewer schedules are compared"},
}};
inline constexpr std::string_view search_unit = "ops scheduled or simulated";

/// What a search spent: the most of all its uses in a compilation.
struct SearchUse {
    std::int64_t budget = 0, used = 0;
    bool exhausted = false;  ///< something was left untried
};

/// The searches of a compilation, by Search.
class SearchLog {
public:
    explicit SearchLog(int effort) : effort_(effort) {}
    std::int64_t budget(Search search) const;
    void record(Search search, std::int64_t used, bool exhausted);
    const std::array<SearchUse, search_count>& uses() const { return uses_; }

private:
    int effort_;
    std::array<SearchUse, search_count> uses_{};
};
/// The option that raises the budgets of a compilation with this effort; "" if there is none.
std::string raising_option(int effort);

/// The budget of one search.
class SearchBudget {
public:
    /// `log`: nullptr: nothing is recorded, and the effort is the default.
    SearchBudget(Search search, std::shared_ptr<SearchLog> log);
    SearchBudget(const SearchBudget&) = delete;
    SearchBudget& operator=(const SearchBudget&) = delete;
    ~SearchBudget();
    /// Whether work on `ops` more ops fits. If not, the search is recorded as exhausted.
    bool fits(std::size_t ops);
    void spend(std::size_t ops) { used_ += static_cast<std::int64_t>(ops); }
    /// fits() and spend() together.
    bool take(std::size_t ops);

private:
    Search search_;
    std::shared_ptr<SearchLog> log_;
    std::int64_t budget_, used_ = 0;
    bool exhausted_ = false;
};

}  // namespace ttsim::impl::ir
