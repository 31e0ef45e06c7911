// Graphs in the text form of ttsim-opt: read, printed, read again, and lowered when they are of the model level.
#include "tests/fuzz/lower.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void graph(const std::string& bytes) {
    answer([&] {
        const ir::Graph read = ir::parse_graph(bytes, "fuzz");
        read.verify();
        std::int64_t elements = 0;
        for (const ir::Node& node : read.nodes) elements += node.literal ? node.literal->size() : 0;
        constexpr std::int64_t most = 1 << 16;
        if (elements > most) return;
        const ir::Graph again = ir::parse_graph(ir::print_graph(read), "printed");
        TT_CHECK(equal(read, again), "what was printed reads back differently");
        for (const ir::Node& node : read.nodes)
            if (node.type.format || node.is_parameter() || node.phase != ir::Phase::Forward) return;
        lower(read, {});
    });
}

}  // namespace ttsim::impl::fuzz
