// A session is controlled call by call.
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "tests/netlist/temp_folder.hpp"
#include "tests/runtime/resident.hpp"
#include "tests/runtime/session_calls.hpp"
#include "tests/sim/netlist_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;
using namespace ttsim::impl::test;
using runtime::Session;
using runtime::SessionOptions;
using runtime::Timeout;

namespace {

/// y = a + w for entries of queue a and slot 0 of ram w; `loops` inputs a call, pointers kept from call to call.
std::string add_text(int entries = 4, int loops = 1) {
    NetlistText n;
    n.queue({.name = "a", .entries = entries});
    n.queue({.name = "w", .entries = 2, .ram = true});
    n.queue({.name = "y", .input = "sum", .entries = entries});
    n.graph("g", 1);
    n.op({.name = "sum", .type = "add", .inputs = {"a", "w"}});
    std::vector<std::string> steps{"staticvar: {$l: 0, $g: 0}",
                                   fmt::format("loop: {}", loops),
                                   execute("g", {fifo("a"), ram("w")}),
                                   fmt::format("varinst: [$l, incwrap, 1, {}]", 2 * entries),
                                   fmt::format("varinst: [$g, incwrap, 1, {}]", 2 * entries),
                                   "endloop"};
    n.program("p", steps);
    return n.text();
}

bool has_clock(const SessionOptions& options) {
    return !options.golden && options.mode != ttsim::impl::sim::Mode::Functional;
}

}  // namespace

TEST_CASE("A session adds the pushed entries run after run, and its clock continues") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    session->write("w", 0, tile(10));
    std::uint64_t before = 0;
    for (int n = 0; n < 20; ++n) {
        session->push("a", tile(static_cast<float>(n)));
        session->run("p");
        CHECK(session->idle());
        CHECK(session->ready("y") == 1);
        CHECK(first(session->get("y")) == static_cast<float>(10 + n));
        session->pop("y");
        CHECK((session->now() > before) == has_clock(options));
        before = session->now();
    }
    CHECK(session->report().graphs.at(0).executes == 20);
}

TEST_CASE("The second run reads a RAM written between the two runs") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    for (const float weight : {1.0F, 2.0F, -3.0F}) {
        const std::uint64_t before = session->now();
        session->write("w", 0, tile(weight));
        CHECK((before == 0 || session->now() > before));
        CHECK(first(session->read("w", 0)) == weight);
        session->push("a", tile(5));
        session->run("p");
        CHECK(first(session->get("y")) == 5 + weight);
        session->pop("y");
    }
    CHECK(first(session->read("w", 1)) == 0);
}

TEST_CASE("A program that lacks inputs waits, and goes on when they come") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    session->write("w", 0, tile(1));
    session->run("p");
    session->run("p");
    CHECK_FALSE(session->idle());
    CHECK_THAT(refusal([&] { session->get("y"); }, Fault::Hang),
               Catch::Contains("queue 'y' has no entry to get") && Catch::Contains("waits for"));
    session->push("a", tile(2));
    CHECK(first(session->get("y")) == 3);
    session->push("a", tile(3));
    session->wait();
    CHECK(session->ready("y") == 2);
    CHECK(first(session->get("y", {}, 1)) == 4);
}

TEST_CASE("Unpopped outputs stall the machine, and a full queue refuses a push") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(2), options);
    session->write("w", 0, tile(0));
    for (int n = 0; n < 2; ++n) {
        session->push("a", tile(static_cast<float>(n)));
        session->run("p");
    }
    session->push("a", tile(2));
    session->run("p");
    CHECK_FALSE(session->idle());  // y has two entries, both full
    session->push("a", tile(3));
    CHECK_THAT(refusal([&] { session->push("a", tile(4)); }, Fault::Hang), Catch::Contains("queue 'a' has no room"));
    for (int n = 0; n < 3; ++n) {
        CHECK(first(session->get("y")) == static_cast<float>(n));
        session->pop("y");
    }
    session->wait();
    session->run("p");
    CHECK(first(session->get("y")) == 3);
}

TEST_CASE("A call ends when its timeout does, and another goes on from there") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    session->write("w", 0, tile(1));
    session->push("a", tile(2));
    session->push("a", tile(2));
    session->push("a", tile(2));
    session->run("p");
    session->run("p");
    const std::uint64_t start = session->now();
    session->pop("y", 2);
    CHECK_THAT(refusal([&] { session->get("y", Timeout{10}); }, Fault::Hang), Catch::Contains("queue 'y'"));
    CHECK(session->now() <= start + 10);
    session->run("p");
    CHECK(first(session->get("y")) == 3);
}

TEST_CASE("The same calls give the same bits and cycles, one session beside another in threads") {
    const SessionOptions options = each_engine();
    const auto play = [&options](std::uint64_t& cycles, float& sum) {
        const auto session = open(add_text(4, 2), options);
        session->write("w", 0, tile(0.5F));
        for (int n = 0; n < 10; ++n) {
            session->push("a", {tile(static_cast<float>(n)), tile(1)});
            session->run("p");
            sum += first(session->get("y")) + first(session->get("y", {}, 1));
            session->pop("y", 2);
        }
        cycles = session->now();
    };
    std::uint64_t alone = 0, cycles[2] = {};
    float alone_sum = 0, sums[2] = {};
    play(alone, alone_sum);
    std::thread other([&] { play(cycles[0], sums[0]); });
    play(cycles[1], sums[1]);
    other.join();
    CHECK(alone_sum == 45 + 10 + 10);
    for (const int n : {0, 1}) {
        CHECK(cycles[n] == alone);
        CHECK(sums[n] == alone_sum);
    }
}

TEST_CASE("One thread pushes and runs, another gets and pops") {
    SessionOptions options = each_engine();
    options.other_threads = std::chrono::seconds(20);
    const auto session = open(add_text(2), options);
    session->write("w", 0, tile(1));
    std::thread producer([&] {
        for (int n = 0; n < 30; ++n) {
            session->push("a", tile(static_cast<float>(n)));
            session->run("p");
        }
    });
    int wrong = 0;
    for (int n = 0; n < 30; ++n) {
        wrong += first(session->get("y")) == static_cast<float>(n + 1) ? 0 : 1;
        session->pop("y");
    }
    producer.join();
    CHECK(wrong == 0);
}

namespace {
void add_once(Session& session) {
    session.push("a", tile(1));
    session.run("p");
    session.get("y");
    session.pop("y");
}
}  // namespace

TEST_CASE("Closed sessions leave nothing behind") {
    const SessionOptions options = each_engine();
    const auto open_and_close = [&options](int times) {
        for (int n = 0; n < times; ++n) add_once(*open(add_text(), options));
    };
    open_and_close(10);
    const std::int64_t before = resident();
    open_and_close(1000);
    CHECK(resident() - before < 1 << 20);
}

TEST_CASE("A session that is used for long does not grow") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    for (int n = 0; n < 100; ++n) add_once(*session);
    const std::int64_t before = resident();
    for (int n = 0; n < 10'000; ++n) add_once(*session);
    CHECK(resident() - before < 1 << 20);
}

TEST_CASE("A wrong call says what is wrong and changes nothing") {
    const SessionOptions options = each_engine();
    const auto session = open(add_text(), options);
    CHECK_THAT(refusal([&] { session->push("b", tile(0)); }, Fault::Input), Catch::Contains("no queue 'b'"));
    CHECK_THAT(refusal([&] { session->push("y", tile(0)); }, Fault::Input), Catch::Contains("filled by op 'sum'"));
    CHECK_THAT(refusal([&] { session->push("w", tile(0)); }, Fault::Input), Catch::Contains("'w' is a ram"));
    CHECK_THAT(refusal([&] { session->get("a"); }, Fault::Input), Catch::Contains("filled by the host"));
    CHECK_THAT(refusal([&] { session->push("a", Tensor(1, 32, 64)); }, Fault::Input),
               Catch::Contains("[1, 32, 32], not [1, 32, 64]"));
    CHECK_THAT(refusal([&] { session->write("w", 2, tile(0)); }, Fault::Input), Catch::Contains("slots 0..1"));
    CHECK_THAT(refusal([&] { session->run("q"); }, Fault::Input), Catch::Contains("no program 'q'"));
    CHECK_THAT(refusal([&] { session->run("p", {{"z", 1}}); }, Fault::Input), Catch::Contains("z"));
    CHECK_THAT(refusal([&] { session->push("a", std::vector<Tensor>(5, tile(0))); }, Fault::Input),
               Catch::Contains("never"));
    CHECK(session->room("a") == 4);
    CHECK(session->now() == 0);
}

TEST_CASE("A chip that is changed only in memory is the chip of the session") {
    const auto played = [](const Machine& machine, float& sum) {
        SessionOptions options;
        options.threads = 1;
        Session session(read_netlist_text(add_text(), "session.yaml"), machine, options);
        session.write("w", 0, tile(1));
        session.push("a", tile(2));
        session.run("p");
        sum = first(session.get("y"));
        return session.now();
    };
    const Machine known = make_machine("wormhole_b0", {});
    float sum = 0;
    const std::uint64_t cycles = played(known, sum);
    Machine far = known;
    far.chips.front().params.timing.noc_hop *= 50;
    CHECK(played(far, sum) > cycles + 400);
    Machine slow = known;
    slow.chips.front().params.files.memory = (temp_folder() / "slow_memory.yaml").string();
    std::ofstream(slow.chips.front().params.files.memory) << "like: wormhole_b0\ndram: {peak_bytes: 0.5}\n";
    CHECK(played(slow, sum) > cycles + 400);
    CHECK(sum == 3);
    CHECK(played(known, sum) == cycles);
}
