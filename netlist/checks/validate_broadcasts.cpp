// Rules of kernel broadcasts: the buffer must hold all distinct tiles that a core reads.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/validate_parts.hpp"
#include "netlist/plan/tm_map.hpp"

namespace ttsim::impl::checking {

namespace {

/// Counts distinct tiles. They come in runs of numbers, and most runs come again.
class TileCount {
public:
    void add(std::int64_t first, std::int64_t tiles) { runs_.emplace_back(first, first + tiles); }
    /// Whether it is time to count, which merges equal runs.
    bool is_long() const {
        constexpr std::size_t few = 64;
        return runs_.size() > 2 * merged_ + few;
    }
    std::int64_t tiles() {
        merge();
        std::int64_t sum = 0;
        for (const auto& [first, end] : runs_) sum += end - first;
        return sum;
    }

private:
    void merge() {
        std::sort(runs_.begin(), runs_.end());
        merged_ = 0;
        for (const auto& [first, end] : std::vector(runs_)) {
            if (merged_ > 0 && first <= runs_[merged_ - 1].second)
                runs_[merged_ - 1].second = std::max(runs_[merged_ - 1].second, end);
            else
                runs_[merged_++] = {first, end};
        }
        runs_.resize(merged_);
    }

    std::vector<std::pair<std::int64_t, std::int64_t>> runs_;  // first, end
    std::size_t merged_ = 0;                                   // of them, disjoint and in order
};

/// Whether a core reads more than `held` distinct tiles of the operand in slices z0 .. z1. `from`: the producer's
/// shape.
bool reads_more(const TmMap& map, const TileShape& from, const OperandUse& use, std::int64_t z0, std::int64_t z1,
                std::int64_t held) {
    constexpr std::int64_t padding = -1;
    TileCount read;
    const auto add_row = [&](const TileRun& run) {
        const std::int64_t first = (run.first.z * from.rt + run.first.r) * from.ct + run.first.c;
        if (run.first.pad) return read.add(padding, 1);
        if (run.dc == 1) return read.add(first, run.count);
        for (std::int64_t n = 0; n < run.count; ++n) read.add(first + n * from.ct, 1);
    };
    for (std::int64_t z = z0; z < z1; ++z)
        for (const TileRect& rect : use.rects)
            for (std::int64_t r = rect.r0; r < rect.r0 + rect.nr; ++r)
                for (std::int64_t c = rect.c0; c < rect.c0 + rect.nc;) {
                    const TileRun run = map.run(z, r, c, rect.c0 + rect.nc - c);
                    add_row(run);
                    c += run.count;
                    if (read.is_long() && read.tiles() > held) return true;
                }
    return read.tiles() > held;
}

/// The kernel reads its buffered tiles cyclically, so an operand with more distinct tiles would be wrong.
void check_op(Validation& v, const Op& op, const OpDef& def) {
    const auto check = [&](const std::map<int, std::int64_t>& list, const char* what, bool per_slice) {
        for (const auto& [input, held] : list) {
            const auto k = static_cast<std::size_t>(input);
            const Queue* queue = v.index.queue(op.inputs[k]);
            const TileShape from = queue ? queue->shape() : v.index.op(op.inputs[k]).op->shape();
            const TmMap map(from, op.tms[k]);
            const OperandUse use = def.use(op.cfg, input, 0, 0);
            // Per slice: the slices of one output slice, or single slices if the op reads them in any order.
            const std::int64_t slices = map.shape().z, alone = use.whole_input ? 1 : use.slices,
                               step = per_slice ? std::max<std::int64_t>(1, alone) : slices;
            for (std::int64_t z = 0; z < slices; z += step) {
                if (!reads_more(map, from, use, z, std::min(slices, z + step), held)) continue;
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
