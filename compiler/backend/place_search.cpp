#include "compiler/backend/place_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "compiler/backend/epochs.hpp"
#include "compiler/backend/load_time.hpp"
#include "netlist/plan/stream_use.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::size_t dram = static_cast<std::size_t>(-1);

/// Bytes per input from one core to another, or from all DRAM channels in equal shares.
struct Flow {
    std::size_t from = dram, to = 0;  ///< ops of the epoch
    std::int64_t from_core = 0, to_core = 0;
    double bytes = 0;
};

class EpochFlows {
public:
    EpochFlows(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, const Epoch& epoch)
        : choices_(choices), costs_(costs), budget_(budget), epoch_(epoch) {}

    std::vector<Flow> flows() {
        for (std::size_t op = epoch_.first; op < epoch_.end(); ++op) {
            std::vector<bool> made(costs_.candidate_op(op, chosen(op)).cfg.in.size(), false);
            for (const std::size_t e : choices_.into[op]) {
                made[choices_.details[e].operand] = true;
                const SolverEdge& edge = choices_.edges[e];
                if (edge.producer >= epoch_.first && !epoch_.cuts.count(e))
                    direct(e);
                else
                    from_dram(op, choices_.details[e].operand);
            }
            const Candidate& candidate = choices_.ops[op].choice.fitting[chosen(op)];
            for (std::size_t k = 0; k < made.size(); ++k)
                if (!made[k] && !candidate.resident[k]) from_dram(op, k);
        }
        return merged();
    }

private:
    std::size_t chosen(std::size_t op) const { return epoch_.chosen[op - epoch_.first]; }

    /// Merges flows with equal ends.
    std::vector<Flow> merged() const {
        std::map<std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>, double> bytes;
        for (const Flow& flow : flows_) bytes[{flow.from, flow.to, flow.from_core, flow.to_core}] += flow.bytes;
        std::vector<Flow> all;
        for (const auto& [way, sum] : bytes)
            all.push_back({std::get<0>(way), std::get<1>(way), std::get<2>(way), std::get<3>(way), sum});
        return all;
    }

    void direct(std::size_t e) {
        const SolverEdge& edge = choices_.edges[e];
        const std::size_t k = choices_.details[e].operand;
        const Op& consumer = costs_.candidate_op(edge.consumer, chosen(edge.consumer));
        const Blocking& producer = costs_.candidate_op(edge.producer, chosen(edge.producer)).cfg.out;
        const auto bytes =
            static_cast<double>(tile_bytes(consumer.cfg.in_df[k], consumer.cfg.tile, consumer.cfg.chip.alignment));
        for (const PipeTiles& pipe : pipe_tiles(consumer.cfg, k, consumer.tms[k], producer))
            for (const auto& [core, tiles] : pipe.from)
                flows_.push_back({edge.producer - epoch_.first, edge.consumer - epoch_.first, core, pipe.core,
                                  bytes * static_cast<double>(tiles)});
    }

    void from_dram(std::size_t number, std::size_t k) {
        const Op& op = costs_.candidate_op(number, chosen(number));
        const OpDef* def = ttsim::impl::find_op(op.cfg.type);
        const auto bytes = static_cast<double>(tile_bytes(op.cfg.in_df[k], op.cfg.tile, op.cfg.chip.alignment));
        std::map<std::vector<std::int64_t>, std::int64_t> pipes;  // rects -> last core
        const Blocking& out = op.cfg.out;
        std::map<std::vector<std::int64_t>, double> sizes;
        for (std::int64_t i = 0; i < out.grid_r; ++i)
            for (std::int64_t j = 0; j < out.grid_c; ++j) {
                std::vector<std::int64_t> key;
                double tiles = 0;
                for (const TileRect& rect : def->use(op.cfg, static_cast<int>(k), i, j).rects) {
                    key.insert(key.end(), {rect.r0, rect.c0, rect.nr, rect.nc});
                    tiles += static_cast<double>(rect.nr * rect.nc * op.cfg.in[k].z);
                }
                sizes[key] = tiles * bytes;
                pipes[key] = i * out.grid_c + j;
            }
        for (const auto& [key, core] : pipes) flows_.push_back({dram, number - epoch_.first, 0, core, sizes[key]});
    }

    const Choices& choices_;
    const EdgeCosts& costs_;
    const OpBudget& budget_;
    const Epoch& epoch_;
    std::vector<Flow> flows_;
};

/// Bytes on the links of NoC 0, which routes right, then down.
class Links {
public:
    /// The load of a link and its fourth power.
    struct Link {
        double bytes = 0, fourth = 0;
    };

    explicit Links(const ChipParams& chip)
        : chip_(&chip), links_(static_cast<std::size_t>(2 * chip.grid_x * chip.grid_y)) {
        from_dram_.resize(links_.size() / 2);
    }

    void clear() {
        std::fill(links_.begin(), links_.end(), Link{});
        congestion_ = 0;
    }

    void add(NocCoord from, NocCoord to, double bytes) {
        double congestion = congestion_;  // kept in a register: this is the hot loop of the search
        walk(from, to, [&](std::size_t link) { change(link, bytes, congestion); });
        congestion_ = congestion;
    }

    /// Adds the same bytes from each channel.
    void add_from_dram(NocCoord to, double bytes) {
        auto& paths = from_dram_[index(to.x, to.y, 0) / 2];
        if (paths.empty()) {
            std::map<std::size_t, int> uses;
            for (const auto& ports : chip_->dram) walk(ports.front(), to, [&](std::size_t link) { ++uses[link]; });
            paths.assign(uses.begin(), uses.end());
        }
        double congestion = congestion_;
        for (const auto& [link, times] : paths) change(link, bytes * times, congestion);
        congestion_ = congestion;
    }
    const std::vector<Link>& links() const { return links_; }
    void restore(const std::vector<Link>& links, double congestion) {
        links_ = links;
        congestion_ = congestion;
    }
    double most() const {
        double most = links_.front().bytes;
        for (const Link& link : links_) most = std::max(most, link.bytes);
        return most;
    }
    /// The objective: the sum of fourth powers of link loads, dominated by the busiest links.
    double congestion() const { return congestion_; }

private:
    template <class Visit>
    void walk(NocCoord from, NocCoord to, Visit visit) const {
        const auto next = [](int at, int size) { return at + 1 == size ? 0 : at + 1; };
        int x = from.x, y = from.y;
        for (; x != to.x; x = next(x, chip_->grid_x)) visit(index(x, y, 0));
        for (; y != to.y; y = next(y, chip_->grid_y)) visit(index(x, y, 1));
    }
    void change(std::size_t number, double bytes, double& congestion) {
        Link& link = links_[number];
        congestion -= link.fourth;
        link.bytes += bytes;
        link.fourth = link.bytes * link.bytes * link.bytes * link.bytes;
        congestion += link.fourth;
    }
    std::size_t index(int x, int y, int down) const {
        return static_cast<std::size_t>((y * chip_->grid_x + x) * 2 + down);
    }
    const ChipParams* chip_;
    std::vector<Link> links_;
    double congestion_ = 0;
    std::vector<std::vector<std::pair<std::size_t, double>>> from_dram_;  // by core: links, how many channels use them
};

class EpochSearch {
public:
    EpochSearch(const Choices& choices, const EdgeCosts& costs, const OpBudget& budget, const LoadTime& load_time,
                Epoch& epoch, std::size_t max_starts)
        : choices_(choices),
          budget_(budget),
          epoch_(epoch),
          max_starts_(max_starts),
          load_time_(load_time),
          links_(*budget.chip) {
        for (std::size_t k = 0; k < epoch.chosen.size(); ++k) {
            shapes_.push_back(costs.candidate_op(epoch.first + k, epoch.chosen[k]).cfg.out);
            rectangles_.push_back(rectangle(shapes_[k], choices_.ops[epoch.first + k].user));
        }
        flows_ = EpochFlows(choices, costs, budget, epoch).flows();
        flows_of_.resize(shapes_.size());
        for (std::size_t f = 0; f < flows_.size(); ++f) {
            const Flow& flow = flows_[f];
            const bool direct = flow.from != dram;
            const auto channels = static_cast<double>(budget.chip->dram.size());
            ways_.push_back({flow.from, flow.to, direct ? corner(flow.from, flow.from_core) : Place{},
                             corner(flow.to, flow.to_core), direct ? flow.bytes : flow.bytes / channels});
            flows_of_[flows_[f].to].push_back(f);
            if (flows_[f].from != dram && flows_[f].from != flows_[f].to) flows_of_[flows_[f].from].push_back(f);
        }
    }

    void run() {
        std::vector<Place> best;
        std::pair<double, double> least;
        for (const std::vector<Place>& start : best_starts()) {
            epoch_.places = start;
            load();
            improve_by_swaps();
            if (!best.empty() && score() >= least) continue;
            best = epoch_.places;
            least = score();
            epoch_.link_cycles = link_cycles();
            epoch_.load_cycles = load_time_.of(rectangles_, best);
        }
        epoch_.places = std::move(best);
    }

    /// Cache key of the search.
    std::string signature() const {
        std::string text = fmt::format("{} {} ", max_starts_, slowest(choices_.ops, epoch_));
        for (std::size_t op = 0; op < shapes_.size(); ++op) {
            const Place& place = epoch_.places[op];
            text += fmt::format("{}x{}@{},{},{}{} ", shapes_[op].grid_r, shapes_[op].grid_c, place.row, place.col,
                                place.transposed, movable(op) ? "" : "!");
        }
        for (const Flow& flow : flows_)
            text += fmt::format("{}.{}>{}.{}:{} ", flow.from, flow.from_core, flow.to, flow.to_core, flow.bytes);
        return text;
    }

private:
    static constexpr int most_rounds = 6, shuffles = 12;
    /// Share of the slowest op's cycles below which busiest links do not slow down an epoch.
    static constexpr double negligible_share = 0.5;

    /// Clocks of an execute as far as they depend on places, then congestion.
    std::pair<double, double> score() const {
        const double pace = std::max(link_cycles(), negligible_share * slowest(choices_.ops, epoch_));
        return {load_time_.of(rectangles_, epoch_.places) + static_cast<double>(budget_.microbatch) * pace,
                links_.congestion()};
    }

    double link_cycles() const { return links_.most() / budget_.chip->timing.noc_link_bytes; }

    /// The starts with the best scores, since swapping is slow. Only one if links have little load.
    std::vector<std::vector<Place>> best_starts() {
        std::vector<std::pair<std::pair<double, double>, std::vector<Place>>> all;
        double quietest = std::numeric_limits<double>::infinity();
        for (std::vector<Place>& start : starts()) {
            epoch_.places = start;
            load();
            all.emplace_back(score(), std::move(start));
            quietest = std::min(quietest, link_cycles());
        }
        const std::size_t wanted = quietest < negligible_share * slowest(choices_.ops, epoch_) ? 1 : max_starts_;
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<std::vector<Place>> best;
        for (std::size_t n = 0; n < std::min(all.size(), wanted); ++n) best.push_back(std::move(all[n].second));
        return best;
    }

    /// The current places, scans by columns, spread and shuffled places; each also mirrored along rows and columns,
    /// because links are unidirectional.
    std::vector<std::vector<Place>> starts() const {
        std::vector<std::vector<Place>> all{epoch_.places};
        const bool fixed =
            std::any_of(rectangles_.begin(), rectangles_.end(), [](const Rectangle& r) { return r.fixed.has_value(); });
        if (auto other = place(rectangles_, budget_.rows, budget_.cols, Scan::Columns))
            all.push_back(std::move(*other));
        if (auto other = spread_places(rectangles_, load_time_, budget_.rows, budget_.cols))
            all.push_back(std::move(*other));
        std::mt19937 random(1);
        for (int n = 0; n < shuffles && shapes_.size() > 1; ++n)
            if (auto other = shuffled(rectangles_, random)) all.push_back(std::move(*other));
        if (fixed) return all;
        for (std::size_t n = all.size(); n-- > 0;)
            for (int over = 1; over < 4; ++over) {
                std::vector<Place> places = all[n];
                for (std::size_t op = 0; op < places.size(); ++op) {
                    const auto [height, width] = extent(op, places[op]);
                    if (over & 1) places[op].row = budget_.rows - places[op].row - height;
                    if (over & 2) places[op].col = budget_.cols - places[op].col - width;
                }
                all.push_back(std::move(places));
            }
        return all;
    }

    /// Places of the ops in random order.
    std::optional<std::vector<Place>> shuffled(const std::vector<Rectangle>& rectangles, std::mt19937& random) const {
        std::vector<std::size_t> order(rectangles.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t k = 0; k + 1 < order.size(); ++k)
            std::swap(order[k], order[k + random() % (order.size() - k)]);
        std::vector<Rectangle> mixed;
        for (const std::size_t op : order) mixed.push_back(rectangles[op]);
        const auto found = place(mixed, budget_.rows, budget_.cols, random() % 2 == 0 ? Scan::Rows : Scan::Columns);
        if (!found) return std::nullopt;
        std::vector<Place> places(found->size());
        for (std::size_t k = 0; k < order.size(); ++k) places[order[k]] = (*found)[k];
        return places;
    }

    void load() {
        links_.clear();
        for (const Way& way : ways_) put(way, 1);
    }

    void improve_by_swaps() {
        for (int rounds = 0; rounds < most_rounds; ++rounds)
            if (!swap_pairs()) break;
    }

    /// A flow with the rows and columns of its cores in their ops, and bytes per channel if it comes from DRAM.
    struct Way {
        std::size_t from = dram, to = 0;
        Place from_core, to_core;
        double bytes = 0;
    };

    Place corner(std::size_t op, std::int64_t number) const {
        return {number / shapes_[op].grid_c, number % shapes_[op].grid_c};
    }

    NocCoord core(std::size_t op, const Place& inside) const {
        const Place& place = epoch_.places[op];
        const std::int64_t r = place.row + (place.transposed ? inside.col : inside.row);
        const std::int64_t c = place.col + (place.transposed ? inside.row : inside.col);
        return {budget_.chip->worker_x[static_cast<std::size_t>(c)],
                budget_.chip->worker_y[static_cast<std::size_t>(r)]};
    }

    void put(const Way& way, double sign) {
        const NocCoord to = core(way.to, way.to_core);
        if (way.from != dram) return links_.add(core(way.from, way.from_core), to, sign * way.bytes);
        links_.add_from_dram(to, sign * way.bytes);
    }

    void put_all(std::size_t a, std::size_t b, double sign) {
        for (const std::size_t f : flows_of_[a]) put(ways_[f], sign);
        for (const std::size_t f : flows_of_[b])
            if (ways_[f].to != a && ways_[f].from != a) put(ways_[f], sign);
    }

    /// Height and width on the chip.
    std::pair<std::int64_t, std::int64_t> extent(std::size_t op, const Place& place) const {
        const Blocking& b = shapes_[op];
        return place.transposed ? std::pair(b.grid_c, b.grid_r) : std::pair(b.grid_r, b.grid_c);
    }

    bool movable(std::size_t op) const {
        const OpOverride* user = choices_.ops[epoch_.first + op].user;
        return !user || (!user->place && !user->transpose);
    }

    /// Swaps ops of equal extent if that reduces congestion; returns whether any swap did.
    bool swap_pairs() {
        bool better = false;
        for (std::size_t a = 0; a < shapes_.size(); ++a)
            for (std::size_t b = a + 1; b < shapes_.size(); ++b) {
                if (extent(a, epoch_.places[a]) != extent(b, epoch_.places[b]) || !movable(a) || !movable(b)) continue;
                const double before = links_.congestion();
                const std::pair old(epoch_.places[a], epoch_.places[b]);
                saved_ = links_.links();
                exchange(a, b);
                if (links_.congestion() < before * (1 - 1e-9)) {
                    better = true;
                    continue;
                }
                std::tie(epoch_.places[a], epoch_.places[b]) = old;
                links_.restore(saved_, before);
            }
        return better;
    }

    void exchange(std::size_t a, std::size_t b) {
        put_all(a, b, -1);
        Place &x = epoch_.places[a], &y = epoch_.places[b];
        std::swap(x.row, y.row);
        std::swap(x.col, y.col);
        put_all(a, b, 1);
    }

    const Choices& choices_;
    const OpBudget& budget_;
    Epoch& epoch_;
    std::size_t max_starts_;
    std::vector<Blocking> shapes_;
    std::vector<Rectangle> rectangles_;
    const LoadTime& load_time_;
    std::vector<Flow> flows_;
    std::vector<Way> ways_;                           // of the flows
    std::vector<std::vector<std::size_t>> flows_of_;  // per op
    Links links_;
    std::vector<Links::Link> saved_;  // before an exchange
};

}  // namespace

void PlaceSearch::improve(Epoch& epoch, std::size_t epochs) {
    constexpr std::size_t most = 8, of_all = 128;
    EpochSearch search(choices_, costs_, budget_, load_time_, epoch, std::clamp<std::size_t>(of_all / epochs, 1, most));
    const PlacementResult& found = costs_.cache().places.get(search.signature(), [&] {
        search.run();
        return PlacementResult{epoch.places, epoch.link_cycles, epoch.load_cycles};
    });
    epoch.places = found.places;
    epoch.link_cycles = found.link_cycles;
    epoch.load_cycles = found.load_cycles;
}

}  // namespace ttsim::impl::ir
