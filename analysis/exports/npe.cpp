// A timeline for tt-npe: every transfer with its route, and the demand for links in each step.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/exports/exports.hpp"

namespace ttsim::impl::report {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_steps = 1 << 20;
constexpr std::size_t max_link_entries = std::size_t{1} << 28;  // limit of link entries over all steps
constexpr std::int64_t max_chunks = 1 << 20;                    // per input

struct NpeLink {
    std::int64_t chip = 0, noc = 0, x = 0, y = 0;
    std::string name;      ///< NOC0_EAST
    bool between = false;  ///< true: between routers; false: between a NIU and its router
};

struct NpeRoute {
    std::int64_t noc = 0;
    std::string src, dst, links;  ///< JSON
    std::vector<std::size_t> numbers;
    bool many = false;
};

/// The transfer of a chunk from one source: one route per chip.
struct NpePart {
    std::vector<std::size_t> legs;
    double bytes = 0;
};

std::string link_name(std::int64_t noc, const std::string& direction) {
    static const std::map<std::string, std::string> ends{{"right", "EAST"}, {"down", "SOUTH"}, {"up", "NORTH"},
                                                         {"left", "WEST"},  {"in", "IN"},      {"out", "OUT"}};
    const auto found = ends.find(direction);
    return fmt::format("NOC{}_{}", noc, found == ends.end() ? "IN" : found->second);
}

/// Demand for links in a step, in bytes per cycle.
struct NpeStep {
    std::vector<std::int64_t> active;
    std::map<std::size_t, double> demand, multicast;
};

class NpeTimeline {
public:
    NpeTimeline(ExportSource& source, const NpeOptions& options, const Sink& sink)
        : source_(source), options_(options), sink_(sink) {
        const trace::RunInfo& run = source.trace().run();
        const std::int64_t end = std::min(options.window.end, std::max<std::int64_t>(run.cycles, 1));
        const std::int64_t span = std::max<std::int64_t>(1, end - options.window.first);
        step_ = options.step_cycles > 0 ? options.step_cycles : (span + 999) / 1000;
        if (span / step_ >= static_cast<std::int64_t>(most_steps))
            fail_input({source.path(), 0, 0},
                       "would have {} steps of {} cycles; at most {} are possible; use longer steps "
                       "with --npe-step, or less of the run with --cycles",
                       span / step_, step_, most_steps);
        read_capacity();
        read_routes();
    }
    void write() {
        text_ = "{\"noc_transfers\":[\n";
        transfers();
        text_ += "\n],\n\"timestep_data\":[\n";
        steps();
        text_ += fmt::format("\n],\n\"common_info\":{},\n\"chips\":{},\n\"zones\":[]}}\n", common_info().dump(),
                             chips().dump());
        sink_(text_);
    }

private:
    void flush() {
        if (text_.size() < 1 << 20) return;
        sink_(text_);
        text_.clear();
    }

    void read_capacity() {
        trace::Statement query(source_.trace().database(),
                               "SELECT max(bytes_per_cycle) FROM resource WHERE kind = 'noc'");
        if (query.step() && query.real(0) > 0) capacity_ = query.real(0);
        query.run();
        for (const ChipInstance& chip : source_.setup().machine.chips)
            links_in_all_ += 2.0 * chip.params.grid_x * chip.params.grid_y;  // links of one NoC
    }

    std::size_t link(std::int64_t chip, std::int64_t noc, std::int64_t x, std::int64_t y,
                     const std::string& direction) {
        const std::string name = link_name(noc, direction);
        const auto [known, fresh] =
            link_numbers_.try_emplace(fmt::format("{} {} {} {}", chip, x, y, name), links_.size());
        if (fresh) links_.push_back({chip, noc, x, y, name, direction != "in" && direction != "out"});
        return known->second;
    }

    void read_routes() {
        trace::Statement routes(source_.trace().database(),
                                "SELECT id, chip, noc, from_x, from_y, ends, links FROM route ORDER BY id");
        while (routes.step()) {
            const std::int64_t chip = routes.integer(1);
            NpeRoute route;
            route.noc = routes.integer(2, 1);
            if (route.noc < 0) broken();
            route.src = fmt::format("[{},{},{}]", chip, routes.integer(4), routes.integer(3));
            const Json ends = list(routes.text(5)), links = list(routes.text(6));
            route.many = ends.size() > 1;
            Json dst = Json::array(), named = Json::array();
            for (const Json& end : ends) dst.push_back({chip, end.at(1), end.at(0)});
            for (const Json& one : links) {
                const auto x = one.at(0).get<std::int64_t>(), y = one.at(1).get<std::int64_t>();
                route.numbers.push_back(link(chip, route.noc, x, y, one.at(2).get<std::string>()));
                named.push_back({chip, y, x, links_[route.numbers.back()].name});
            }
            route.dst = dst.dump();
            route.links = named.dump();
            route_at_[routes.integer(0)] = routes_.size();
            routes_.push_back(std::move(route));
        }
        trace::Statement parts(
            source_.trace().database(),
            "SELECT flow, chunk, times, route, bytes, leg FROM flow_route ORDER BY flow, chunk, rowid");
        while (parts.step()) {
            auto& chunks = parts_[parts.integer(0)];
            if (parts.integer(1, max_chunks) < 0 || parts.integer(2, max_chunks) < 0) broken();
            const auto first = static_cast<std::size_t>(parts.integer(1));
            const auto end = first + static_cast<std::size_t>(parts.integer(2));
            const auto route = route_at_.find(parts.integer(3));
            if (route == route_at_.end()) broken();
            if (chunks.size() < end) chunks.resize(end);
            const bool goes_on = parts.integer(5) > 0;
            for (std::size_t n = first; n < end; ++n) {
                if (goes_on && chunks[n].empty()) broken();
                if (!goes_on) chunks[n].push_back({{}, parts.real(4)});
                chunks[n].back().legs.push_back(route->second);
            }
        }
    }

    static bool in_run(const Json& cycles) {
        const auto value = cycles.get<std::int64_t>();
        return value >= 0 && value <= trace::Statement::largest;
    }
    [[noreturn]] void broken() const { fail_input({source_.path(), 0, 0}, "contains an invalid route"); }
    Json list(const std::string& text) const {
        Json json = Json::parse(text, nullptr, false);
        const bool right = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& row) {
                               return row.is_array() && row.size() >= 2 && row[0].is_number_integer() &&
                                      row[1].is_number_integer() && (row.size() < 3 || row[2].is_string());
                           });
        if (!right) broken();
        return json;
    }

    void transfers() {
        trace::Statement query(
            source_.trace().database(),
            "SELECT r.flow, r.times, r.shift, e.start + r.start, p.events, f.queue IS NOT NULL AND f.kind != 'writer' "
            "FROM epoch e JOIN flow_run r ON r.epoch = coalesce(e.same_as, e.id) JOIN pattern p ON p.id = r.pattern "
            "JOIN flow f ON f.id = r.flow");
        const std::int64_t most = source_.trace().most_repeats();
        while (query.step()) {
            const auto parts = parts_.find(query.integer(0));
            if (parts == parts_.end()) continue;
            const Json events = Json::parse(query.text(4), nullptr, false);
            if (!events.is_array()) broken();
            for (std::int64_t n = 0, times = query.integer(1, most); n < times; ++n) {
                const std::int64_t start = query.integer(3) + n * query.integer(2, trace::Statement::largest >> 8);
                for (std::size_t chunk = 0; chunk < std::min(events.size(), parts->second.size()); ++chunk) {
                    const Json& event = events[chunk];
                    if (!event.is_array() || event.size() < 2 || !event[0].is_number_integer() ||
                        !event[1].is_number_integer() || !in_run(event[0]) || !in_run(event[1]))
                        broken();
                    const std::int64_t sent = start + event[0].get<std::int64_t>();
                    if (sent < options_.window.first || sent >= options_.window.end) continue;
                    for (const NpePart& part : parts->second[chunk])
                        transfer(part, sent, std::max(sent + 1, start + event[1].get<std::int64_t>()),
                                 query.integer(5) != 0);
                }
            }
        }
    }

    std::string leg_json(const NpeRoute& route, double rate, std::int64_t start, std::int64_t end) const {
        return fmt::format(
            R"({{"device_id":{},"src":{},"dst":{},"noc_type":"NOC{}","injection_rate":{:.3f},"start_cycle":{},)"
            R"("end_cycle":{},"links":{}}})",
            route.numbers.empty() ? 0 : links_[route.numbers.front()].chip, route.src, route.dst, route.noc, rate,
            start, end, route.links);
    }

    void transfer(const NpePart& part, std::int64_t start, std::int64_t end, bool read) {
        const double rate = part.bytes / as_double(end - start);
        const NpeRoute &first = routes_[part.legs.front()], &last = routes_[part.legs.back()];
        const char* kind = read ? "READ" : last.many ? "WRITE_MULTICAST" : "WRITE_";
        text_ += fmt::format(
            R"({}{{"id":{},"src":{},"dst":{},"total_bytes":{:.0f},"start_cycle":{},"end_cycle":{},"noc_event_type":"{}",)"
            R"("fabric_event_type":null,"zones":"","route":[)",
            id_ == 0 ? "" : ",\n", id_, first.src, last.dst, part.bytes, start, end, kind);
        for (std::size_t n = 0; n < part.legs.size(); ++n) {
            text_ += (n == 0 ? "" : ",") + leg_json(routes_[part.legs[n]], rate, start, end);
            occupy(routes_[part.legs[n]], rate, start, end, n == 0);
        }
        text_ += "]}";
        ++id_;
        flush();
    }

    void occupy(const NpeRoute& route, double rate, std::int64_t start, std::int64_t end, bool first_leg) {
        const auto first = static_cast<std::size_t>((start - options_.window.first) / step_);
        const auto last = static_cast<std::size_t>((end - 1 - options_.window.first) / step_);
        if (start < options_.window.first || last > most_steps) broken();
        if (steps_.size() <= last) steps_.resize(last + 1);
        occupied_ += (last - first + 1) * (route.numbers.size() + 1);
        if (occupied_ > max_link_entries)
            fail_input({source_.path(), 0, 0},
                       "has transfers that last for too many steps; use longer steps with --npe-step, or less of the "
                       "run with --cycles");
        for (std::size_t n = first; n <= last; ++n) {
            const std::int64_t from = options_.window.first + static_cast<std::int64_t>(n) * step_;
            const double part = as_double(std::min(end, from + step_) - std::max(start, from)) / as_double(step_);
            if (first_leg) steps_[n].active.push_back(id_);
            for (const std::size_t number : route.numbers) {
                steps_[n].demand[number] += rate * part;
                if (route.many) steps_[n].multicast[number] += rate * part;
            }
        }
    }

    /// Demand and utilization in percent of the capacity of all links between routers.
    struct Sums {
        double demand = 0, used = 0, multicast = 0, most = 0;
        std::array<double, 2> noc_demand{}, noc_used{}, noc_most{};
    };
    Sums sums_of(const NpeStep& step) const {
        Sums sums;
        for (const auto& [number, demand] : step.demand) {
            const NpeLink& link = links_[number];
            if (!link.between) continue;
            const double share = 100 * demand / capacity_;
            const auto noc = static_cast<std::size_t>(link.noc);
            sums.demand += share;
            sums.used += std::min(share, 100.0);
            sums.most = std::max(sums.most, share);
            sums.noc_demand[noc] += share;
            sums.noc_used[noc] += std::min(share, 100.0);
            sums.noc_most[noc] = std::max(sums.noc_most[noc], share);
        }
        for (const auto& [number, demand] : step.multicast)
            if (links_[number].between) sums.multicast += std::min(100 * demand / capacity_, 100.0);
        const double all = 2 * links_in_all_;
        sums.demand /= all;
        sums.used /= all;
        sums.multicast /= all;
        for (const std::size_t noc : {0U, 1U}) {
            sums.noc_demand[noc] /= links_in_all_;
            sums.noc_used[noc] /= links_in_all_;
        }
        return sums;
    }
    static Json noc_json(const Sums& sums) {
        Json json = Json::object();
        for (const std::size_t noc : {0U, 1U})
            json[fmt::format("NOC{}", noc)] = {{"avg_link_demand", sums.noc_demand[noc]},
                                               {"avg_link_util", sums.noc_used[noc]},
                                               {"max_link_demand", sums.noc_most[noc]}};
        return json;
    }

    void steps() {
        for (std::size_t n = 0; n < steps_.size(); ++n) {
            const NpeStep& step = steps_[n];
            const Sums sums = sums_of(step);
            add(total_, sums);
            const std::int64_t from = options_.window.first + static_cast<std::int64_t>(n) * step_;
            text_ += fmt::format(R"({}{{"start_cycle":{},"end_cycle":{},"active_transfers":[{}],"link_demand":[)",
                                 n == 0 ? "" : ",\n", from, from + step_, fmt::join(step.active, ","));
            bool first = true;
            for (const auto& [number, demand] : step.demand) {
                const NpeLink& link = links_[number];
                text_ += fmt::format(R"({}[{},{},{},"{}",{:.4f}])", first ? "" : ",", link.chip, link.y, link.x,
                                     link.name, demand);
                first = false;
            }
            text_ += fmt::format(
                R"(],"avg_link_demand":{:.4f},"avg_link_util":{:.4f},"mcast_write_link_util":{:.4f},"noc":{}}})",
                sums.demand, sums.used, sums.multicast, noc_json(sums).dump());
            flush();
        }
    }
    static void add(Sums& total, const Sums& sums) {
        total.demand += sums.demand;
        total.used += sums.used;
        total.multicast += sums.multicast;
        total.most = std::max(total.most, sums.most);
        for (const std::size_t noc : {0U, 1U}) {
            total.noc_demand[noc] += sums.noc_demand[noc];
            total.noc_used[noc] += sums.noc_used[noc];
            total.noc_most[noc] = std::max(total.noc_most[noc], sums.noc_most[noc]);
        }
    }

    Json common_info() {
        const double n = std::max(1.0, static_cast<double>(steps_.size()));
        Sums mean = total_;
        for (double* sum : {&mean.demand, &mean.used, &mean.multicast, mean.noc_demand.data(), &mean.noc_demand[1],
                            mean.noc_used.data(), &mean.noc_used[1]})
            *sum /= n;
        const ChipParams& chip = source_.setup().machine.chips.front().params;
        return {{"version", "1.0.0"},
                {"mesh_device", source_.trace().run().device},
                {"arch", source_.setup().arch},
                {"cycles_per_timestep", step_},
                {"congestion_model_name", "ttsim"},
                {"num_rows", chip.grid_y},
                {"num_cols", chip.grid_x},
                {"dram_bw_util", dram_percent()},
                {"link_util", mean.used},
                {"mcast_write_link_util", mean.multicast},
                {"link_demand", mean.demand},
                {"max_link_demand", mean.most},
                {"noc", noc_json(mean)}};
    }
    double dram_percent() {
        trace::Statement query(source_.trace().database(),
                               "SELECT coalesce(avg(busy), 0) FROM resource WHERE kind = 'dram'");
        const double busy = query.step() ? query.real(0) : 0;
        query.run();
        return 100 * busy / std::max(1.0, as_double(source_.trace().run().cycles));
    }
    Json chips() const {
        Json json = Json::object();
        for (const ChipInstance& chip : source_.setup().machine.chips)
            json[fmt::format("{}", chip.id)] = {0, 0, 0, chip.id};
        return json;
    }
    static double as_double(std::int64_t n) { return static_cast<double>(n); }

    ExportSource& source_;
    const NpeOptions& options_;
    const Sink& sink_;
    std::int64_t step_ = 1, id_ = 0;
    std::size_t occupied_ = 0;
    double capacity_ = 32, links_in_all_ = 0;
    std::vector<NpeLink> links_;
    std::map<std::string, std::size_t> link_numbers_;
    std::vector<NpeRoute> routes_;
    std::map<std::int64_t, std::size_t> route_at_;
    std::map<std::int64_t, std::vector<std::vector<NpePart>>> parts_;  // by flow, by chunk
    std::vector<NpeStep> steps_;
    Sums total_;
    std::string text_;
};

}  // namespace

void write_npe(ExportSource& source, const NpeOptions& options, const Sink& sink) {
    require_level_2(source.trace(), "--npe");
    NpeTimeline(source, options, sink).write();
}

}  // namespace ttsim::impl::report
