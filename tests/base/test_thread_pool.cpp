// What tasks promise: order by dependencies alone, failures that surface, no task lost. Run with TSan too
// (scripts/sanitize).
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "base/thread_pool.hpp"

using namespace ttsim::impl;

TEST_CASE("a task sees what the tasks it waits for wrote") {
    for (const unsigned threads : {1U, 2U, 4U}) {
        ThreadPool pool(threads);
        // A triangle of sums: each number from its two neighbours in the row before, plain memory throughout.
        constexpr std::size_t rows = 60;
        std::vector<std::vector<std::uint64_t>> sums(rows);
        std::vector<Task> before;
        for (std::size_t r = 0; r < rows; ++r) {
            sums[r].resize(r + 1);
            std::vector<Task> row;
            for (std::size_t c = 0; c <= r; ++c) {
                std::vector<Task> after;
                if (c > 0) after.push_back(before[c - 1]);
                if (c < r) after.push_back(before[c]);
                row.push_back(pool.submit(
                    [&sums, r, c] {
                        sums[r][c] = r == 0 ? 1 : (c > 0 ? sums[r - 1][c - 1] : 0) + (c < r ? sums[r - 1][c] : 0);
                    },
                    after));
            }
            before = std::move(row);
        }
        pool.wait_all();
        CHECK(pool.pending() == 0);
        CHECK(std::accumulate(sums.back().begin(), sums.back().end(), std::uint64_t{0}) == std::uint64_t{1} << 59);
    }
}

TEST_CASE("tasks may wait for a reserved task before its work is set") {
    ThreadPool pool(3);
    for (int round = 0; round < 200; ++round) {
        int first = 0, second = 0;
        const Task reserved = pool.reserve();
        const Task follower = pool.submit([&] { second = first + 1; }, {reserved});
        CHECK_FALSE(follower.done());
        pool.start(reserved, [&] { first = 41; });
        pool.wait(follower);
        CHECK(second == 42);
    }
}

TEST_CASE("a failure reaches every waiter, and no dependent task runs") {
    ThreadPool pool(2);
    std::atomic<bool> ran = false;
    const Task bad = pool.submit([] { throw std::runtime_error("half done"); });
    const Task after = pool.submit([&] { ran = true; }, {bad});
    CHECK_THROWS_WITH(pool.wait(after), "half done");
    CHECK_THROWS_WITH(pool.wait_all(), "half done");
    CHECK_FALSE(ran);
}

TEST_CASE("parallel_for visits every index once, inside tasks too") {
    ThreadPool pool(4);
    std::vector<std::vector<int>> visits(8, std::vector<int>(300));
    for (std::vector<int>& mine : visits)
        pool.submit([&pool, &mine] { pool.parallel_for(mine.size(), [&mine](std::size_t i) { ++mine[i]; }); });
    pool.wait_all();
    for (const std::vector<int>& mine : visits) CHECK(mine == std::vector<int>(300, 1));
    CHECK_THROWS_WITH(pool.parallel_for(50,
                                        [](std::size_t i) {
                                            if (i == 20) throw std::runtime_error("at 20");
                                        }),
                      "at 20");
}

TEST_CASE("the caller works while it waits") {
    ThreadPool alone(1);
    int done = 0;
    const Task task = alone.submit([&] { ++done; });
    CHECK(done == 0);
    CHECK(alone.help());
    CHECK_FALSE(alone.help());
    CHECK(task.done());
    CHECK(done == 1);
}

TEST_CASE("a pool with tasks that can never run goes without them") {
    bool ran = false;
    {
        ThreadPool pool(2);
        const Task never = pool.reserve();
        const Task follower = pool.submit([&ran] { ran = true; }, {never});
        CHECK_FALSE(follower.done());
    }
    CHECK_FALSE(ran);
}

TEST_CASE("tasks of a frame that a failure leaves are over or never begin") {
    ThreadPool pool(3);
    std::atomic<bool> begun = false, late = false;
    CHECK_THROWS_WITH(
        [&] {
            std::vector<int> held(1000, 1);
            const AbandonOnFailure tasks(pool);
            const Task slow = pool.submit([&] {
                begun = true;
                for (int& one : held) {
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                    one = 2;
                }
            });
            pool.submit([&] { late = true; }, {slow});
            while (!begun) std::this_thread::yield();
            throw std::runtime_error("leaves");
        }(),
        "leaves");
    CHECK_THROWS_WITH(pool.wait_all(), "the work was abandoned");
    CHECK_FALSE(late);
}

// Tasks with up to three dependencies, some of which split work, and waits in between.
TEST_CASE("hardly more threads work at a time than there are processors") {
    ThreadPool pool(16);
    std::atomic<unsigned> working{0}, most{0};
    std::vector<Task> tasks;
    for (int i = 0; i < 200; ++i)
        tasks.push_back(pool.submit([&] {
            const unsigned now = working.fetch_add(1) + 1;
            for (unsigned seen = most.load(); now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
            while (std::chrono::steady_clock::now() < end) {
            }
            working.fetch_sub(1);
        }));
    pool.wait_all();
    constexpr unsigned race = 2;  // threads that find work while another is woken for it
    CHECK(most.load() <= std::max(2U, resolve_threads(0)) + race);
}

TEST_CASE("random graphs of tasks keep their order for any number of threads") {
    constexpr std::size_t count = 2000;
    for (const unsigned threads : {1U, 2U, 8U}) {
        ThreadPool pool(threads);
        std::mt19937 random(threads);
        std::vector<Task> tasks;
        std::vector<std::vector<std::size_t>> from(count);
        std::vector<std::size_t> depth(count);  // in the graph, from 1; plain memory
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<Task> after;
            for (std::size_t k = random() % 4; k > 0 && i > 0; --k) {
                from[i].push_back(i - 1 - random() % std::min<std::size_t>(i, 20));
                after.push_back(tasks[from[i].back()]);
            }
            tasks.push_back(pool.reserve());
            const auto work = [&, i, splits = random() % 50 == 0] {
                std::vector<std::size_t> seen(from[i].size());
                const auto look = [&](std::size_t k) { seen[k] = depth[from[i][k]]; };
                if (splits)
                    pool.parallel_for(seen.size(), look);
                else
                    for (std::size_t k = 0; k < seen.size(); ++k) look(k);
                depth[i] = 1 + (seen.empty() ? 0 : std::ranges::max(seen));
            };
            pool.start(tasks.back(), work, after);
            if (random() % 100 == 0) pool.wait(tasks[random() % tasks.size()]);
            if (random() % 700 == 0) pool.wait_all();
        }
        pool.wait_all();
        CHECK(pool.pending() == 0);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t most = 0;
            for (const std::size_t one : from[i]) most = std::max(most, depth[one]);
            if (!tasks[i].done() || depth[i] != most + 1) ++wrong;
        }
        CHECK(wrong == 0);
    }
}
