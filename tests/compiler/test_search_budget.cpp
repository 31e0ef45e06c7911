#include <catch2/catch.hpp>

#include "compiler/backend/search_budget.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/model/compile.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

const SearchUse& use_of(const SearchLog& log, Search search) { return log.uses()[static_cast<std::size_t>(search)]; }
std::int64_t default_budget(Search search) { return search_limits[static_cast<std::size_t>(search)].ops; }

/// A chain of ops that are not fused.
CompiledModel chain(int ops, std::shared_ptr<SearchLog> log) {
    std::string text = "%x0 = input : f32[32, 32]\n";
    for (int k = 0; k < ops; ++k) text += fmt::format("%x{} = {} %x{}\n", k + 1, k % 2 == 0 ? "abs" : "sigmoid", k);
    text += fmt::format("output \"y\" = %x{}\n", ops);
    CompileOptions options;
    options.auto_fusing = false;
    options.schedule.searches = std::move(log);
    return compile(parse_graph(text, "chain.tg"), options);
}

}  // namespace

TEST_CASE("a search may spend its budget, and what did not fit is recorded") {
    const auto log = std::make_shared<SearchLog>(1);
    {
        SearchBudget budget(Search::OneHeight, log);
        const auto half = static_cast<std::size_t>(default_budget(Search::OneHeight)) / 2;
        CHECK(budget.take(half));
        CHECK(budget.take(half));
        CHECK_FALSE(budget.take(1));
    }
    SearchBudget(Search::OneHeight, log).spend(7);  // a search of its own: the larger use is kept
    CHECK(use_of(*log, Search::OneHeight).used == default_budget(Search::OneHeight));
    CHECK(use_of(*log, Search::OneHeight).exhausted);
    CHECK(use_of(*log, Search::Nops).budget == 0);  // not searched
}

TEST_CASE("higher efforts raise every budget, and the option is named") {
    for (std::size_t k = 0; k < search_count; ++k) {
        const auto search = static_cast<Search>(k);
        CHECK(SearchLog(0).budget(search) == default_budget(search));
        CHECK(SearchLog(1).budget(search) == default_budget(search));
        CHECK(SearchLog(2).budget(search) > SearchLog(1).budget(search));
        CHECK(SearchLog(3).budget(search) > SearchLog(2).budget(search));
    }
    CHECK(raising_option(0) == "--effort 2");
    CHECK(raising_option(2) == "--effort 3");
    CHECK(raising_option(3).empty());
}

TEST_CASE("the report of a compilation has the budgets that it exhausted") {
    const auto products = static_cast<std::size_t>(Search::Products);
    const auto few = static_cast<int>(default_budget(Search::Products)) / 8;
    CHECK_FALSE(chain(few, std::make_shared<SearchLog>(1)).report.searches[products].exhausted);
    const auto many = static_cast<int>(default_budget(Search::Products)) + 1;
    CHECK(chain(many, std::make_shared<SearchLog>(1)).report.searches[products].exhausted);
    CHECK_FALSE(chain(many, std::make_shared<SearchLog>(2)).report.searches[products].exhausted);
}
