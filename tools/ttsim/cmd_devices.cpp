// ttsim devices: lists the products that --device accepts.
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/report/table.hpp"
#include "isa/arch.hpp"
#include "netlist/device/device.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

std::string as_table(const std::vector<ProductInfo>& products) {
    std::string text = fmt::format("{:<10} {:<12} {:>5} {:>8}\n", "device", "arch", "chips", "cores");
    for (const ProductInfo& p : products)
        text += fmt::format("{:<10} {:<12} {:>5} {:>8}  {}\n", p.name, p.arch, p.chips,
                            fmt::format("{}x{}", p.rows, p.cols), p.summary);
    text += "\ncores: rows x columns of Tensix cores of each chip\n";
    std::vector<std::string> chips, unvalidated;
    for (const std::string& name : chip_names()) {
        chips.push_back(name);
        if (!chip(name).validated) unvalidated.push_back(name);
    }
    text += fmt::format("chips for --arch: {}\n", fmt::join(chips, ", "));
    if (!unvalidated.empty())
        text +=
            fmt::format("not validated, no result was compared with measurements: {}\n", fmt::join(unvalidated, ", "));
    return text;
}

std::string as_json(const std::vector<ProductInfo>& products) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ProductInfo& p : products)
        list.push_back({{"name", p.name},
                        {"arch", p.arch},
                        {"chips", p.chips},
                        {"rows", p.rows},
                        {"columns", p.cols},
                        {"validated", p.validated},
                        {"summary", p.summary}});
    return list.dump(2) + "\n";
}

}  // namespace

void add_devices(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("devices", "List the products that --device accepts");
    command->add_flag("--json", *json, "Print JSON");
    command->footer("Example:\n  ttsim devices");
    command->callback(
        [json] { print_text(*json ? as_json(products()) : report::cut_lines(as_table(products()), report_width())); });
}

}  // namespace ttsim::impl::cli
