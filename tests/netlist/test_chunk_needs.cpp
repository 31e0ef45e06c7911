#include <catch2/catch.hpp>

#include "netlist/plan/chunk_needs.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/plan_of.hpp"

using namespace ttsim::impl;

namespace {

OperandTms tms(std::vector<Tm> list) {
    OperandTms made;
    made.tms = std::move(list);
    return made;
}
Tm make_tm(Tm::Kind kind, std::int64_t n = 1) {
    Tm made;
    made.kind = kind;
    made.n = n;
    return made;
}

/// A producer of one ublock a step.
NeedSource producer(Blocking blocking) {
    NeedSource source;
    source.blocking = blocking;
    source.slice_tiles = blocking.mblock_tiles();
    for (std::int64_t u = 1; u <= blocking.mblock_m * blocking.mblock_n; ++u)
        source.produced_after.push_back(u * blocking.ublock_tiles());
    return source;
}

/// The consumer takes ublocks of 1x1 of the whole operand on one core, in row order, one a step.
Pipe by_ublocks(const NeedSource& source, const OperandTms& chain, Intake intake = Intake::PerStep,
                std::int64_t group = 1) {
    PlanOperand operand(TmMap(source.blocking.shape(), chain));
    const TileShape shape = operand.map.shape();
    operand.intake = intake;
    operand.operand_z = shape.z;
    operand.chunks_per_slice = (shape.rt * shape.ct + group - 1) / group;
    OperandUse use;
    use.rects = {{0, 0, shape.rt, shape.ct}};
    use.chunks = OperandUse::Chunks::Ublocks;
    Blocking out;
    out.mblock_m = shape.rt;
    out.mblock_n = shape.ct;
    out.t = shape.z;
    Pipe pipe;
    pipe.rects = use.rects;
    pipe.cores = {0};
    fill_chunks(pipe, operand, use, out, group, source);
    Pipe counted;  // as for a plan that is only checked
    count_chunks(counted, operand, use, out, group, source.blocking.shape());
    CHECK(counted.chunk_tiles == pipe.chunk_tiles);
    return pipe;
}

/// "tiles:source*tiles(need/release)..." per chunk.
std::vector<std::string> print(const Pipe& pipe) {
    std::vector<std::string> chunks;
    for (std::size_t c = 0; c < pipe.chunks(); ++c) {
        std::string text = std::to_string(pipe.chunk_tiles[c]) + ":";
        for (std::uint32_t n = pipe.first_need[c]; n < pipe.first_need[c + 1]; ++n) {
            const ChunkNeed& need = pipe.needs[n];
            text += fmt::format(" {}*{}({}/{})", need.source, need.tiles, need.need, need.release);
        }
        chunks.push_back(text);
    }
    return chunks;
}
using Chunks = std::vector<std::string>;

Blocking grid(std::int64_t gr, std::int64_t gc, std::int64_t m, std::int64_t n, std::int64_t t = 1,
              UblockOrder order = UblockOrder::Row) {
    Blocking b;
    b.grid_r = gr;
    b.grid_c = gc;
    b.mblock_m = m;
    b.mblock_n = n;
    b.t = t;
    b.order = order;
    return b;
}

}  // namespace

TEST_CASE("the same order needs and releases tile by tile") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 2, 2)), {});
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 0*1(2/2)", "1: 0*1(3/3)", "1: 0*1(4/4)"});
}

TEST_CASE("a producer in column order must hold tiles that a consumer in row order reads later") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 2, 2, 1, UblockOrder::Column)), {});
    // Made: (0,0) (1,0) (0,1) (1,1); taken: (0,0) (0,1) (1,0) (1,1).
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 0*1(3/1)", "1: 0*1(2/3)", "1: 0*1(4/4)"});
}

TEST_CASE("positions snap to the steps in which the producer packs") {
    NeedSource source = producer(grid(1, 1, 2, 2));
    source.produced_after = {2, 4};
    CHECK(print(by_ublocks(source, {})) == Chunks{"1: 0*1(2/0)", "1: 0*1(2/2)", "1: 0*1(4/2)", "1: 0*1(4/4)"});
}

TEST_CASE("a re-cut tensor takes each tile from the core that made it") {
    const Pipe pipe = by_ublocks(producer(grid(2, 2, 1, 1)), {});
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 1*1(1/1)", "1: 2*1(1/1)", "1: 3*1(1/1)"});
    const Pipe grouped = by_ublocks(producer(grid(1, 2, 2, 1)), {}, Intake::PerStep, 2);  // a row a step
    CHECK(print(grouped) == Chunks{"2: 0*1(1/1) 1*1(1/1)", "2: 0*1(2/2) 1*1(2/2)"});
}

TEST_CASE("hstack alternates between slices, so the earlier slice must stay") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 2, 1, 2)), tms({make_tm(Tm::Kind::HStack, 2)}));
    // z0: a b, z1: c d, stacked: a c / b d; positions a 0, b 1, c 2, d 3
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 0*1(3/1)", "1: 0*1(2/3)", "1: 0*1(4/4)"});
    CHECK(pipe.needs[1].z_first == 1);
    CHECK(pipe.needs[1].z_last == 1);
}

TEST_CASE("slices come one after the other without TMs") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 1, 2, 2)), {});
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 0*1(2/2)", "1: 0*1(3/3)", "1: 0*1(4/4)"});
    CHECK(pipe.needs[3].z_first == 1);
}

TEST_CASE("a transpose takes columns") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 2, 3)), tms({make_tm(Tm::Kind::Transpose)}));
    // made 0 1 2 / 3 4 5, taken 0 3 1 4 2 5
    CHECK(print(pipe) ==
          Chunks{"1: 0*1(1/1)", "1: 0*1(4/1)", "1: 0*1(2/2)", "1: 0*1(5/2)", "1: 0*1(3/5)", "1: 0*1(6/6)"});
}

TEST_CASE("a broadcast takes the same tile again and releases it with the last") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 1, 1)), tms({make_tm(Tm::Kind::BroadcastC, 3)}));
    CHECK(print(pipe) == Chunks{"1: 0*1(1/0)", "1: 0*1(1/0)", "1: 0*1(1/1)"});
    const Pipe whole = by_ublocks(producer(grid(1, 1, 1, 2)), tms({make_tm(Tm::Kind::BroadcastR, 2)}));
    CHECK(print(whole) == Chunks{"1: 0*1(1/0)", "1: 0*1(2/0)", "1: 0*1(1/1)", "1: 0*1(2/2)"});
}

TEST_CASE("a resident operand is brought once, however often it is repeated") {
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 1, 2)), tms({make_tm(Tm::Kind::BroadcastR, 2)}), Intake::Resident);
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1: 0*1(2/2)", "0:", "0:"});
}

TEST_CASE("padding needs no producer") {
    Tm pad = make_tm(Tm::Kind::Pad);
    pad.ct = 1;
    const Pipe pipe = by_ublocks(producer(grid(1, 1, 1, 1)), tms({pad}));
    CHECK(print(pipe) == Chunks{"1: 0*1(1/1)", "1:"});
}

TEST_CASE("queues have no positions: only core and tile count") {
    Queue queue;
    queue.blocking = grid(1, 2, 1, 2);
    PlanOperand operand(TmMap(queue.blocking.shape(), {}));
    operand.chunks_per_slice = 2;
    OperandUse use;  // a matmul's in0: two k-blocks of two columns
    use.rects = {{0, 0, 1, 4}};
    use.chunks = OperandUse::Chunks::KColumns;
    use.count = 2;
    Pipe pipe;
    fill_chunks(pipe, operand, use, grid(1, 1, 1, 1), 1, queue_source(queue));
    CHECK(print(pipe) == Chunks{"2: 0*2(0/0)", "2: 1*2(0/0)"});
    CHECK(pipe.sendings.size() == 2);  // whole chunks
}

TEST_CASE("k-blocks of a matmul cut in0 by columns and in1 by rows") {
    PlanOperand operand(TmMap({1, 2, 4}, {}));
    operand.chunks_per_slice = 2;
    OperandUse use;
    use.rects = {{0, 0, 2, 4}};
    use.chunks = OperandUse::Chunks::KColumns;
    use.count = 2;
    Pipe columns;
    fill_chunks(columns, operand, use, grid(1, 1, 1, 1), 1, producer(grid(1, 1, 2, 4)));
    // k-block 0: tiles 0 1 / 4 5 of 0..7, k-block 1: 2 3 / 6 7
    CHECK(print(columns) == Chunks{"4: 0*4(6/2)", "4: 0*4(8/8)"});

    use.chunks = OperandUse::Chunks::KRows;
    Pipe rows;
    fill_chunks(rows, operand, use, grid(1, 1, 1, 1), 1, producer(grid(1, 1, 2, 4)));
    CHECK(print(rows) == Chunks{"4: 0*4(4/4)", "4: 0*4(8/8)"});
}

TEST_CASE("a chunk takes each block of a source by itself, and counts the runs that begin in it") {
    NeedSource source = producer(grid(1, 1, 2, 2, 2));
    source.block_tiles = 4;  // a slice
    // z0: 0 1 / 2 3, z1: 4 5 / 6 7; stacked side by side, two rows of four
    const Pipe pipe = by_ublocks(source, tms({make_tm(Tm::Kind::HStack, 2)}), Intake::PerStep, 4);
    CHECK(print(pipe) == Chunks{"4: 0*2(2/2) 0*2(6/2)", "4: 0*2(4/6) 0*2(8/8)"});
    CHECK(pipe.needs[0].phases == 1);
    CHECK(pipe.needs[1].phases == 1);
    const std::vector<Sending>& parts = pipe.sendings;
    REQUIRE(parts.size() == 4);
    CHECK_FALSE(parts[0].ends_chunk);
    CHECK(parts[1].ends_chunk);
    CHECK(parts[3].chunk == 1);
    CHECK(parts[1].tiles_before == 2);
    CHECK(parts[3].tiles_before == 6);
    CHECK(pipe.tiles_before == std::vector<std::int64_t>{0, 4, 8});
}

TEST_CASE("tiles of the next input that a pipe skips may be reused as well") {
    OperandTms last;  // rows 1.. of the tensor, as the second of two cores takes them
    const NeedSource source = producer(grid(1, 1, 4, 1));
    PlanOperand operand(TmMap(source.blocking.shape(), last));
    operand.chunks_per_slice = 2;
    OperandUse use;
    use.rects = {{2, 0, 2, 1}};
    use.chunks = OperandUse::Chunks::Ublocks;
    Pipe pipe;
    fill_chunks(pipe, operand, use, grid(2, 1, 2, 1), 1, source);
    CHECK(print(pipe) == Chunks{"1: 0*1(3/3)", "1: 0*1(4/6)"});
}

TEST_CASE("a plan that is only checked has the same sizes and chunks as one that runs, without times and sources") {
    std::size_t sent = 0, held = 0;  // operands
    for (const char* file : {"eltwise_chain", "fused_softmax", "int8_matmul"}) {
        const Netlist netlist = resolve(read_netlist(test::source_folder() / fmt::format("examples/{}.yaml", file)));
        const Machine machine = make_machine("wormhole_b0", {});
        for (const EpochLaunch& launch : test::launches_of(netlist)) {
            const auto run = elaborate(netlist, launch, machine);
            const auto check = elaborate(netlist, launch, machine, {}, {}, PlanPurpose::Check);
            REQUIRE(check->ops.size() == run->ops.size());
            for (std::size_t o = 0; o < run->ops.size(); ++o) {
                CHECK(check->ops[o].step_times.empty());
                for (std::size_t k = 0; k < run->ops[o].operands.size(); ++k) {
                    const PlanOperand &a = run->ops[o].operands[k], &b = check->ops[o].operands[k];
                    CHECK((a.l1_tiles == b.l1_tiles && a.capacity_tiles == b.capacity_tiles && a.intake == b.intake));
                    ++(a.intake == Intake::Resident ? held : sent);
                    REQUIRE(a.pipes.size() == b.pipes.size());
                    for (std::size_t p = 0; p < a.pipes.size(); ++p) {
                        CHECK(a.pipes[p].chunk_tiles == b.pipes[p].chunk_tiles);
                        CHECK(b.pipes[p].needs.empty());
                    }
                }
            }
        }
    }
    CHECK((sent > 0 && held > 0));
}
