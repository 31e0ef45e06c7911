#include "runtime/simulated_cycles.hpp"

#include "sim/run.hpp"

namespace tt::runtime {

double simulated_cycles(const ir::EmittedModel& model, const ir::CompileOptions& options) {
    sim::RunOptions run;
    run.value = std::make_shared<const Netlist>(model.netlist);
    run.device = options.device;
    run.cluster = options.cluster;
    run.harvested_rows = options.harvested_rows;
    run.mode = sim::Mode::Timing;
    run.check = false;
    for (const ir::ModelProgram& program : model.programs) run.params[program.executes] = 1;
    return static_cast<double>(sim::run(run).cycles);
}

}  // namespace tt::runtime
