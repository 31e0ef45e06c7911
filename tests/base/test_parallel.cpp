// What loops on several threads promise, and what is computed once for all of them. Run with TSan too
// (scripts/sanitize).
#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/memo.hpp"
#include "base/parallel.hpp"

using namespace ttsim::impl;

TEST_CASE("every index runs once, whatever the number of threads") {
    for (const unsigned threads : {0U, 1U, 2U, 5U})
        for (const std::size_t n : {0U, 1U, 3U, 1000U}) {
            std::vector<int> runs(n, 0);
            parallel_for(threads, n, [&](std::size_t i) { ++runs[i]; });
            CHECK(runs == std::vector<int>(n, 1));
        }
}

TEST_CASE("a thread that may use one processor starts no others") {
    cpu_set_t usable;
    REQUIRE(::sched_getaffinity(0, sizeof usable, &usable) == 0);
    std::size_t first = 0;
    while (!CPU_ISSET(first, &usable)) ++first;
    CPU_ZERO(&usable);
    CPU_SET(first, &usable);
    int failed = 1;
    unsigned found = 0;
    std::thread([&] {
        failed = ::sched_setaffinity(0, sizeof usable, &usable);
        found = resolve_threads(0);
    }).join();
    CHECK(failed == 0);
    CHECK(found == 1);
}

TEST_CASE("the failure of the least index is thrown, as a loop does") {
    for (const unsigned threads : {1U, 2U, 4U})
        for (int round = 0; round < 50; ++round) {
            std::vector<int> runs(64, 0);
            const auto body = [&](std::size_t i) {
                ++runs[i];
                if (i >= 20 && i % 2 == 0) throw std::runtime_error(std::to_string(i));
            };
            CHECK_THROWS_WITH(parallel_for(threads, runs.size(), body), "20");
            for (std::size_t i = 0; i <= 20; ++i) CHECK(runs[i] == 1);
            std::size_t more = 0;
            parallel_for(threads, 10, [&](std::size_t i) {  // goes on
                if (i == 9) ++more;
            });
            CHECK(more == 1);
        }
}

TEST_CASE("a loop inside a loop") {
    std::vector<std::vector<int>> runs(8, std::vector<int>(50, 0));
    parallel_for(3, runs.size(),
                 [&](std::size_t i) { parallel_for(3, runs[i].size(), [&](std::size_t j) { ++runs[i][j]; }); });
    CHECK(runs == std::vector<std::vector<int>>(8, std::vector<int>(50, 1)));
}

TEST_CASE("a memo keeps one value for a key") {
    Memo<int, std::vector<int>> memo;
    std::atomic<int> made = 0;
    std::vector<const std::vector<int>*> seen(400);
    parallel_for(4, seen.size(), [&](std::size_t i) {
        const int key = static_cast<int>(i % 7);
        seen[i] = &memo.get(key, [&] {
            ++made;
            return std::vector<int>(3, key);
        });
    });
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CHECK(seen[i] == seen[i % 7]);
        CHECK(*seen[i] == std::vector<int>(3, static_cast<int>(i % 7)));
    }
    CHECK(made >= 7);
    CHECK(memo.get(3, [] { return std::vector<int>{}; }).size() == 3);
}
