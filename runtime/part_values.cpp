#include "runtime/part_values.hpp"

#include <algorithm>

namespace ttsim::impl::runtime {

static SessionOptions without_clock(SessionOptions options) {
    options.mode = sim::Mode::Functional;
    options.trace = {};
    return options;
}

PartValues::PartValues(const ir::CompiledModel& model, Machine machine, SessionOptions options)
    : model_(model), session_(model.netlist, std::move(machine), without_clock(std::move(options))) {
    write_constants(session_, model.constants);
}

void PartValues::start(std::int64_t part, std::int64_t executes) {
    for (const ir::ModelProgram& program : model_.programs) {
        if (program.index != part - 1) continue;
        std::map<std::string, std::int64_t> params;
        if (!program.executes.empty()) params[program.executes] = executes;
        session_.run(program.name, params);
    }
}

ir::Entries PartValues::run(std::int64_t part, const ir::Entries& inputs, std::int64_t samples) {
    const std::int64_t microbatch = model_.host.microbatch, executes = (samples + microbatch - 1) / microbatch;
    start(part, executes);
    ir::Entries results;
    const std::int64_t iterations =
        iterations_of_part(model_.host, part);  // a loop reads and writes entries one by one
    const std::int64_t each = std::max<std::int64_t>(iterations, 1), together = iterations > 0 ? 1 : microbatch;
    for (std::int64_t k = 0; k < executes * microbatch * each; ++k) {
        const auto entry = static_cast<std::size_t>(std::min(k / each, samples - 1) * each +
                                                    k % each);  // the last sample pads the microbatch
        for (const auto& [queue, entries] : inputs) session_.push(queue, entries.at(entry));
        for (const ir::BoundTensor& tensor : results_of_part(model_.host, part)) results[tensor.queue];
        for (auto& [queue, entries] : results) {
            if ((k + 1) % together != 0) continue;
            for (std::int64_t n = 0; n < together; ++n) {
                entries.push_back(session_.get(queue));
                session_.pop(queue);
            }
        }
    }
    return results;
}

}  // namespace ttsim::impl::runtime
