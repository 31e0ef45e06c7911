// Estimated times of candidate grids.
#include <catch2/catch.hpp>

#include "compiler/backend/blocking.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

constexpr std::int64_t tiles = 64;

/// Element by element, of two operands with 2,080 bytes a tile.
Op sum() {
    Op op;
    op.cfg.type = op.cfg.name = "add";
    op.cfg.chip = traits_of(chip("wormhole_b0").features);
    op.cfg.in.assign(2, {1, 1, tiles});
    op.cfg.in_tile.assign(2, TileDim{});
    op.cfg.in_df.assign(2, DataFormat::Float16_b);
    op.cfg.out_df = op.cfg.acc_df = op.cfg.intermed_df = DataFormat::Float16_b;
    op.cfg.fidelity = Fidelity::HiFi4;
    op.cfg.out.mblock_n = tiles;
    op.tms.resize(2);
    return op;
}

Candidate on_one_core(const std::vector<Origin>& origins) {
    OpBudget budget;
    budget.chip = &chip("wormhole_b0");
    budget.microbatch = 2;
    return choose_blocking(sum(), origins, budget, nullptr, nullptr).fitting.front();
}

}  // namespace

TEST_CASE("both operands arrive at a core by one port of its NoC") {
    const Candidate both = on_one_core({Origin::Op, Origin::Op});
    const Candidate constant = on_one_core({Origin::Op, Origin::Constant});
    const double arrival = 2 * tiles * 2080 / chip("wormhole_b0").timing.noc_link_bytes;
    CHECK(both.pipe_cycles >= arrival);
    CHECK(both.pipe_cycles > constant.pipe_cycles);
    CHECK(both.cycles >= both.pipe_cycles);
}

TEST_CASE("requests of NCRISC for operands of the model add up") {
    const Candidate one = on_one_core({Origin::Input, Origin::Constant});
    const Candidate two = on_one_core({Origin::Input, Origin::Input});
    CHECK(two.pipe_cycles == 2 * one.pipe_cycles);
}
