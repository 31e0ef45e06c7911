#include "tools/validation/memory_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "isa/arch.hpp"
#include "sim/memory/memory_constants.hpp"
#include "tools/validation/dram_bench.hpp"

namespace ttsim::impl::sim {

namespace {

constexpr std::int64_t largest_access = 8192, largest_message = 1 << 20;

/// Whether the row is of the predicted chip; also checks its chip name.
bool is_of_chip(CsvFields& in, const std::string& chip_name, BenchPrediction& out) {
    const std::string arch = to_lower(in.text("arch"));
    const std::vector<std::string> known = chip_names();
    if (std::find(known.begin(), known.end(), arch) == known.end())
        in.error("'arch' is '{}'{}; known: {}", in.text("arch"), did_you_mean(arch, known), fmt::join(known, ", "));
    if (arch != chip_name) out.reason = fmt::format("arch is {}, predicted is {}", arch, chip_name);
    return out.reason.empty();
}

DramBenchCase read_dram_case(CsvFields& in, const ChipParams& chip, const MemoryConstants& constants) {
    DramBenchCase c;
    const auto channels = static_cast<std::int64_t>(constants.dram_ports.size());
    const auto tiles = static_cast<std::int64_t>(chip.worker_x.size() * chip.worker_y.size());
    c.channels = static_cast<int>(in.size("n_dram_channels", 1, channels, {}));
    c.tiles = static_cast<int>(in.size("n_tensix_tiles", 1, tiles, {}));
    c.pairing = in.word("pairing", {"randomly", "carefully"}) == 0 ? Pairing::Random : Pairing::Separate;
    c.write = in.word("direction", {"read", "write"}) == 1;
    c.static_vc = in.word("vc_alloc", {"Static", "Dynamic"}) == 0;
    c.noc = static_cast<int>(in.size("noc", 0, 1, {}));
    c.bytes = static_cast<std::uint64_t>(in.size("bytes", 1, largest_access, largest_access));
    return c;
}

std::string dram_group(const DramBenchCase& c) {
    return fmt::format("{} {}{}", c.write ? "write" : "read", c.static_vc ? "static" : "dynamic",
                       c.channels == 1 ? "" : fmt::format(" {} channels", c.channels));
}

struct EthTest {
    const char* name;
    bool latency;
    EthReceiver receiver;
};
constexpr EthTest eth_tests[] = {{"erisc_bw", false, EthReceiver::Keep},
                                 {"erisc_write_worker_bw", false, EthReceiver::Forward},
                                 {"erisc_write_worker_bw_no_trid", false, EthReceiver::ForwardFlushed},
                                 {"erisc_latency", true, EthReceiver::Keep},
                                 {"erisc_write_worker_latency", true, EthReceiver::Forward}};

/// "..., num_hops=(8-1-0)*2=14 (round trip)": the number after the last '='; 0 if there is none.
std::int64_t hops_of(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    if (text.find("num_hops=") == std::string::npos) return 0;
    std::size_t end = equals + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return static_cast<std::int64_t>(parse_real(text.substr(equals + 1, end - equals - 1)).value_or(0));
}

/// Nanoseconds of a message over a line of chips, or nullopt for an unknown test.
std::optional<double> relayed(CsvFields& in, const EthTiming& eth, std::uint64_t bytes, double ns) {
    const std::string& test = in.text("test");
    const double hop = eth.relay_hop(bytes) * ns;
    if (test == "1d_fabric_avg_hop") return hop;
    double share = 1;
    if (test == "1d_fabric_min") share -= eth.relay_spread;
    if (test == "1d_fabric_max") share += eth.relay_spread;
    if (share == 1 && test != "1d_fabric_mean") return {};
    const std::int64_t hops = hops_of(in.text("direction"));
    if (hops < 1 || hops > 1000)
        in.error("'direction' is '{}'; '... num_hops=N' with N in 1..1000 is wanted", in.text("direction"));
    return hop * static_cast<double>(hops) * share;
}

void predict_eth_row(CsvFields& in, const ChipParams& chip, const EthTiming& eth, BenchPrediction& out) {
    const std::string& test = in.text("test");
    const double ns = 1000.0 / static_cast<double>(chip.clock_mhz);
    const auto known =
        std::find_if(std::begin(eth_tests), std::end(eth_tests), [&](const EthTest& t) { return test == t.name; });
    const bool direct = known != std::end(eth_tests);
    const auto bytes = static_cast<std::uint64_t>(in.size("packet_bytes", direct ? 1 : 0, largest_message, {}));
    std::string unit = "ns";
    if (!direct) {
        out.predicted = relayed(in, eth, bytes, ns);
        if (!out.predicted) out.reason = fmt::format("no model of the test '{}'", test);
    } else {
        const bool both = in.word("direction", {"uni", "bi"}) == 1;
        if (known->latency && both) out.reason = "no model of latency with traffic in both directions";
        if (!known->latency) unit = "GB/s";
        if (out.reason.empty())
            out.predicted = known->latency
                                ? eth.round_trip(known->receiver, bytes) * ns
                                : static_cast<double>(bytes) / (eth.interval(known->receiver, both, bytes) * ns);
    }
    if (!in.text("unit").empty() && in.text("unit") != unit && out.predicted)
        in.error("'unit' is '{}'; {} is wanted for '{}'", in.text("unit"), unit, test);
}

}  // namespace

const std::vector<std::string>& dram_columns() {
    static const std::vector<std::string> columns = {
        "arch", "n_dram_channels", "n_tensix_tiles", "pairing", "direction", "vc_alloc", "noc"};
    return columns;
}

const std::vector<std::string>& eth_columns() {
    static const std::vector<std::string> columns = {"arch", "test", "direction", "packet_bytes"};
    return columns;
}

BenchRows predict_dram_rows(CsvFile csv, const std::string& chip_name) {
    const ChipParams& params = chip(chip_name);
    const MemoryConstants& constants = memory_constants(chip_name);
    BenchRows rows{std::move(csv), {}};
    std::vector<DramBenchCase> cases;
    Diagnostics problems;
    for (const CsvRow& row : rows.csv.rows) {
        CsvFields in(rows.csv, row, problems);
        BenchPrediction p;
        is_of_chip(in, chip_name, p);
        cases.push_back(p.reason.empty() ? read_dram_case(in, params, constants) : DramBenchCase{});
        p.measured = in.positive("GBps");
        p.group = dram_group(cases.back());
        rows.predictions.push_back(std::move(p));
        throw_if_many(problems);
    }
    problems.throw_if_any();
    std::map<std::tuple<int, int, bool, bool, int, Pairing, std::uint64_t>, double> done;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!rows.predictions[i].reason.empty()) continue;
        const DramBenchCase& c = cases[i];
        const auto [known, fresh] =
            done.try_emplace({c.channels, c.tiles, c.write, c.static_vc, c.noc, c.pairing, c.bytes}, 0.0);
        if (fresh) known->second = dram_bench(c, params, constants).gb_per_second;
        rows.predictions[i].predicted = known->second;
    }
    return rows;
}

BenchRows predict_eth_rows(CsvFile csv, const std::string& chip_name) {
    const ChipParams& params = chip(chip_name);
    const MemoryConstants& constants = memory_constants(chip_name);
    BenchRows rows{std::move(csv), {}};
    Diagnostics problems;
    for (const CsvRow& row : rows.csv.rows) {
        CsvFields in(rows.csv, row, problems);
        BenchPrediction p;
        p.group = in.text("test");
        p.measured = in.positive("expected");
        if (is_of_chip(in, chip_name, p)) {
            if (constants.eth)
                predict_eth_row(in, params, *constants.eth, p);
            else
                p.reason = chip_name + " has no Ethernet cores";
        }
        rows.predictions.push_back(std::move(p));
        throw_if_many(problems);
    }
    problems.throw_if_any();
    return rows;
}

std::string bench_csv(const BenchRows& rows, const std::string& predicted) {
    std::vector<std::string> fields = rows.csv.columns;
    fields.insert(fields.end(), {predicted, "reason"});
    std::string out = csv_line(fields);
    for (std::size_t i = 0; i < rows.predictions.size(); ++i) {
        const BenchPrediction& p = rows.predictions[i];
        fields = rows.csv.rows[i].fields;
        fields.insert(fields.end(), {p.predicted ? fmt::format("{:.3f}", *p.predicted) : "", p.reason});
        out += csv_line(fields);
    }
    return out;
}

std::vector<PredictionErrors> bench_errors(const BenchRows& rows) {
    ErrorStatistics count;
    for (const BenchPrediction& p : rows.predictions)
        if (p.predicted && p.measured) count.add(p.group, *p.predicted, *p.measured);
    return count.summary();
}

}  // namespace ttsim::impl::sim
