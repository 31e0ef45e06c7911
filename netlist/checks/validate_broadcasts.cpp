// Rules of kernel broadcasts: the buffer must hold all distinct tiles that a core reads.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/validate_parts.hpp"
#include "netlist/plan/tm_map.hpp"

namespace ttsim::impl::checking {

namespace {

using Source = std::tuple<bool, std::int64_t, std::int64_t, std::int64_t>;

/// Whether a core reads more than `held` distinct tiles of the operand in slices z0 .. z1.
bool reads_more(const TmMap& map, const OperandUse& use, std::int64_t z0, std::int64_t z1, std::int64_t held) {
    std::set<Source> sources;
    const auto add_run = [&](const TileRun& run) {
        for (std::int64_t n = 0; n < run.count; ++n)
            if (run.first.pad)
                sources.emplace(true, 0, 0, 0);
            else
                sources.emplace(false, run.first.z, run.first.r + n * run.dr, run.first.c + n * run.dc);
    };
    for (std::int64_t z = z0; z < z1; ++z)
        for (const TileRect& rect : use.rects)
            for (std::int64_t r = rect.r0; r < rect.r0 + rect.nr; ++r)
                for (std::int64_t c = rect.c0; c < rect.c0 + rect.nc;) {
                    const TileRun run = map.run(z, r, c, rect.c0 + rect.nc - c);
                    add_run(run);
                    if (std::cmp_greater(sources.size(), held)) return true;
                    c += run.count;
                }
    return false;
}

/// The kernel reads its buffered tiles cyclically, so an operand with more distinct tiles would be wrong.
void check_op(Validation& v, const Op& op, const OpDef& def) {
    const auto check = [&](const std::map<int, std::int64_t>& list, const char* what, bool per_slice) {
        for (const auto& [input, held] : list) {
            const auto k = static_cast<std::size_t>(input);
            const Queue* queue = v.index.queue(op.inputs[k]);
            const TmMap map(queue ? queue->shape() : v.index.op(op.inputs[k]).op->shape(), op.tms[k]);
            const OperandUse use = def.use(op.cfg, input, 0, 0);
            // Per slice: the slices of one output slice, or single slices if the op reads them in any order.
            const std::int64_t slices = map.shape().z, alone = use.whole_input ? 1 : use.slices,
                               step = per_slice ? std::max<std::int64_t>(1, alone) : slices;
            for (std::int64_t z = 0; z < slices; z += step) {
                if (!reads_more(map, use, z, std::min(slices, z + step), held)) continue;
                v.out.error(
                    op.cfg.loc,
                    "{} of '{}' holds {} tiles of input {}, but a core needs more distinct tiles{}; it would read "
                    "wrong tiles",
                    what, op.cfg.name, held, input, per_slice ? " for a slice" : "");
                break;
            }
        }
    };
    check(op.cfg.attr.kernel_broadcast, "kernel_broadcast", false);
    check(op.cfg.attr.kernel_broadcast_per_t, "kernel_broadcast_per_t", true);
}

}  // namespace

void check_broadcasts(Validation& v) {
    for (const Graph& graph : v.netlist.graphs)
        for (const Op& op : graph.ops)
            if (const OpDef* def = find_op(op.cfg.type)) check_op(v, op, *def);
}

}  // namespace ttsim::impl::checking
