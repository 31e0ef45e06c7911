#include "analysis/trace_report/perf_sheets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/report/table.hpp"

namespace ttsim::impl::report {

using trace::Cause;
using trace::OpPipe;
using trace::OpRow;
using trace::StageRow;

PerfView::PerfView(trace::PerfData given, bool spatial_epochs)
    : data(std::move(given)), spatial(spatial_epochs), stages(trace::stages(data, spatial)) {
    std::map<std::pair<std::vector<std::int64_t>, std::string>, std::shared_ptr<const StageRow>> known;
    for (trace::Stage stage : stages) {
        for (std::int64_t& launch : stage.launches)
            if (const auto same = data.same_as.find(launch); same != data.same_as.end()) launch = same->second;
        std::shared_ptr<const StageRow>& row = known[{stage.launches, stage.graph.value_or("")}];
        if (!row) row = std::make_shared<const StageRow>(trace::stage_row(data, stage));
        rows.push_back(row);
    }
}

namespace {

SheetCell word_cell(const std::string& text) { return {text, 0, Tone::Plain}; }
SheetCell count_cell(double value, Tone tone = Tone::Plain) { return {fmt::format("{:.0f}", value), value, tone}; }
SheetCell rate_cell(double value, Tone tone = Tone::Plain) {
    if (value <= 0) return {"", 0, tone};
    return {value < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value), value, tone};
}

/// 0.1039 -> 10.3: truncated, not rounded.
std::string cut_percent(double share) { return fmt::format("{:.1f}", std::floor(share * 1000 + 1e-9) / 10); }
Tone share_tone(double share) { return share > 0.5 ? Tone::Good : share < 0.25 ? Tone::Bad : Tone::Plain; }
SheetCell share_cell(double share, Tone tone = Tone::Plain) { return {cut_percent(share), share, tone}; }

/// Tone of an estimate, by its error.
Tone estimate_tone(double estimate, double found) {
    const double off = found > 0 ? std::abs(estimate - found) / found : 0;
    return off >= 0.5 ? Tone::Bad : off >= 0.2 ? Tone::Doubt : Tone::Plain;
}

bool has_estimates(const StageRow& row) { return row.balancer_utilization > 0; }

SheetCell blocks_cell(const OpRow& row, std::string (*print)(const trace::OpBlocks&)) {
    return word_cell(row.blocks ? print(*row.blocks) : "");
}

SheetCell inner_cell(const OpRow& row) {
    if (!row.blocks || row.blocks->u_kt <= 0) return {};
    const std::int64_t m = row.blocks->m_k, u = row.blocks->u_kt;
    const bool bad = (u < 4 && m >= 4) || (u == 1 && m > 1);
    return {fmt::format("{}/{}", m, u), 0, m == 1 ? Tone::Good : bad ? Tone::Bad : Tone::Plain};
}

/// "need" and "got" of a pipe; red when it gets less than it needs.
void add_rate(SheetRow& row, const trace::PipeRate* rate) {
    row.cells.push_back(rate ? rate_cell(rate->need) : SheetCell{});
    const Tone tone = rate && rate->got > 0 && rate->got < rate->need ? Tone::Bad : Tone::Plain;
    row.cells.push_back(rate ? rate_cell(rate->got, tone) : SheetCell{});
}

std::int64_t operands_of(const StageRow& row) {
    std::int64_t most = -1;
    for (const OpRow& op : row.ops)
        for (const OpPipe& pipe : op.operands) most = std::max(most, pipe.operand);
    constexpr std::int64_t shown = 8;
    return std::min(most + 1, shown);
}

void add_operands(SheetRow& out, const OpRow& op, std::int64_t operands) {
    for (std::int64_t k = 0; k < operands; ++k) {
        const auto found =
            std::find_if(op.operands.begin(), op.operands.end(), [&](const OpPipe& pipe) { return pipe.operand == k; });
        add_rate(out, found == op.operands.end() ? nullptr : &found->rate);
    }
}

SheetRow op_sheet_row(const OpRow& op, std::int64_t id, std::int64_t operands) {
    const trace::OpUse& use = *op.op;
    SheetRow row{id, {word_cell(use.name), word_cell(fmt::format("{},{}", use.grid_r, use.grid_c))}};
    const auto mb = [](const trace::OpBlocks& b) { return fmt::format("{},{}", b.mblock_m, b.mblock_n); };
    const auto ub = [](const trace::OpBlocks& b) { return fmt::format("{},{}", b.ublock_rt, b.ublock_ct); };
    row.cells.push_back(blocks_cell(op, mb));
    row.cells.push_back(blocks_cell(op, ub));
    row.cells.push_back(op.blocks ? count_cell(static_cast<double>(op.blocks->t)) : SheetCell{});
    row.cells.push_back(inner_cell(op));
    row.cells.push_back(count_cell(op.est, estimate_tone(op.est, op.kernel)));
    row.cells.push_back(count_cell(op.est_lim, estimate_tone(op.est_lim, op.bw_kernel)));
    row.cells.push_back(count_cell(op.kernel));
    row.cells.push_back(share_cell(op.utilization, share_tone(op.utilization)));
    row.cells.push_back(count_cell(op.bw_kernel));
    row.cells.push_back(share_cell(op.bw_utilization, share_tone(op.bw_utilization)));
    row.cells.push_back(word_cell(op.problem));
    const trace::PipeRate out{"output", op.out_need, op.out_got};
    add_rate(row, &out);
    add_operands(row, op, operands);
    row.cells.push_back(count_cell(use.cycles));
    row.cells.push_back(word_cell(to_string(use.limit)));
    row.cells.push_back(share_cell(use.wait_source_share()));
    row.cells.push_back(share_cell(use.wait_room_share()));
    row.cells.push_back(word_cell(use.type));
    return row;
}

/// Simulated steady rate; "-" when unknown.
std::string steady_text(double inputs_per_second) {
    return inputs_per_second > 0 ? fmt::format("{:.0f}", inputs_per_second) : "-";
}

std::string stage_title(const PerfView& view, std::size_t stage) {
    return fmt::format("{} ({})", stage, view.stages[stage].name);
}

}  // namespace

/// The epoch type of a stage of a netlist that trains.
static std::string epoch_type_of(const PerfView& view, std::size_t stage) {
    for (const trace::EpochUse& epoch : view.data.epochs)
        if (epoch.id == view.stages[stage].launches.front()) return epoch.epoch_type;
    return "";
}

static void add_step(Sheet& sheet, const TrainingUse& training) {
    std::string shares;
    for (const EpochType type : epoch_types)
        shares += fmt::format("{}{} {} % util {} %", shares.empty() ? "" : ", ", to_string(type),
                              cut_percent(training.step_share(type)), cut_percent(training.of(type).utilization()));
    sheet.head.push_back({"Step", fmt::format("{} cycles, util {} %: {}", training.step().cycles,
                                              cut_percent(training.step().utilization()), shares)});
    sheet.head.push_back({"Saved activations", fmt::format("{} bytes", training.saved_bytes)});
}

Sheet summary_sheet(const PerfView& view) {
    Sheet sheet;
    std::vector<trace::StageUse> uses;
    for (const auto& row : view.rows) uses.push_back(row->use());
    const trace::StageUse all = trace::overall(view.stages, uses);
    std::vector<trace::Estimate> kernels, limits;
    bool balanced = false;
    for (const auto& row : view.rows) {
        balanced = balanced || has_estimates(*row);
        for (const OpRow& op : row->ops) {
            kernels.push_back({op.est, op.kernel});
            limits.push_back({op.est_lim, op.bw_kernel});
        }
    }
    sheet.head = {{"Netlist", view.data.run.netlist},
                  {"Performance", trace::speed_text(trace::inputs_per_second(view.data.clock_hz(), all.cycles)) + "/s"},
                  {"Utilization", fmt::format("{:.2f} %", 100 * all.utilization)},
                  {"Kernel estimate error", percent(trace::estimate_error(kernels))},
                  {"Kernel BW estimate error", percent(trace::estimate_error(limits))}};
    const trace::RunInfo& run = view.data.run;
    if (run.end_to_end_per_second > 0) {
        sheet.head.push_back({"End to end", steady_text(run.end_to_end_per_second) + " inputs/s"});
        sheet.head.push_back({run.rate_of_loop ? "Loop" : "Steady", steady_text(run.inputs_per_second) + " inputs/s"});
    }
    const std::optional<TrainingUse> training = trace::training_use(run, view.data.epochs);
    if (training) add_step(sheet, *training);
    if (run.status != "complete") sheet.head.push_back({"Run ended early", run.status});
    sheet.columns = {{"epoch"}, {"slowest op", false}, {"cycles"}, {"speed"}, {"util"}, {"mm cores"}};
    if (balanced) sheet.columns.push_back({"balancer util"});
    for (const char* title :
         {"req noc bw GB/s", "act noc bw GB/s", "req dram bw GB/s", "act dram bw GB/s", "cores", "inputs", "inputs/s"})
        sheet.columns.push_back({title});
    sheet.columns.push_back({"limits", false});
    if (training) sheet.columns.push_back({"type", false});
    sheet.columns.push_back({"graphs", false, true});
    mark_important(sheet, {"slowest op", "cycles", "speed", "util", "limits"});
    for (std::size_t n = 0; n < view.rows.size(); ++n) {
        const StageRow& row = *view.rows[n];
        SheetRow out{static_cast<std::int64_t>(n),
                     {count_cell(static_cast<double>(n)),
                      word_cell(row.ops.empty() ? "-" : row.ops[0].op->name),
                      count_cell(row.cycles),
                      {trace::speed_text(row.speed), row.speed, Tone::Plain},
                      share_cell(row.utilization, share_tone(row.utilization)),
                      count_cell(static_cast<double>(row.matmul_cores))}};
        if (balanced) out.cells.push_back(share_cell(row.balancer_utilization, share_tone(row.balancer_utilization)));
        for (const double rate : {row.noc_need, row.noc_got, row.dram_need, row.dram_got})
            out.cells.push_back(rate_cell(rate));
        out.cells.push_back(count_cell(static_cast<double>(row.cores)));
        out.cells.push_back(count_cell(static_cast<double>(row.inputs)));
        out.cells.push_back({steady_text(row.inputs_per_second), row.inputs_per_second, Tone::Plain});
        out.cells.push_back(word_cell(row.ops.empty() ? "-" : to_string(row.ops[0].op->limit)));
        if (training) out.cells.push_back(word_cell(epoch_type_of(view, n)));
        out.cells.push_back(word_cell(view.stages[n].name));
        sheet.rows.push_back(std::move(out));
    }
    return sheet;
}

Sheet epoch_sheet(const PerfView& view, std::size_t stage) {
    const StageRow& row = *view.rows.at(stage);
    Sheet sheet;
    sheet.head = {{"Epoch", stage_title(view, stage)},
                  {"Speed", trace::speed_text(row.speed) + "/s"},
                  {"Utilization", cut_percent(row.utilization) + " %"},
                  {"Steady", steady_text(row.inputs_per_second) + " inputs/s"}};
    if (has_estimates(row))
        sheet.head.push_back({"Balancer utilization", cut_percent(row.balancer_utilization) + " %"});
    sheet.columns = {{"name", false},   {"grid", false}, {"mb", false},         {"ub", false}, {"t"},
                     {"m/u_kt", false}, {"est"},         {"est_lim"},           {"kernel"},    {"util"},
                     {"bw_kernel"},     {"bw_util"},     {"bw problem", false}, {"out_req"},   {"out_bw"}};
    const std::int64_t operands = operands_of(row);
    for (std::int64_t k = 0; k < operands; ++k)
        for (const char* what : {"req", "bw"}) sheet.columns.push_back({fmt::format("in{}_{}", k, what)});
    for (const char* title : {"cycles", "limits", "for input %", "for room %", "type"})
        sheet.columns.push_back({title, std::string_view(title) != "limits" && std::string_view(title) != "type"});
    mark_important(sheet, {"kernel", "bw_kernel", "bw problem", "bw_util", "util"});
    for (std::size_t n = 0; n < row.ops.size(); ++n)
        sheet.rows.push_back(op_sheet_row(row.ops[n], static_cast<std::int64_t>(n), operands));
    return sheet;
}

Sheet estimates_sheet(const PerfView& view, std::size_t stage) {
    const StageRow& row = *view.rows.at(stage);
    Sheet sheet;
    const bool compiled =
        std::any_of(row.ops.begin(), row.ops.end(), [](const OpRow& op) { return op.estimate != nullptr; });
    sheet.head = {{"Epoch", stage_title(view, stage)},
                  {"Estimates of", compiled ? "the compiler" : "the kernels and pipes by themselves"}};
    sheet.columns = {{"name", false}, {"est"},      {"kernel"}, {"off %"},   {"est_lim"},
                     {"bw_kernel"},   {"bw off %"}, {"cycles"}, {"behind %"}};
    const auto off = [](double estimate, double found) {
        const double by = found > 0 ? (found - estimate) / estimate : 0;
        return SheetCell{estimate > 0 ? fmt::format("{:+.1f}", 100 * by) : "", by, estimate_tone(estimate, found)};
    };
    for (std::size_t n = 0; n < row.ops.size(); ++n) {
        const OpRow& op = row.ops[n];
        sheet.rows.push_back(
            {static_cast<std::int64_t>(n),
             {word_cell(op.op->name), count_cell(op.est), count_cell(op.kernel), off(op.est, op.kernel),
              count_cell(op.est_lim), count_cell(op.bw_kernel), off(op.est_lim, op.bw_kernel),
              count_cell(op.op->cycles), off(op.bw_kernel, op.op->cycles)}});
    }
    return sheet;
}

Sheet resources_sheet(const PerfView& view, std::size_t stage) {
    Sheet sheet;
    sheet.head = {{"Epoch", stage_title(view, stage)}, {"Resources", "share of the epoch in which each is busy"}};
    sheet.columns = {{"resource", false}, {"share %"}, {"MB"}, {"B/cycle"}, {"who", false, true}};
    for (const std::int64_t launch : view.stages.at(stage).launches)
        for (const trace::EpochResource& use : trace::epoch_resources(view.data, launch)) {
            std::string who;
            constexpr std::size_t most = 4;
            for (std::size_t n = 0; n < std::min(most, use.users.size()); ++n)
                who += fmt::format("{}{}{}", n ? ", " : "", use.users[n].name,
                                   use.users[n].bytes > 0 ? fmt::format(" {:.2f} MB", use.users[n].bytes / 1e6) : "");
            if (use.users.size() > most) who += fmt::format(" and {} more", use.users.size() - most);
            const Tone tone = use.share >= 0.8 ? Tone::Bad : use.share >= 0.5 ? Tone::Doubt : Tone::Plain;
            sheet.rows.push_back({static_cast<std::int64_t>(sheet.rows.size()),
                                  {word_cell(use.resource->name),
                                   share_cell(use.share, tone),
                                   {fmt::format("{:.3f}", use.bytes / 1e6), use.bytes, Tone::Plain},
                                   rate_cell(use.resource->bytes_per_cycle),
                                   word_cell(who)}});
        }
    sort_rows(sheet, 1, false);
    return sheet;
}

Sheet cores_sheet(const PerfView& view, const OpRow& op) {
    Sheet sheet;
    sheet.columns = {{"core", false}, {"inputs"}, {"cycles"}, {"busy %"}};
    for (std::size_t n = 0; n < trace::cause_count; ++n)
        sheet.columns.push_back({to_string(static_cast<Cause>(n)) + " %"});
    mark_important(sheet, {"busy %", "math %", "source %", "noc %", "dram %", "room %"});
    for (const trace::CoreCycles& core : view.data.detail(op.epoch).cores) {
        if (core.op != op.op->id) continue;
        SheetRow row{core.id,
                     {word_cell(fmt::format("{}-{}", core.x, core.y)), count_cell(static_cast<double>(core.inputs)),
                      count_cell(static_cast<double>(core.end - core.start)),
                      share_cell(core.busy_share(), share_tone(core.busy_share()))}};
        for (std::size_t n = 0; n < trace::cause_count; ++n)
            row.cells.push_back(share_cell(core.share(static_cast<Cause>(n))));
        sheet.rows.push_back(std::move(row));
    }
    return sheet;
}

Sheet pipes_sheet(const OpRow& op) {
    Sheet sheet;
    const trace::OpUse& use = *op.op;
    sheet.head = {{"Op", use.name},
                  {"Type", use.type},
                  {"Grid", fmt::format("{},{}", use.grid_r, use.grid_c)},
                  {"Chip", fmt::format("{}", use.chip)},
                  {"kernel", fmt::format("{:.0f}", op.kernel)},
                  {"bw_kernel", fmt::format("{:.0f}", op.bw_kernel)},
                  {"cycles", fmt::format("{:.0f}", use.cycles)},
                  {"Limits", to_string(use.limit)}};
    sheet.columns = {{"end", false}, {"from / to", false}, {"place", false}, {"bytes"}, {"need"},
                     {"got"},        {"nothing to send"},  {"no room"},      {"block"}, {"fork"}};
    mark_important(sheet, {"from / to", "need", "got", "nothing to send", "no room"});
    const auto inputs = static_cast<double>(std::max<std::int64_t>(1, use.inputs));
    const auto add = [&](const OpPipe& pipe) {
        const bool resident = pipe.kind == "resident";
        SheetRow row{
            static_cast<std::int64_t>(sheet.rows.size()),
            {word_cell(pipe.operand < 0 ? "output" : fmt::format("in{}", pipe.operand)), word_cell(pipe.other),
             word_cell(resident ? pipe.use->place + ", once" : pipe.use->place), count_cell(pipe.input_bytes)}};
        add_rate(row, &pipe.rate);
        for (const std::int64_t wait :
             {pipe.use->wait_source, pipe.use->wait_room, pipe.use->wait_block, pipe.use->wait_lockstep})
            row.cells.push_back(count_cell(static_cast<double>(wait) / inputs));
        sheet.rows.push_back(std::move(row));
    };
    for (const OpPipe& pipe : op.operands) add(pipe);
    for (const OpPipe& pipe : op.outputs) add(pipe);
    return sheet;
}

std::vector<MapCore> map_cores(const PerfView& view, std::size_t stage) {
    std::vector<MapCore> all;
    for (const OpRow& op : view.rows.at(stage)->ops)
        for (const trace::CoreCycles& core : view.data.detail(op.epoch).cores)
            if (core.op == op.op->id) all.push_back({op.op->chip, core.x, core.y, op.epoch, &op, &core});
    return all;
}

}  // namespace ttsim::impl::report
