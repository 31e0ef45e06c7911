// perf_postprocess.json: the events of each core that the simulator provides.
#include "analysis/exports/perf_parts.hpp"
#include "analysis/exports/text_files.hpp"

namespace ttsim::impl::report {

namespace {

Json thread() { return {{"out-of-memory", "false"}}; }

Json core_threads(const OpMeasure& op, const CoreMeasure& core) {
    Json unpack = thread(), math = thread(), pack = thread(), events = Json::object();
    for (const InputMeasure& input : core.recorded) {
        const std::string loop = fmt::format("outer-loop-{}", input.input);
        unpack["unpack-first-instruction-" + loop] = {{"value", {input.first_unpack}}};
        math["math-perf-counter-" + loop] = {
            {"total-period", input.runtime()},
            {"math-activity", input.math},
            {"math-utilization", input.runtime() > 0
                                     ? Json(static_cast<double>(input.math) / static_cast<double>(input.runtime()))
                                     : not_known()}};
        pack["packer-each-input-" + loop] = {
            {"start", {not_known()}}, {"end", {input.last_pack}}, {"diff", {not_known()}}};
        events[fmt::format("input-{}", input.input)] = {{"first-unpack", input.first_unpack},
                                                        {"unpack-first-block-data-available", input.first_unpack},
                                                        {"pack-start-" + loop, not_known()},
                                                        {"pack-end-" + loop, input.last_pack},
                                                        {"first-unpack-to-last-pack", input.runtime()}};
    }
    return {{"T0", std::move(unpack)},
            {"T1", std::move(math)},
            {"T2", std::move(pack)},
            {"NCRISC", thread()},
            {"BRISC", thread()},
            {"per-thread-events", std::move(events)},
            {"inputs-common-events",
             {{"op-type", op.use.type},
              {"first-input-recorded", core.recorded.front().input},
              {"last-input-recorded", core.recorded.back().input}}}};
}

}  // namespace

void write_events(const GraphRun& run, const std::string& folder) {
    Json all{{"per-epoch-events", per_epoch_events(run)}};
    for (const OpMeasure* op : run.ops)
        for (const CoreMeasure& core : op->cores) all[core_label(core, *op)] = core_threads(*op, core);
    write_json(folder, "perf_postprocess.json", all);
}

}  // namespace ttsim::impl::report
