#include "netlist/checks/validate.hpp"

#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/validate_parts.hpp"
#include "netlist/output_buffer.hpp"

namespace ttsim::impl {

using namespace checking;

/// Half of the output buffer and t must be multiples of one another, so that no block starts within an input.
static void check_output_buffer(const Op& op, Diagnostics& out) {
    if (op.buf_size_mb == 1) return;
    if (op.buf_size_mb % 2 != 0) {
        out.error(op.cfg.loc, "buf_size_mb of '{}' is {}; it must be 1 or even, such as {}", op.name(), op.buf_size_mb,
                  op.buf_size_mb + 1);
    } else if (op.cfg.type != "buffer" && !whole_blocks(op.buf_size_mb, op.cfg.out.t)) {
        out.error(op.cfg.loc,
                  "half of buf_size_mb {} of '{}' is {} and t is {}; one must be a multiple of the other, such as with "
                  "buf_size_mb {}",
                  op.buf_size_mb, op.name(), op.buf_size_mb / 2, op.cfg.out.t,
                  whole_blocks_buffer(op.buf_size_mb, op.cfg.out.t));
    }
}

static void check_ops(const Validation& v) {
    for (const Graph& graph : v.netlist.graphs)
        for (const Op& op : graph.ops) {
            check_common(op.cfg, v.chip.features, v.out);
            check_output_buffer(op, v.out);
            const OpDef* def = find_op(op.cfg.type);
            if (def && def->check && operands_complete(op.cfg)) def->check(op.cfg, v.chip.features, v.out);
        }
}

void validate(const Netlist& resolved, const ChipParams& chip, const DeviceGrid& grid, std::int64_t chips,
              Diagnostics& out) {
    Validation v{resolved, chip, grid, chips, out, NameIndex(resolved), {}, {}, {}};
    for (const Queue& queue : resolved.queues)
        if (!queue.from_host()) v.fed_queues[queue.input].push_back(&queue);
    for (const Graph& graph : resolved.graphs)
        for (const Op& op : graph.ops)
            for (const std::string& input : op.inputs) {
                v.readers[input].push_back(&op);
                v.reader_graphs[input].insert(&graph);
            }
    check_places(v);
    check_links(v);
    check_ops(v);
    check_programs(v);
    if (out.empty()) check_broadcasts(v);
}

}  // namespace ttsim::impl
