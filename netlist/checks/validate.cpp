#include "netlist/checks/validate.hpp"

#include "kernels/ops/op_checks.hpp"
#include "kernels/ops/op_def.hpp"
#include "netlist/checks/validate_parts.hpp"

namespace tt {

using namespace checking;

static void check_ops(const Validation& v) {
    for (const Graph& graph : v.netlist.graphs)
        for (const Op& op : graph.ops) {
            check_common(op.cfg, v.chip.features, v.out);
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

}  // namespace tt
