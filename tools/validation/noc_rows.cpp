#include "tools/validation/noc_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.hpp"

namespace ttsim::impl::noc {

namespace {

constexpr std::int64_t most_row_bytes = 1 << 26, most_count = 1 << 20;

std::string column_of_chip(const CsvFile& csv) {
    const bool has_arch = std::find(csv.columns.begin(), csv.columns.end(), "arch") != csv.columns.end();
    return has_arch ? "arch" : "chip";
}

bool flag(CsvFields& in, const char* column) { return in.size(column, 0, 1, 0) == 1; }

/// Sets the rectangle for a number of subordinates. Files give only the number; the grid is as square as possible.
void set_grid(std::int64_t subordinates, const ChipParams& chip, BenchCase& what) {
    if (subordinates <= 0) return;
    const auto widest = static_cast<std::int64_t>(chip.worker_x.size());
    std::int64_t x = std::min(widest, static_cast<std::int64_t>(std::sqrt(static_cast<double>(subordinates)) + 0.5));
    while (x > 1 && subordinates % x) --x;
    what.grid_x = static_cast<int>(x);
    what.grid_y = static_cast<int>(subordinates / x);
}

BenchCase read_case(CsvFields& in, const ChipParams& chip, std::string& reason) {
    BenchCase what;
    const std::string pattern = to_lower(in.text("pattern"));
    const std::vector<std::string>& names = pattern_names();
    const auto found = std::find(names.begin(), names.end(), pattern);
    if (found == names.end())
        in.error("'pattern' is '{}'; known: {}{}", in.text("pattern"), fmt::join(names, ", "),
                 did_you_mean(pattern, names));
    else
        what.pattern = static_cast<Pattern>(found - names.begin());
    const std::string mechanism = to_lower(in.text("mechanism"));
    if (mechanism.starts_with("multicast")) {
        if (what.pattern != Pattern::OneToAll && what.pattern != Pattern::Multicast)
            reason = fmt::format("no model of {} as multicast", pattern);
        what.pattern = Pattern::Multicast;
        what.linked = mechanism == "multicast_linked";
    } else if (!mechanism.empty() && mechanism != "unicast") {
        in.error("'mechanism' is '{}'; UNICAST, MULTICAST or MULTICAST_LINKED is wanted", in.text("mechanism"));
    }
    const std::string memory = to_lower(in.text("memory"));
    if (memory.starts_with("dram"))
        what.dram = true;
    else if (!memory.empty() && memory != "l1")
        in.error("'memory' is '{}'; L1, DRAM_SHARDED or DRAM_INTERLEAVED is wanted", in.text("memory"));
    what.bytes = static_cast<std::uint64_t>(in.size("transaction_bytes", 1, most_row_bytes, {}));
    what.count = static_cast<std::uint32_t>(in.size("num_transactions_total", 1, most_count, {}));
    what.noc = static_cast<int>(in.size("noc_index", 0, 1, 0));
    set_grid(in.size("num_subordinates", 0, 1 << 10, 0), chip, what);
    what.same_axis = flag(in, "same_axis");
    what.stateful = flag(in, "stateful");
    what.loopback = flag(in, "loopback");
    return what;
}

}  // namespace

const std::vector<std::string>& noc_columns() {
    static const std::vector<std::string> columns = {"pattern", "transaction_bytes", "num_transactions_total"};
    return columns;
}

sim::BenchRows predict_noc_rows(CsvFile csv, const ChipParams& chip, const Topology& topology,
                                const Constants& constants) {
    sim::BenchRows rows;
    Diagnostics problems;
    std::vector<BenchCase> cases;
    const std::string chip_column = column_of_chip(csv);
    for (const CsvRow& row : csv.rows) {
        CsvFields in(csv, row, problems);
        sim::BenchPrediction p;
        const std::string name = to_lower(in.text(chip_column));
        if (!name.empty() && name != chip.name)
            p.reason = fmt::format("{} is {}, predicted is {}", chip_column, in.text(chip_column), chip.name);
        const BenchCase what = read_case(in, chip, p.reason);
        p.group = fmt::format("{} {}{}", pattern_names()[static_cast<std::size_t>(what.pattern)],
                              what.dram ? "dram" : "l1", what.stateful ? " stateful" : "");
        p.measured = in.positive("latency_cycles");
        cases.push_back(what);
        rows.predictions.push_back(std::move(p));
        throw_if_many(problems);
    }
    problems.throw_if_any();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        sim::BenchPrediction& p = rows.predictions[i];
        if (!p.reason.empty()) continue;
        try {
            p.predicted = bench(cases[i], topology, constants).cycles;
        } catch (const Error& error) {
            if (error.fault() != Fault::Unsupported && error.fault() != Fault::Input) throw;
            p.reason = error.message();
        }
    }
    rows.csv = std::move(csv);
    return rows;
}

}  // namespace ttsim::impl::noc
