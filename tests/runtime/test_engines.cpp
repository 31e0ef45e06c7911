// Sessions on every engine against the run of a file: the same inputs, pushed in whatever order, give the same bits.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <random>

#include "netlist/golden/golden.hpp"
#include "sim/inputs/host_inputs.hpp"
#include "sim/setup/setup.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/runtime/session_calls.hpp"
#include "tests/sim/netlist_text.hpp"
#include "tests/sim/random_netlist.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using runtime::Session;
using runtime::SessionOptions;
using runtime::Timeout;

namespace {

using Outputs = std::map<std::string, std::map<std::int64_t, Tensor>>;  // by queue and entry

/// A netlist file with what its host queues hold.
struct Played {
    sim::RunOptions options;
    std::unique_ptr<sim::Setup> setup;
    sim::HostInputs inputs;

    explicit Played(const std::string& file) {
        options.netlist = file;
        options.check = false;
        setup = sim::set_up(options);
        inputs = sim::HostInputs::generate(setup->netlist, setup->state->forecast, options.seed, options.stimulus,
                                           *setup->pool);
    }
    const Netlist& netlist() const { return setup->netlist; }
    Tensor input(const Queue& queue, std::int64_t n) const {
        return sim::unpack_entry({{inputs.entry(queue, n)}, queue.shape().z});
    }

    Outputs run(sim::Mode mode) const {
        Outputs outputs;
        sim::RunOptions wanted = options;
        wanted.mode = mode;
        wanted.sink = [&](const std::string& queue, std::int64_t n, Tensor value) { outputs[queue][n] = value; };
        sim::run(wanted);
        return outputs;
    }
    /// The reference that a run is compared with.
    Outputs golden(const Outputs& wanted) const {
        GoldenOptions how;
        how.tf32 = setup->machine.chips.front().params.features.tf32;
        how.host_entry = [this](const Queue& queue, std::int64_t n) {
            return sim::unpack_exactly({{inputs.entry(queue, n)}, queue.shape().z});
        };
        Golden golden(netlist(), setup->state->forecast, how, *setup->pool);
        golden.run(setup->state->calls);
        Outputs outputs;
        for (const auto& [name, entries] : wanted)
            for (const auto& [n, _] : entries)
                if (const auto value = golden.entry(*netlist().find_queue(name), n)) outputs[name][n] = *value;
        return outputs;
    }
};

/// Pushes, runs and pops in an order of its own, as far as queues allow.
class Player {
public:
    Player(const Played& played, const Outputs& wanted, SessionOptions options, std::uint32_t seed)
        : played_(played), wanted_(wanted), session_(played.netlist(), played.setup->machine, options), random_(seed) {}

    Outputs play() {
        for (const auto& [queue, entries] : played_.inputs.all())
            if (queue->type == QueueType::Ram)
                for (const auto& [slot, _] : entries) session_.write(queue->name, slot, played_.input(*queue, slot));
        while (!over()) {
            const std::size_t before = moves_;
            if (random_() % 2 == 0) push();
            if (random_() % 2 == 0) run();
            if (random_() % 2 == 0) pop();
            if (moves_ != before) continue;
            push();
            run();
            pop();
            push();  // what could not be popped has moved the engine
            REQUIRE(moves_ != before);
        }
        session_.wait();
        read_rams();
        return std::move(outputs_);
    }

private:
    bool over() const {
        if (ran_ < played_.setup->state->calls.size()) return false;
        for (const auto& [name, entries] : wanted_) {
            if (!host_pops(name)) continue;
            const auto got = outputs_.find(name);
            if (got == outputs_.end() || got->second.size() < entries.size()) return false;
        }
        return true;
    }
    bool host_pops(const std::string& name) const {
        const Queue& queue = *played_.netlist().find_queue(name);
        return queue.type == QueueType::Queue && !played_.setup->state->read_by_graph[&queue];
    }
    void push() {
        for (const auto& [queue, entries] : played_.inputs.all()) {
            if (queue->type == QueueType::Ram) continue;
            std::int64_t& next = next_[queue];
            std::int64_t most = static_cast<std::int64_t>(random_() % 4) + 1;
            for (; most > 0 && session_.room(queue->name) > 0 && entries.contains(next); --most, ++moves_)
                session_.push(queue->name, played_.input(*queue, next++));
        }
    }
    void run() {
        if (ran_ == played_.setup->state->calls.size()) return;
        const ProgramCall& call = played_.setup->state->calls[ran_++];
        session_.run(call.program->name, call.params);
        ++moves_;
    }
    void pop() {
        for (const auto& [name, entries] : wanted_) {
            if (!host_pops(name) || outputs_[name].size() == entries.size()) continue;
            try {
                const std::int64_t ahead = random_() % 2 == 0 ? std::max<std::int64_t>(0, session_.ready(name) - 1) : 0;
                session_.get(name, {}, ahead);
                const Tensor value = session_.get(name);
                outputs_[name].emplace(static_cast<std::int64_t>(outputs_[name].size()), value);
                session_.pop(name);
                ++moves_;
            } catch (const Error& error) {
                if (error.fault() != Fault::Hang) throw;
            }
        }
    }
    void read_rams() {
        for (const auto& [name, entries] : wanted_)
            if (played_.netlist().find_queue(name)->type == QueueType::Ram)
                for (const auto& [slot, _] : entries) outputs_[name][slot] = session_.read(name, slot);
    }

    const Played& played_;
    const Outputs& wanted_;
    Session session_;
    std::mt19937 random_;
    std::map<const Queue*, std::int64_t> next_;
    std::size_t ran_ = 0, moves_ = 0;
    Outputs outputs_;
};

/// Entries that are not in both with the same bits; those of queues that `got` does not have do not count.
std::vector<std::string> differing(const Outputs& wanted, const Outputs& got) {
    std::vector<std::string> names;
    for (const auto& [name, entries] : got)
        for (const auto& [n, value] : entries) {
            const auto& known = wanted.at(name);
            const auto it = known.find(n);
            const bool same =
                it != known.end() && it->second.data.size() == value.data.size() &&
                std::memcmp(it->second.data.data(), value.data.data(), value.data.size() * sizeof(float)) == 0;
            if (!same) names.push_back(fmt::format("{}[{}]", name, n));
        }
    return names;
}

/// `full`: the machine can run it too.
void compare_engines(const Played& played, std::uint32_t seed, bool full) {
    const Outputs functional = played.run(sim::Mode::Functional);
    const Outputs golden = played.golden(functional);
    REQUIRE(!functional.empty());
    if (full) CHECK(differing(played.run(sim::Mode::Full), functional).empty());
    for (const unsigned threads : {1U, 4U}) {
        SessionOptions options;
        options.threads = threads;
        options.mode = sim::Mode::Functional;
        CHECK(differing(functional, Player(played, functional, options, seed).play()).empty());
        options.golden = true;
        CHECK(differing(golden, Player(played, functional, options, seed + 1).play()).empty());
        options.golden = false;
        options.mode = sim::Mode::Full;
        if (full) CHECK(differing(functional, Player(played, functional, options, seed + 2).play()).empty());
    }
}

}  // namespace

TEST_CASE("examples leave the same bits in a session of any engine as in a run") {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(source_folder() / "examples"))
        if (file.path().extension() == ".yaml") files.push_back(file.path().string());
    REQUIRE(files.size() >= 7);
    for (const std::string& file : files) {
        INFO(file);
        compare_engines(Played(file), 1, true);
    }
}

TEST_CASE("random netlists leave the same bits in a session of any engine as in a run") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        const RandomNetlist made = random_netlist(seed);
        INFO("seed " << seed << "\n" << made.text);
        compare_engines(Played(write_temp(fmt::format("engines{}.yaml", seed), made.text)), seed, !made.may_hang);
    }
}

TEST_CASE("long runs of random netlists leave the same bits in sessions without a clock as in a run") {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const RandomNetlist made = random_netlist(seed, true);
        INFO("seed " << seed << "\n" << made.text);
        compare_engines(Played(write_temp(fmt::format("long{}.yaml", seed), made.text)), seed, false);
    }
}

TEST_CASE("gradients add up over the inputs of a call and from call to call, on each engine") {
    const SessionOptions options = each_engine();
    NetlistText n;
    n.queue({.name = "x", .entries = 4});
    n.queue({.name = "sum", .input = "gradient", .entries = 1, .ram = true});
    n.graph("g", 2);
    n.op({.name = "gradient", .type = "nop", .inputs = {"x"}, .gradient = true});
    n.program("p", {"staticvar: {$l: 0, $g: 0}", execute("g", {fifo("x"), ram("sum")}), "varinst: [$l, incwrap, 2, 8]",
                    "varinst: [$g, incwrap, 2, 8]"});
    const auto session = open(n.text(), options);
    for (int call = 1; call <= 3; ++call) {
        session->push("x", {tile(1), tile(2)});
        session->run("p");
        CHECK(first(session->read("sum", 0)) == 3.0F * static_cast<float>(call));
    }
    session->write("sum", 0, tile(0));
    session->push("x", {tile(5), tile(6)});
    session->run("p");
    CHECK(first(session->read("sum", 0)) == 11);
}

TEST_CASE("two chips with a short queue between them take turns on each engine") {
    const SessionOptions options = each_engine();
    NetlistText n;
    n.queue({.name = "x", .entries = 3});
    n.queue({.name = "mid", .input = "first", .entries = 2, .device = 1});
    n.queue({.name = "y", .input = "second", .entries = 2, .device = 1});
    n.graph("g", 7);
    n.op({.name = "first", .type = "nop", .inputs = {"x"}});
    n.graph("h", 7, 1);
    n.op({.name = "second", .type = "nop", .inputs = {"mid"}});
    const std::string popping =
        ": {prologue: false, epilogue: false, zero: false, rd_ptr_autoinc: 1, "
        "rd_ptr_global: $g, rd_ptr_local: $g, global_rdptr_autoinc: 1}";
    n.program("p", {"var: {$g: 0}", execute("g", {"x" + popping}), execute("h", {"mid" + popping})});
    MachineOptions two;
    two.chips = 2;
    Session session(read_netlist_text(n.text(), "session.yaml"), make_machine("wormhole_b0", two), options);
    session.run("p");
    for (int i = 0; i < 7; ++i) session.push("x", tile(static_cast<float>(i)), {});
    CHECK_FALSE(session.idle());
    for (int i = 0; i < 7; ++i) {
        CHECK(first(session.get("y")) == static_cast<float>(i));
        session.pop("y");
    }
    session.wait();
    CHECK(session.report().graphs.size() == 2);
}

TEST_CASE("a queue too short for a graph's outputs stops every engine, which names the waiting graph") {
    const SessionOptions options = each_engine();
    NetlistText n = two_graphs(4, 2);
    n.program("p", {"var: {$l: 0, $g: 0}", execute("g", {fifo("x")}), execute("h", {fifo("mid")})});
    const auto session = open(n.text(), options);
    for (int i = 0; i < 4; ++i) session->push("x", tile(1));
    session->run("p");
    CHECK_FALSE(session->idle());
    CHECK_THAT(refusal([&] { session->wait(); }, Fault::Hang),
               Catch::Contains("programs cannot end") && Catch::Contains("all 2 entries are full"));
}

TEST_CASE("the ops of a graph that have inputs run, the others wait, on each engine") {
    const SessionOptions options = each_engine();
    NetlistText n;
    for (const char* name : {"a", "b"}) n.queue({.name = name});
    n.queue({.name = "x", .input = "left"});
    n.queue({.name = "y", .input = "right"});
    n.graph("g", 1);
    n.op({.name = "left", .type = "nop", .inputs = {"a"}});
    n.op({.name = "right", .type = "nop", .inputs = {"b"}, .col = 1});
    n.program("p", looped(1, {execute("g", {fifo("a"), fifo("b")})}, 1, 4));
    const auto session = open(n.text(), options);
    session->run("p");
    session->push("b", tile(2));
    CHECK(first(session->get("y")) == 2);
    CHECK_THAT(refusal([&] { session->get("x"); }, Fault::Hang), Catch::Contains("entry 0 of queue 'a'"));
    session->push("a", tile(1));
    session->wait();
    CHECK(first(session->get("x")) == 1);
}

/// Graph g: y is a, entry by entry.
static NetlistText one_nop() {
    NetlistText n;
    n.queue({.name = "a"});
    n.queue({.name = "y", .input = "same"});
    n.graph("g", 1);
    n.op({.name = "same", .type = "nop", .inputs = {"a"}});
    return n;
}

TEST_CASE("a call that cannot be made leaves every engine as it was") {
    const SessionOptions options = each_engine();
    NetlistText n = one_nop();
    n.program("p", {"param: [$p_n]", "staticvar: {$l: 0, $g: 0}", "loop: $p_n", execute("g", {fifo("a")}),
                    "varinst: [$l, incwrap, 1, 4]", "varinst: [$g, incwrap, 1, 4]", "endloop"});
    const auto session = open(n.text(), options);
    session->push("a", tile(1));
    CHECK_THAT(refusal([&] { session->run("p", {{"p_n", 0}}); }, Fault::Input), Catch::Contains("loop count is 0"));
    CHECK(session->idle());
    session->run("p", {{"p_n", 1}});
    CHECK(first(session->get("y")) == 1);
    session->wait();
}

TEST_CASE("an output queue that each run allocates is read from its start each time, on each engine") {
    const SessionOptions options = each_engine();
    NetlistText n = one_nop();
    n.program("p", {"staticvar: {$l: 0, $g: 0}", "allocate_queue: [y]", execute("g", {fifo("a")}),
                    "varinst: [$l, incwrap, 1, 4]", "varinst: [$g, incwrap, 1, 4]"});
    const auto session = open(n.text(), options);
    for (int i = 0; i < 5; ++i) {
        session->push("a", tile(static_cast<float>(i)));
        session->run("p");
        CHECK(first(session->get("y")) == static_cast<float>(i));
        session->pop("y");
        CHECK(session->ready("y") == 0);
    }
}

TEST_CASE("a graph without ops is over at once on each engine") {
    const SessionOptions options = each_engine();
    NetlistText n = one_nop();
    n.graph("empty", 1);
    n.program("p", looped(1, {execute("empty", {}), execute("g", {fifo("a")})}, 1, 4));
    const auto session = open(n.text(), options);
    session->push("a", tile(4));
    session->run("p");
    CHECK(session->idle());
    CHECK(first(session->get("y")) == 4);
}

TEST_CASE("a session refuses with the same message on every engine") {
    NetlistText n = two_graphs(2, 2);
    n.queue({.name = "w", .entries = 2, .ram = true});
    n.program("p", looped(1, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 2, 4));
    const auto all = [&](SessionOptions options) {
        const auto session = open(n.text(), options);
        std::vector<std::string> words;
        const auto ask = [&](auto&& call) { words.push_back(refusal(call, Fault::Input)); };
        ask([&] { session->push("z", tile(0)); });
        ask([&] { session->push("y", tile(0)); });
        ask([&] { session->push("w", tile(0)); });
        ask([&] { session->push("x", Tensor(1, 64, 32)); });
        ask([&] { session->push("x", std::vector<Tensor>(3, tile(0))); });
        ask([&] { session->get("x"); });
        ask([&] { session->get("mid"); });
        ask([&] { session->get("y", {}, 2); });
        ask([&] { session->pop("mid"); });
        ask([&] { session->pop("w"); });
        ask([&] { session->pop("y", 3); });
        ask([&] { session->write("x", 0, tile(0)); });
        ask([&] { session->write("w", 2, tile(0)); });
        ask([&] { session->read("w", -1); });
        ask([&] { session->run("q"); });
        ask([&] { session->run("p", {{"n", 1}}); });
        words.push_back(refusal([&] { session->pop("y", 1, Timeout::none()); }, Fault::Hang));
        return words;
    };
    SessionOptions options;
    const std::vector<std::string> machine = all(options);
    options.mode = sim::Mode::Functional;
    CHECK(all(options) == machine);
    options.golden = true;
    CHECK(all(options) == machine);
}

TEST_CASE("an engine without a clock writes no trace, and golden has values whatever the mode") {
    SessionOptions options;
    options.trace.file = "session.trace";
    options.mode = sim::Mode::Functional;
    NetlistText n = two_graphs(1, 1);
    n.program("p", looped(1, {execute("g", {fifo("x")}), execute("h", {fifo("mid")})}, 1, 2));
    CHECK_THAT(refusal([&] { open(n.text(), options); }, Fault::Input), Catch::Contains("no clock"));
    options.mode = sim::Mode::Timing;
    options.golden = true;
    CHECK_THAT(refusal([&] { open(n.text(), options); }, Fault::Input), Catch::Contains("no clock"));
    options.trace.file = "";
    const auto session = open(n.text(), options);
    session->push("x", tile(3));
    session->run("p");
    CHECK(first(session->get("y")) == 3);
    CHECK(session->now() == 0);
}
