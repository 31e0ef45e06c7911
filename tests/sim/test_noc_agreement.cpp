// The machine's NoC (reservations of whole transfers) and the packet model, on the same transfers with the same
// constants.
#include <catch2/catch.hpp>
#include <random>

#include "sim/machine/resources.hpp"
#include "sim/noc/fabric.hpp"

using namespace ttsim::impl;

namespace {

struct Move {
    int noc = 0;
    NocCoord from;
    sim::NocEnd to;
    std::uint64_t bytes = 0;
    sim::Cycle ready = 0;
};

const ChipParams& wormhole() { return chip("wormhole_b0"); }

/// What the packet model makes of them: a core's writes, of which nobody waits for the acknowledgement.
class Packets : private noc::Fabric::Client {
public:
    explicit Packets(const std::vector<Move>& moves)
        : moves_(moves), topology_(wormhole()), fabric_(topology_, noc::constants(wormhole()), *this) {
        arrivals_.resize(moves.size());
        trees_.resize(moves.size());
        for (std::uint32_t i = 0; i < moves.size(); ++i) fabric_.at(static_cast<double>(moves[i].ready), 0, i);
    }
    std::vector<double> run() {
        REQUIRE(fabric_.run());
        return arrivals_;
    }

private:
    void timer(std::uint32_t, std::uint32_t i, noc::Time) override {
        const Move& move = moves_[i];
        noc::Transaction t;
        t.kind = noc::Kind::PostedWrite;
        t.noc = move.noc;
        t.from = topology_.node(move.from);
        t.to = topology_.node(move.to.high);
        t.bytes = move.bytes;
        t.tag = i;
        if (move.to.many()) {
            t.kind = noc::Kind::PostedMulticast;
            trees_[i] = topology_.tree(move.noc, t.from, move.noc == 0 ? move.to.low : move.to.high,
                                       move.noc == 0 ? move.to.high : move.to.low);
            t.tree = &trees_[i];
        }
        fabric_.issue(t);
    }
    void departed(std::uint32_t, noc::Time) override {}
    void completed(std::uint32_t i, noc::Time, noc::Time when) override { arrivals_[i] = when; }

    const std::vector<Move>& moves_;
    noc::Topology topology_;
    noc::Fabric fabric_;
    std::vector<double> arrivals_;
    std::vector<noc::Topology::Tree> trees_;
};

std::vector<double> reserved(const std::vector<Move>& moves) {
    sim::Noc noc(wormhole());
    std::vector<double> arrivals;
    for (const Move& m : moves)
        arrivals.push_back(static_cast<double>(noc.send(m.noc, m.from, m.to, m.bytes, m.ready, m.ready)));
    return arrivals;
}

/// Percent by which the machine's last arrival differs from the packet model's.
double last_off(const std::vector<Move>& moves) {
    const std::vector<double> machine = reserved(moves), packets = Packets(moves).run();
    return 100 *
           (*std::max_element(machine.begin(), machine.end()) / *std::max_element(packets.begin(), packets.end()) - 1);
}

/// The same of the mean time from ready to arrival.
double mean_off(const std::vector<Move>& moves) {
    const std::vector<double> machine = reserved(moves), packets = Packets(moves).run();
    double a = 0, b = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        a += machine[i] - static_cast<double>(moves[i].ready);
        b += packets[i] - static_cast<double>(moves[i].ready);
    }
    return 100 * (a / b - 1);
}

const std::vector<NocCoord> around = {{2, 1}, {3, 2}, {4, 3}, {6, 4}, {7, 5}, {8, 7}, {9, 8}, {2, 9}};

}  // namespace

TEST_CASE("one transfer alone takes as long as its packets") {
    for (const int which : {0, 1})
        for (const std::uint64_t bytes : {64U, 1024U, 2080U, 8192U, 20000U, 65536U}) {
            const double off = last_off({{which, {1, 1}, NocCoord{4, 5}, bytes, 0}});
            INFO("NoC " << which << ", " << bytes << " B: " << off << " %");
            CHECK(std::abs(off) < 2);
        }
}

TEST_CASE("transfers of one source, or into one core, take as long together as their packets") {
    for (const int which : {0, 1}) {
        std::vector<Move> out, in;
        for (const NocCoord other : around) {
            out.push_back({which, {1, 1}, other, 20000, 0});
            in.push_back({which, other, NocCoord{1, 1}, 20000, 0});
        }
        INFO("NoC " << which << ": out " << last_off(out) << " %, in " << last_off(in) << " %");
        CHECK(std::abs(last_off(out)) < 3);
        CHECK(std::abs(last_off(in)) < 3);
    }
}

TEST_CASE("both NoCs share the L1 they read, and the one they write") {
    std::vector<Move> out, in;
    for (const NocCoord other : around)
        for (const int which : {0, 1}) {
            out.push_back({which, {1, 1}, other, 20000, 0});
            in.push_back({which, other, NocCoord{1, 1}, 20000, 0});
        }
    INFO("out " << last_off(out) << " %, in " << last_off(in) << " %");
    CHECK(std::abs(last_off(out)) < 3);
    CHECK(std::abs(last_off(in)) < 5);
    // what one L1 gives both is less than two interfaces could take
    std::vector<Move> one;
    for (const Move& m : out)
        if (m.noc == 0) one.push_back(m);
    const std::vector<double> both = reserved(out), alone = reserved(one);
    CHECK(both.back() > 1.1 * alone.back());
}

TEST_CASE("multicasts take their whole tree, one after the other where they meet") {
    const sim::NocEnd row({2, 2}, {9, 2}), other({2, 8}, {9, 8});
    for (const std::uint64_t bytes : {32U, 2080U, 8192U}) {
        INFO(bytes << " B: " << last_off({{0, {1, 2}, row, bytes, 0}}) << " %");
        CHECK(std::abs(last_off({{0, {1, 2}, row, bytes, 0}})) < 2);
        CHECK(std::abs(last_off({{0, {1, 2}, row, bytes, 0}, {0, {3, 2}, row, bytes, 0}})) < 4);
        CHECK(std::abs(last_off({{0, {1, 2}, row, bytes, 0}, {0, {1, 8}, other, bytes, 0}})) < 2);
    }
}

TEST_CASE("under load the machine's transfers wait as long as packets do, until those block each other's links") {
    // one transfer of 17 KB on average in so many cycles, on 80 cores and both NoCs: percent of the links' capacity
    // 0.5, 5, 20
    const auto off = [](unsigned gap) {
        std::mt19937 random(3);
        std::vector<Move> moves;
        sim::Cycle now = 0;
        for (int i = 0; i < 300; ++i) {
            const auto core = [&] {
                return NocCoord{wormhole().worker_x[random() % wormhole().worker_x.size()],
                                wormhole().worker_y[random() % wormhole().worker_y.size()]};
            };
            const NocCoord from = core(), to = core();
            now += random() % (2 * gap);
            moves.push_back({static_cast<int>(random() % 2), from, to, 2048 + random() % 30000, now});
        }
        CHECK(std::abs(last_off(moves)) < 3);
        return mean_off(moves);
    };
    CHECK(std::abs(off(2000)) < 1);
    CHECK(std::abs(off(200)) < 5);
    const double saturated = off(50);
    INFO(saturated << " %");
    CHECK(saturated < 0);
    CHECK(saturated > -45);
}
