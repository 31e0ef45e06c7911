// Slices of operands in rams are decoded once for several inputs, as long as their entry is the same.
#include <catch2/catch.hpp>

#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"
#include "sim/values/kept_slices.hpp"
#include "tests/sim/netlist_text.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {

/// A product of a FIFO by a ram of weights.
struct Fixture {
    Netlist netlist;
    std::shared_ptr<const Plan> plan;
    ThreadPool pool{1};
    Saturations saturations;
    EntryStore store{netlist, Numerics::Real};
    std::unique_ptr<Compute> compute;

    Fixture() {
        test::NetlistText text;
        text.queue({.name = "x"});
        text.queue({.name = "w", .ram = true});
        text.queue({.name = "y", .input = "product"});
        text.graph("g", 2);
        text.op({.name = "product", .type = "matmul", .inputs = {"x", "w"}, .more = "attributes: {m_k: 1, u_kt: 1}"});
        text.program("p", test::looped(1, {test::execute("g", {test::fifo("x"), test::ram("w")})}, 2, 4));
        netlist = resolve(read_netlist_text(text.text(), "n.yaml"));
        EpochStream stream(netlist, {{&netlist.programs.front(), {}}}, std::nullopt);
        EpochCommand command;
        REQUIRE(stream.next(command));
        plan = elaborate(netlist, std::get<EpochLaunch>(command), make_machine("wormhole_b0", {}));
        compute = std::make_unique<Compute>(*plan, Numerics::Real, pool, saturations);
    }

    void put(const std::string& name, float value) {
        const Queue& queue = *netlist.find_queue(name);
        Tensor values(queue.shape(), queue.tile);
        for (float& x : values.data) x = value;
        store.put(queue, 0, pack_entry(values, queue, Numerics::Real));
    }
    AssembledPtr assemble(KeptSlices& kept, std::size_t k) {
        const PlanOp& op = plan->ops.front();
        const Queue& queue = *plan->queues[static_cast<std::size_t>(op.operands[k].producer_queue)].queue;
        AssembledPtr slice = kept.assemble(op, k, op.operands[k].pipes.front(), 0, {{}, store.read(queue, 0)});
        pool.wait(slice->task);
        return slice;
    }
};

}  // namespace

TEST_CASE("a slice of a ram is decoded once for several inputs") {
    Fixture f;
    f.put("w", 2);
    KeptSlices kept(*f.compute, true);
    const AssembledPtr first = f.assemble(kept, 1);
    CHECK(first->view().at(0, 0) == 2);
    CHECK(f.assemble(kept, 1) == first);
    f.put("w", 3);  // another entry
    const AssembledPtr second = f.assemble(kept, 1);
    CHECK(second->view().at(0, 0) == 3);
    CHECK(f.assemble(kept, 1) == second);
}

TEST_CASE("nothing is kept of a FIFO, or for one input") {
    Fixture f;
    f.put("x", 1);
    f.put("w", 2);
    KeptSlices several(*f.compute, true);
    CHECK(f.assemble(several, 0) != f.assemble(several, 0));
    KeptSlices one(*f.compute, false);
    CHECK(f.assemble(one, 1) != f.assemble(one, 1));
}

TEST_CASE("memory for kept slices is bounded, and given back") {
    Fixture f;
    constexpr std::int64_t bound = std::int64_t{256} << 20;
    f.put("w", 2);
    REQUIRE(f.compute->may_keep(bound));
    KeptSlices kept(*f.compute, true);
    CHECK(f.assemble(kept, 1) != f.assemble(kept, 1));
    f.compute->give_back(bound);
    CHECK(f.assemble(kept, 1) == f.assemble(kept, 1));
    CHECK_FALSE(f.compute->may_keep(bound));
}
