// Times of runs of ops, as the search for epochs counts them.
#include <catch2/catch.hpp>
#include <random>

#include "compiler/backend/choices.hpp"
#include "compiler/backend/run_times.hpp"

using namespace ttsim::impl::ir;

namespace {

constexpr std::size_t ops = 24, levels = 5;

/// Ops that read some of those before them, with candidates of any times.
Choices random_choices(std::mt19937& random) {
    Choices choices;
    choices.ops.resize(ops);
    choices.into.resize(ops);
    choices.from.resize(ops);
    for (std::size_t op = 0; op < ops; ++op) {
        choices.ops[op].first_share = random() % 2 == 0 ? 1 : 0.25;
        for (std::size_t k = 0; k < levels; ++k) {
            Candidate c;
            c.kernel_cycles = static_cast<double>(1 + random() % 1000);
            c.pipe_cycles = static_cast<double>(random() % 500);
            c.resident_cycles = static_cast<double>(random() % 100);
            choices.ops[op].choice.fitting.push_back(c);
        }
        for (std::size_t n = op == 0 ? 0 : random() % 3; n > 0; --n) {
            const std::size_t producer = random() % op;
            choices.into[op].push_back(choices.edges.size());
            choices.from[producer].push_back(choices.edges.size());
            choices.edges.push_back({producer, op});
        }
    }
    choices.times = OpTimes(choices);
    return choices;
}

Levels random_levels(std::mt19937& random) {
    Levels all;
    for (std::size_t level = 0; level < levels; ++level) {
        std::vector<std::size_t> chosen;
        for (std::size_t op = 0; op < ops; ++op) chosen.push_back(random() % levels);
        all.add(chosen, std::vector<std::int64_t>(ops, 1));
    }
    return all;
}

double exact(const Choices& choices, const Levels& all, std::size_t first, std::size_t end, std::size_t level) {
    const std::vector<std::size_t>& chosen = all.chosen(level);
    return latency_of(choices.times, first, std::span(chosen).subspan(first, end - first));
}

}  // namespace

TEST_CASE("a run continues from a known state, and no further than needed") {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const Choices choices = random_choices(random);
        const Levels all = random_levels(random);
        RunTimes times(choices.times, nullptr, all, ops);
        for (int query = 0; query < 300; ++query) {
            const std::size_t first = random() % ops, end = first + 1 + random() % (ops - first);
            const std::size_t level = random() % levels;
            const double most = static_cast<double>(random() % 4000), time = exact(choices, all, first, end, level);
            const auto found = times.of(first, end, level, [&](const RunTimes::Time& t) { return t.clocks >= most; });
            CHECK(found.clocks <= time);
            if (found.clocks < most) CHECK(found.clocks == time);
        }
    }
}

TEST_CASE("the bound of one run is at most that of neighbouring runs at its level or a later one") {
    std::mt19937 random(8);
    for (int round = 0; round < 20; ++round) {
        const Choices choices = random_choices(random);
        const Levels all = random_levels(random);
        RunBounds bounds(choices.times, all, ops, ops);
        std::size_t useful = 0;
        for (std::size_t end = 1; end <= ops; ++end) {
            bounds.begin(end);
            for (std::size_t first = end; first-- > 0;) {
                if (random() % 3 == 0) bounds.count(first, random() % levels);
                for (std::size_t level = 0; level < levels; ++level) {
                    CHECK(bounds.known(level) <= exact(choices, all, first, end, level));
                    if (bounds.known(level) > 0) ++useful;
                }
            }
        }
        CHECK(useful > 0);
    }
}
