// ttsim check: validates a netlist without running it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "generated/run_flags.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

std::string text_of(const std::string& netlist, const sim::CheckReport& report) {
    std::string text = fmt::format("{}: valid on {}\n", netlist, report.arch);
    for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
    return text;
}

/// The result for tools that show problems in an editor: a report, or null and the error thrown.
nlohmann::ordered_json json_of(const std::string& netlist, const sim::CheckReport* report, const Error* error) {
    using json = nlohmann::ordered_json;
    json all{{"netlist", netlist}, {"valid", report != nullptr}};
    all["arch"] = report ? json(report->arch) : json();
    all["validated"] = report ? json(report->validated) : json();
    all["notes"] = report ? report->notes : std::vector<std::string>();
    all["problems"] = json::array();
    if (!error) return all;
    for (const Problem& problem : error->problems())
        all["problems"].push_back({{"kind", fault_name(problem.fault)},
                                   {"file", problem.loc.file},
                                   {"line", problem.loc.line == 0 ? json() : json(problem.loc.line)},
                                   {"column", problem.loc.column == 0 ? json() : json(problem.loc.column)},
                                   {"message", problem.message}});
    return all;
}

void check(const sim::RunOptions& options, const std::string& json_file) {
    require_kind(InputKind::Netlist, options.netlist, "ttsim check");
    std::optional<OutputFile> json;
    if (!json_file.empty()) json.emplace(json_file, FileKind::Json);
    const auto write = [&](const nlohmann::ordered_json& all) { json->write(json_document(all)); };
    try {
        const sim::CheckReport report = sim::check(options);
        if (json) write(json_of(options.netlist, &report, nullptr));
        if (!json || !json->is_stdout()) print_text(text_of(options.netlist, report));
    } catch (const Error& error) {
        if (json && (error.fault() == Fault::Input || error.fault() == Fault::Unsupported))
            write(json_of(options.netlist, nullptr, &error));
        throw;
    }
}

}  // namespace

void add_check(CLI::App& app) {
    auto options = std::make_shared<sim::RunOptions>();
    CLI::App* command = app.add_subcommand("check", "Validate a netlist without running it");
    add_netlist(*command, options->netlist);
    add_check_options(*command, {*options});
    const auto json = std::make_shared<std::string>();
    const auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("--json", *json, FileKind::Json, "Write the problems with their locations as JSON; - is stdout");
    command->footer(
        "Prints every error of the netlist with its line, or the chip it is valid on.\n"
        "Exit codes: 0 valid, 2 errors, 4 a feature that the model of the chip lacks.\n\n"
        "Examples:\n"
        "  ttsim check encoder.yaml\n"
        "  ttsim check encoder.yaml --device wh_n150\n"
        "  ttsim check encoder.yaml --json -");
    command->callback([options, json, outputs] {
        outputs->claim();
        check(*options, *json);
    });
}

}  // namespace ttsim::impl::cli
