#include "analysis/smi/display.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/smi/snapshot.hpp"

namespace ttsim::impl::smi {

void Averages::add(const Sample& sample) {
    ++readings;
    sums.resize(sample.chips.size());
    for (std::size_t n = 0; n < sums.size(); ++n) {
        sums[n].math += sample.chips[n].math;
        sums[n].dram_gbps += sample.chips[n].dram_gbps;
        sums[n].noc_gbps += sample.chips[n].noc_gbps;
        sums[n].cores_used += sample.chips[n].cores_used;
    }
}

namespace {

constexpr const char* none = "N/A";

template <class T>
std::string or_none(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : none;
}

/// Rows of cells with titles.
struct Grid {
    std::vector<std::string> titles;
    std::vector<std::vector<Piece>> rows;
    /// Of a screen that is too narrow, columns without values are left out, the last ones first.
    std::vector<Line> lines(std::size_t columns) const;
};

std::vector<Line> Grid::lines(std::size_t columns) const {
    std::vector<std::size_t> widths;
    std::vector<bool> shown(titles.size(), true);
    std::size_t width = 0;
    for (std::size_t c = 0; c < titles.size(); ++c) {
        widths.push_back(titles[c].size());
        for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].text.size());
        width += widths[c] + 2;
    }
    for (std::size_t c = titles.size(); c-- > 0 && width > columns;) {
        shown[c] = std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row[c].text != none; });
        if (!shown[c]) width -= widths[c] + 2;
    }
    std::vector<Line> lines(1);
    for (std::size_t c = 0; c < titles.size(); ++c)
        if (shown[c]) lines[0].push_back({fmt::format(" {:<{}} ", titles[c], widths[c]), Ink::Label});
    for (const auto& row : rows) {
        Line& line = lines.emplace_back();
        for (std::size_t c = 0; c < row.size(); ++c)
            if (shown[c]) line.push_back({fmt::format(" {:<{}} ", row[c].text, widths[c]), row[c].ink});
    }
    return lines;
}

/// Lines of names and values in turn; a pair that has no room begins the next line.
std::vector<Line> wrapped(const std::vector<Line>& lines, std::size_t columns) {
    std::vector<Line> out;
    for (const Line& line : lines) {
        out.emplace_back();
        std::size_t used = 0;
        for (std::size_t at = 0; at < line.size(); at += 2) {
            const std::size_t size = line[at].text.size() + (at + 1 < line.size() ? line[at + 1].text.size() : 0);
            if (used > 0 && used + size > columns) {
                out.emplace_back();
                used = 0;
            }
            out.back().insert(out.back().end(), line.begin() + static_cast<std::ptrdiff_t>(at),
                              line.begin() + static_cast<std::ptrdiff_t>(std::min(at + 2, line.size())));
            used += size;
        }
    }
    return out;
}

Grid information(const Sample& sample) {
    Grid grid{{"#", "Bus ID", "Board Type", "Board ID", "DRAM Trained", "DRAM Speed", "Link Speed", "Link Width",
               "Harvested"},
              {}};
    for (const ChipSample& chip : sample.chips) {
        const std::optional<Board>& board = chip.board;
        grid.rows.push_back({{fmt::format("{}", chip.chip)},
                             {none},
                             {chip.board_type},
                             {board ? board->id() : none},
                             {"yes"},
                             {board ? or_none(board->dram_speed) : none},
                             {board && board->pcie_speed ? fmt::format("Gen{}", *board->pcie_speed) : none},
                             {board && board->pcie_width ? fmt::format("x{}", *board->pcie_width) : none},
                             {chip.harvested_rows}});
    }
    return grid;
}

/// Telemetry rows, current or averaged.
Grid telemetry(const Sample& sample, const Averages& averages, const Look& look) {
    Grid grid{{"#", "AICLK", "Cores", "Math", "DRAM GB/s", "NoC GB/s", "Core Voltage", "Core Current", "Core Power",
               "Core Temp"},
              {}};
    for (std::size_t n = 0; n < sample.chips.size(); ++n) {
        ChipSample chip = sample.chips[n];
        if (look.averages && averages.readings > 0 && n < averages.sums.size()) {
            const auto count = static_cast<double>(averages.readings);
            chip.math = averages.sums[n].math / count;
            chip.dram_gbps = averages.sums[n].dram_gbps / count;
            chip.noc_gbps = averages.sums[n].noc_gbps / count;
            chip.cores_used = static_cast<std::int64_t>(static_cast<double>(averages.sums[n].cores_used) / count + 0.5);
        }
        const auto limited = [&](const std::string& value, const std::string& limit) {
            return look.limits ? Piece{value + " / " + limit, Ink::Limit} : Piece{value};
        };
        const std::string power = chip.board ? or_none(chip.board->power_limit) : none;
        grid.rows.push_back({{fmt::format("{}", chip.chip)},
                             limited(fmt::format("{}", chip.clock_mhz), fmt::format("{}", chip.clock_mhz)),
                             limited(fmt::format("{}", chip.cores_used), fmt::format("{}", chip.workers)),
                             {fmt::format("{:.1f} %", 100 * chip.math)},
                             {fmt::format("{:.2f}", chip.dram_gbps)},
                             {fmt::format("{:.2f}", chip.noc_gbps)},
                             {none},
                             {none},
                             limited(none, power),
                             {none}});
    }
    return grid;
}

Grid firmware(const Sample& sample) {
    Grid grid{{"#", "FW Bundle", "CM", "ETH", "DM App", "GDDR"}, {}};
    for (const ChipSample& chip : sample.chips)
        grid.rows.push_back({{fmt::format("{}", chip.chip)}, {"ttsim " TTSIM_VERSION}, {none}, {none}, {none}, {none}});
    return grid;
}

std::vector<Line> host_lines(const Sample& sample) {
    const Host machine = host();
    std::vector<Line> lines;
    lines.push_back({{" Host Info", Ink::Title}});
    lines.push_back({{" OS "},
                     {machine.distribution, Ink::Label},
                     {"  Kernel "},
                     {machine.kernel, Ink::Label},
                     {"  Host "},
                     {machine.name, Ink::Label},
                     {"  Memory "},
                     {machine.memory, Ink::Label}});
    lines.push_back({{" Run", Ink::Title}});
    lines.push_back({{" status "},
                     {sample.status, Ink::Label},
                     {"  netlist "},
                     {sample.netlist.empty() ? none : sample.netlist, Ink::Label},
                     {"  pid "},
                     {sample.pid > 0 ? fmt::format("{}", sample.pid) : none, Ink::Label}});
    lines.push_back(
        {{" cycle "},
         {fmt::format("{}", sample.cycle), Ink::Label},
         {"  simulated "},
         {fmt::format("{:.6f} s", sample.seconds), Ink::Label},
         {"  cycles per host second "},
         {sample.cycles_per_second > 0 ? fmt::format("{:.0f}", sample.cycles_per_second) : none, Ink::Label}});
    const std::string inputs = sample.inputs ? fmt::format("{} of {}", *sample.inputs_over, *sample.inputs) : none;
    lines.push_back({{" epoch "},
                     {or_none(sample.epoch), Ink::Label},
                     {"  graphs "},
                     {sample.graphs.empty() ? none : sample.graphs, Ink::Label},
                     {"  inputs "},
                     {inputs, Ink::Label},
                     {"  fullest queue "},
                     {sample.queue_fill ? fmt::format("{:.0f} %", 100 * *sample.queue_fill) : none, Ink::Label}});
    return lines;
}

std::vector<Line> help_lines() {
    std::vector<Line> lines{{{" Keys", Ink::Title}}};
    for (const char* text : {"1 2 3  information, telemetry, firmware", "t      side bar", "w      limits",
                             "v      averages over all readings", "s      snapshot", "d      starts and stops a dump",
                             "h      this help", "q      quits", "of a trace:", "space  pauses and goes on",
                             "< >    half, double speed", "left, right  5 % back, ahead", "Home   to the start"})
        lines.push_back({{fmt::format(" {}", text)}});
    return lines;
}

/// A line limited to a number of columns.
Line cut(const Line& line, std::size_t columns) {
    Line kept;
    for (const Piece& piece : line) {
        if (columns == 0) break;
        kept.push_back({piece.text.substr(0, columns), piece.ink});
        columns -= kept.back().text.size();
    }
    return kept;
}

}  // namespace

std::vector<Line> display(const Sample& sample, const Averages& averages, const Look& look, int columns, int rows) {
    const auto width = static_cast<std::size_t>(std::max(1, columns));
    std::vector<Line> lines;
    lines.push_back({{" tt-smi " TTSIM_VERSION "  ", Ink::Faint},
                     {"Simulated devices", Ink::Title},
                     {"  " + look.clock, Ink::Faint}});
    if (look.side_bar)
        for (Line& line : wrapped(host_lines(sample), width)) lines.push_back(std::move(line));
    static constexpr const char* names[] = {"1 Information", "2 Telemetry", "3 Firmware"};
    Line tabs;
    for (int tab = 1; tab <= 3; ++tab)
        tabs.push_back({fmt::format(" {} ", names[tab - 1]), tab == look.tab ? Ink::Title : Ink::Faint});
    if (look.averages) tabs.push_back({" (averages)", Ink::Faint});
    lines.push_back(std::move(tabs));
    const Grid grid = look.tab == 2   ? telemetry(sample, averages, look)
                      : look.tab == 3 ? firmware(sample)
                                      : information(sample);
    for (Line& line : look.help ? help_lines() : grid.lines(width)) lines.push_back(std::move(line));
    const auto height = static_cast<std::size_t>(std::max(2, rows));
    lines.resize(height - 1);
    const std::string keys =
        look.replay.empty()
            ? " q quit  1 2 3 tabs  t side bar  w limits  v averages  s snapshot  d dump  h help"
            : " " + look.replay + "  space pause  < > speed  left right seek  q quit  1 2 3 tabs  h help";
    lines.push_back(
        {{look.message.empty() ? (look.dumping ? " dumping;" : "") + keys : " " + look.message, Ink::Faint}});
    for (Line& line : lines) line = cut(line, width);
    return lines;
}

}  // namespace ttsim::impl::smi
