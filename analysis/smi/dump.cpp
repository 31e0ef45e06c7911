#include "analysis/smi/dump.hpp"

#include <fmt/format.h>
#include <xlsxwriter.h>

#include <array>

#include "base/error.hpp"
#include "base/new_file.hpp"

namespace ttsim::impl::smi {

/// Constant ARCCLK and AXICLK in MHz, from the sample dump of the guide.
static constexpr double arc_clock = 540, axi_clock = 900;

static constexpr std::array titles{"Timestamp (s)",
                                   "Core Voltage (V)",
                                   "AICLK (MHz)",
                                   "ARCCLK (MHz)",
                                   "AXICLK (MHz)",
                                   "Core Current (A)",
                                   "Core Power (W)",
                                   "Core Temp (\u00b0C)",
                                   "VREG Temp (\u00b0C)",
                                   "Inlet Temp (\u00b0C)",
                                   "Outlet Temp 1 (\u00b0C)",
                                   "Outlet Temp 2 (\u00b0C)",
                                   "Chip",
                                   "Cycle",
                                   "Cores in use",
                                   "Math (%)",
                                   "DRAM (GB/s)",
                                   "NoC (GB/s)",
                                   "DRAM (bytes)",
                                   "PCIe (bytes)",
                                   "Ethernet (bytes)",
                                   "Queue fill (%)",
                                   "Epoch",
                                   "Inputs over"};

static Cell whole(std::int64_t number) { return static_cast<double>(number); }
static Cell whole(const std::optional<std::int64_t>& number) { return number ? whole(*number) : std::nullopt; }

void Dump::add(double timestamp, const Sample& sample) {
    const Cell unknown;
    for (const ChipSample& chip : sample.chips) {
        rows_.push_back({timestamp,
                         unknown,
                         whole(chip.clock_mhz),
                         arc_clock,
                         axi_clock,
                         unknown,
                         unknown,
                         unknown,
                         unknown,
                         unknown,
                         unknown,
                         unknown,
                         whole(chip.chip),
                         whole(sample.cycle),
                         whole(chip.cores_used),
                         100 * chip.math,
                         chip.dram_gbps,
                         chip.noc_gbps,
                         whole(chip.dram_bytes),
                         whole(chip.pcie_bytes),
                         whole(chip.ethernet_bytes),
                         sample.queue_fill ? Cell(100 * *sample.queue_fill) : unknown,
                         whole(sample.epoch),
                         whole(sample.inputs_over)});
        TT_CHECK(rows_.back().size() == titles.size(), "a title for each column");
    }
}

std::string Dump::csv() const {
    std::string text;
    for (const char* title : titles) text += fmt::format("{}{}", text.empty() ? "" : ",", title);
    text += "\n";
    for (const std::vector<Cell>& row : rows_) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (c > 0) text += ",";
            text += !row[c] ? "N/A" : c == 0 ? fmt::format("{:.6f}", *row[c]) : fmt::format("{:.10g}", *row[c]);
        }
        text += "\n";
    }
    return text;
}

void Dump::write_xlsx(const std::string& path) const {
    NewFile file(path, FileKind::Xlsx);
    lxw_workbook* book = ::workbook_new(file.temporary().c_str());
    lxw_worksheet* sheet = ::workbook_add_worksheet(book, "tt-smi");
    for (std::size_t c = 0; c < titles.size(); ++c)
        ::worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(c), titles[c], nullptr);
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (std::size_t c = 0; c < rows_[r].size(); ++c) {
            const auto row = static_cast<lxw_row_t>(r + 1);
            const auto column = static_cast<lxw_col_t>(c);
            if (const Cell& cell = rows_[r][c])
                ::worksheet_write_number(sheet, row, column, *cell, nullptr);
            else
                ::worksheet_write_string(sheet, row, column, "N/A", nullptr);
        }
    if (const lxw_error failed = ::workbook_close(book); failed != LXW_NO_ERROR)
        throw Error(Fault::Input, {path, 0, 0}, fmt::format("cannot be written: {}", ::lxw_strerror(failed)));
    file.commit();
}

}  // namespace ttsim::impl::smi
