// runtime_table and op_perf_table: times of each core of each op for the recorded inputs.
#include <algorithm>
#include <cmath>

#include "analysis/exports/perf_parts.hpp"
#include "analysis/exports/text_files.hpp"

namespace ttsim::impl::report {

namespace {

Json percent_of(double part, double whole) { return whole > 0 ? Json(100.0 * part / whole) : not_known(); }
Json percent_of(std::int64_t part, std::int64_t whole) { return percent_of(as_real(part), as_real(whole)); }

Json whole_or_not(const std::optional<std::int64_t>& value) { return value ? Json(*value) : not_known(); }

Json input_events(const InputMeasure& input) {
    const auto tiles = input.for_tiles_later();
    const auto room = input.for_room_later();
    return {{"first-unpack-to-last-pack", input.runtime()},
            {"total-unpack-wait-for-tile-after-first-unpack", whole_or_not(tiles)},
            {"total-wait-for-free-tile-after-first-unpack", whole_or_not(room)},
            {"first-unpack-to-last-pack-without-wait-for-tile",
             tiles ? Json(std::max<std::int64_t>(0, input.runtime() - *tiles)) : not_known()},
            {"math-activity", input.math},
            {"math-utilization-first-unpack-to-last-pack", percent_of(input.math, input.runtime())},
            {"pack-runtime", not_known()}};
}

/// Bytes of the inputs divided by the time from the first to the last event; for one input, by its runtime.
Json bandwidth(const CoreMeasure& core, double bytes, bool output, std::int64_t mhz) {
    const InputMeasure &first = core.recorded.front(), &last = core.recorded.back();
    const double gaps = as_real(last.input - first.input);
    const std::int64_t cycles = gaps == 0 ? core.total_runtime()
                                : output  ? last.last_pack - first.last_pack
                                          : last.first_unpack - first.first_unpack;
    if (cycles <= 0) return not_known();
    return bytes * std::max(1.0, gaps) / as_real(cycles) * as_real(mhz) / 1000;
}

struct Operand {
    std::string name;
    double bytes, tile;
    bool output;
};

std::vector<Operand> operands_of(const OpMeasure& op) {
    std::vector<Operand> all;
    const OpConfig& cfg = op.op->cfg;
    for (std::size_t k = 0; k < op.operands.size() && k < 8; ++k)
        all.push_back(
            {fmt::format("input-{}", k), op.operands[k].bytes,
             as_real(tile_bytes(cfg.in_df[k], k < cfg.in_tile.size() ? cfg.in_tile[k] : TileDim{}, cfg.chip.alignment)),
             false});
    all.push_back({"output-0", op.use.out_bytes, as_real(cfg.out_tile_bytes()), true});
    return all;
}

Json core_events(const GraphRun& run, const OpMeasure& op, const CoreMeasure& core) {
    const InputMeasure &first = core.recorded.front(), &last = core.recorded.back();
    const std::int64_t inputs = last.input - first.input + 1;
    const auto cycles = cycles_per_input(core);
    Json json = Json::object();
    for (const InputMeasure& input : core.recorded) json[fmt::format("input-{}", input.input)] = input_events(input);
    json["first-input-recorded"] = first.input;
    json["last-input-recorded"] = last.input;
    json["first-unpack-first-input"] = first.first_unpack;
    json["last-pack-first-input"] = first.last_pack;
    json["last-pack-last-input"] = last.last_pack;
    json["total-runtime"] = core.total_runtime();
    json["average-math-utilization"] = percent_of(as_real(inputs) * as_real(last.math), as_real(core.total_runtime()));
    json["num-cycles-per-tensor"] = known_or_not(cycles);
    json["num-tensors-per-second"] = known_or_not(per_second(cycles, run.mhz));
    for (const Operand& operand : operands_of(op)) {
        json["trisc-num-tiles-operand-" + operand.name] =
            operand.tile > 0 ? Json(std::llround(operand.bytes / operand.tile)) : not_known();
        json["trisc-total-tensor-size-operand-" + operand.name] = std::llround(operand.bytes * as_real(inputs));
        json["trisc-bw-operand-" + operand.name] = bandwidth(core, operand.bytes, operand.output, run.mhz);
        json["brisc-bw-operand-" + operand.name] = not_known();  // the simulator has no decoupled measurements
    }
    json["packer-overlay-decoupled-output-bw"] = not_known();
    json["model-num-cycles"] = op.use.est_cycles;
    json["model-math-utilization"] =
        op.use.est_cycles > 0 ? Json(100.0 * as_real(last.math) / op.use.est_cycles) : not_known();
    json["out-of-memory"] = "false";
    return json;
}

const std::vector<std::string>& runtime_titles() {
    static const std::vector<std::string> titles{"core-label",
                                                 "device_id",
                                                 "aiclk",
                                                 "first-and-last-inputs",
                                                 "total-runtime",
                                                 "active-math-cycles-single-input",
                                                 "math-utilization-over-all-inputs",
                                                 "math-utilization-last-input-recorded",
                                                 "runtime-last-input-recorded",
                                                 "num-cycles-per-tensor",
                                                 "num-tensors-per-second",
                                                 "input0-bw",
                                                 "input1-bw",
                                                 "output-bw"};
    return titles;
}

std::vector<std::string> runtime_row(const GraphRun& run, const std::string& label, const CoreMeasure& core,
                                     const Json& events) {
    const InputMeasure &first = core.recorded.front(), &last = core.recorded.back();
    const Json& last_input = events.at(fmt::format("input-{}", last.input));
    std::vector<std::string> row{label,
                                 fmt::format("{}", run.chip),
                                 fmt::format("{}", run.mhz),
                                 fmt::format("{} -> {}", first.input, last.input),
                                 fmt::format("{}", core.total_runtime()),
                                 fmt::format("{}", last.math)};
    for (const Json& value :
         {events.at("average-math-utilization"), last_input.at("math-utilization-first-unpack-to-last-pack"),
          Json(last.runtime()), events.at("num-cycles-per-tensor"), events.at("num-tensors-per-second")})
        row.push_back(two_digits(value));
    for (const char* operand : {"input-0", "input-1", "output-0"})
        row.push_back(two_digits(events.value(std::string("trisc-bw-operand-") + operand, not_known())));
    return row;
}

Json op_entry(const GraphRun& run, const OpMeasure& op, const Json& table) {
    Json json = Json::object();
    std::int64_t first_unpack = INT64_MAX, last_pack = 0;
    double math = 0;
    for (const CoreMeasure& core : op.cores) {
        const Json& events = table.at(core_label(core, op));
        Json entry{{"first-input-recorded", events.at("first-input-recorded")},
                   {"last-input-recorded", events.at("last-input-recorded")},
                   {"math-utilization-across-inputs", events.at("average-math-utilization")},
                   {"runtime-across-inputs", events.at("total-runtime")}};
        for (const Operand& operand : operands_of(op))
            entry["trisc-bw-operand-" + operand.name] = events.at("trisc-bw-operand-" + operand.name);
        json[core_label(core, op)] = std::move(entry);
        first_unpack = std::min(first_unpack, core.recorded.front().first_unpack);
        last_pack = std::max(last_pack, core.recorded.back().last_pack);
        math +=
            as_real(core.recorded.back().math) * as_real(core.recorded.back().input - core.recorded.front().input + 1);
    }
    const std::int64_t runtime = last_pack - first_unpack, cores = static_cast<std::int64_t>(op.cores.size());
    const std::int64_t inputs = op.cores.front().recorded.back().input - op.cores.front().recorded.front().input + 1;
    json["num-cores"] = cores;
    json["runtime-across-cores"] = runtime;
    json["math-utilization-across-cores"] = percent_of(math, as_real(runtime) * as_real(cores));
    json["first-unpack-first-input"] = first_unpack;
    json["last-pack-last-input"] = last_pack;
    for (const Operand& operand : operands_of(op)) {
        const double bytes = operand.bytes * as_real(inputs) * as_real(cores);
        json["trisc-total-tensor-size-all-cores-operand-" + operand.name] = std::llround(bytes);
        json["trisc-bw-total-runtime-operand-" + operand.name] =
            runtime > 0 ? Json(bytes / as_real(runtime) * as_real(run.mhz) / 1000) : not_known();
    }
    return json;
}

}  // namespace

Json per_epoch_events(const GraphRun& run) {
    Json json{{"AICLK", run.mhz},
              {"device-id", run.chip},
              {"epoch-global-id", run.epoch},
              {"epoch-local-id", run.local_id},
              {"program-id", run.program_id},
              {"program-name", run.program},
              {"graph-name", run.graph}};
    const auto times = graph_times(run);
    if (!times) return json;
    json["first-input-recorded"] = times->first_input;
    json["last-input-recorded"] = times->last_input;
    json["first-unpack-first-input"] = times->first_unpack;
    json["last-pack-first-input"] = times->last_pack.at(times->first_input).first;
    json["last-pack-last-input"] = times->last_pack.at(times->last_input).first;
    json["total-runtime"] = times->total_runtime();
    json["num-cycles-per-input"] = known_or_not(times->cycles_per_input);
    json["num-inputs-per-second"] = known_or_not(per_second(times->cycles_per_input, run.mhz));
    Json packs = Json::object(), unpacks = Json::object(), longest = Json::object();
    for (const auto& [input, at] : times->last_pack)
        packs[fmt::format("input_{}", input)] = {{"end-timestamp", at.first}, {"core-id", at.second}};
    for (const auto& [input, at] : times->first_unpacks)
        unpacks[fmt::format("input_{}", input)] = {{"timestamp", at.first}, {"core-id", at.second}};
    std::map<std::int64_t, std::pair<std::int64_t, std::string>> slowest;
    for (const OpMeasure* op : run.ops)
        for (const CoreMeasure& core : op->cores)
            for (const InputMeasure& input : core.recorded) {
                auto& most = slowest[input.input];
                if (most.second.empty() || input.runtime() > most.first) most = {input.runtime(), op->use.name};
            }
    for (const auto& [input, op] : slowest)
        longest[fmt::format("input-{}", input)] = {{"op-name", op.second}, {"runtime", op.first}};
    json["last-pack"] = std::move(packs);
    json["unpack-first-block-available"] = std::move(unpacks);
    json["longest-op-each-input"] = std::move(longest);
    json[fmt::format("last-input-{}-execution-time", times->last_input)] =
        times->last_pack.at(times->last_input).first - times->first_unpacks.at(times->last_input).first;
    return json;
}

void write_runtime_tables(const GraphRun& run, const std::string& folder) {
    Json table{{"per-epoch-events", per_epoch_events(run)}};
    std::vector<std::vector<std::string>> rows;
    Json ops{{"epoch-information", {{"AICLK", run.mhz}, {"epoch-global-id", run.epoch}}}};
    for (const OpMeasure* op : run.ops) {
        for (const CoreMeasure& core : op->cores) {
            const std::string label = core_label(core, *op);
            table[label] = core_events(run, *op, core);
            rows.push_back(runtime_row(run, label, core, table.at(label)));
        }
        ops[op->use.name] = op_entry(run, *op, table);
    }
    write_json(folder, "runtime_table.json", table);
    write_table(folder, "runtime_table", runtime_titles(), rows, true);
    write_json(folder, "op_perf_table.json", ops);
}

}  // namespace ttsim::impl::report
