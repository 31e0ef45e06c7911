#include <catch2/catch.hpp>

#include "sim/noc/requests.hpp"
#include "tests/sim/noc/noc_machine.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::noc;

namespace {

struct Requests : private RequestQueues::Client {
    Requests(std::uint32_t depth, std::uint32_t intake) : queues(wormhole(), depth, intake, *this) {}
    void enter(std::uint32_t id, Node from, Node to) { queues.enter(id, wormhole().route(0, from, to), -1); }
    std::vector<std::uint32_t> take(Node node, int count) {
        std::vector<std::uint32_t> taken;
        for (int i = 0; i < count; ++i) taken.push_back(queues.take(0, node));
        return taken;
    }
    RequestQueues queues;

private:
    void request_pending(int, Node) override {}
};

constexpr std::uint32_t none = RequestQueues::none;
using Taken = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("Requests of one input are taken in their order") {
    Requests r(16, 2);
    for (std::uint32_t i = 0; i < 5; ++i) r.enter(i, at(1, 1), at(3, 1));
    CHECK(r.take(at(3, 1), 6) == Taken{0, 1, 2, 3, 4, none});
}

TEST_CASE("Inputs of a router take turns") {
    Requests r(16, 2);
    for (std::uint32_t i = 0; i < 3; ++i) r.enter(i, at(1, 3), at(3, 3));    // along x
    for (std::uint32_t i = 10; i < 13; ++i) r.enter(i, at(3, 1), at(3, 3));  // along y
    for (std::uint32_t i = 20; i < 22; ++i) r.enter(i, at(3, 3), at(3, 3));  // its own
    CHECK(r.take(at(3, 3), 9) == Taken{20, 0, 10, 21, 1, 11, 2, 12, none});
}

TEST_CASE("Requests for a busy NIU block those behind them that would pass through") {
    Requests r(16, 2);
    for (std::uint32_t i = 0; i < 4; ++i) r.enter(i, at(1, 1), at(3, 1));
    r.enter(9, at(1, 1), at(4, 1));
    CHECK(r.take(at(4, 1), 1) == Taken{none});  // 2 and 3 stand before it at 3-1
    r.take(at(3, 1), 1);
    CHECK(r.take(at(4, 1), 1) == Taken{none});
    r.take(at(3, 1), 1);
    CHECK(r.take(at(4, 1), 1) == Taken{9});
}

TEST_CASE("Requests that came over the edge have buffers of their own") {
    Requests r(16, 1);
    for (std::uint32_t i = 0; i < 3; ++i) r.enter(i, at(1, 1), at(3, 1));
    r.enter(9, at(9, 1), at(4, 1));
    CHECK(r.take(at(4, 1), 1) == Taken{9});
}

TEST_CASE("Full buffers stop requests in the routers before, and all come through in the end") {
    Requests r(2, 1);
    for (std::uint32_t i = 0; i < 12; ++i) r.enter(i, at(1, 1), at(4, 1));
    for (std::uint32_t i = 20; i < 24; ++i) r.enter(i, at(3, 1), at(4, 1));
    Taken taken = r.take(at(4, 1), 16);
    CHECK(r.take(at(4, 1), 1) == Taken{none});
    Taken far, near;
    for (const std::uint32_t id : taken) (id < 20 ? far : near).push_back(id);
    CHECK(far == Taken{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(near == Taken{20, 21, 22, 23});
    // both queues before the link got their turns
    CHECK(std::find(taken.begin(), taken.end(), 23U) < taken.end() - 2);
}
