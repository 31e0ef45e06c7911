#include "netlist/device/soc_descriptor.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/yaml_map.hpp"
#include "isa/coord_text.hpp"

namespace ttsim::impl {

namespace {

/// Translated coordinates of chips with that hardware (tt-isa-documentation WormholeB0/NoC/Coordinates.md): below 16
/// they equal physical ones; from 16 on, first the columns (rows) without cores, then those with cores, harvested rows
/// last.
constexpr int first_translated = 16;

/// Columns (or rows) of the grid in the order of translated coordinates.
std::vector<int> translated_order(const std::vector<int>& cores, int size) {
    std::vector<int> order;
    for (int k = 0; k < size; ++k)
        if (std::find(cores.begin(), cores.end(), k) == cores.end()) order.push_back(k);
    order.insert(order.end(), cores.begin(), cores.end());
    return order;
}

class SocReader {
public:
    SocReader(const std::string& file, const ChipParams& base, YamlMap map)
        : file_(file), base_(base), map_(std::move(map)) {
        soc_.params = base;
    }

    SocDescriptor read() {
        check_arch();
        read_grid();
        read_places();
        read_workers();
        read_sizes();
        (void)map_.node_or_null("features");
        map_.done();
        return std::move(soc_);
    }

private:
    void check_arch() {
        const std::string arch = to_lower(map_.text("arch_name"));
        const std::vector<std::string> known = chip_names();
        if (std::find(known.begin(), known.end(), arch) == known.end())
            fail_unsupported(map_.where("arch_name"), "chip '{}' is not modelled; known: {}", arch,
                             fmt::join(known, ", "));
        const ChipParams& named = chip(arch);
        if (named.worker_x != base_.worker_x || named.grid_x != base_.grid_x)
            fail_input(map_.where("arch_name"), "the descriptor is for {}, but the netlist runs on {}", arch,
                       base_.name);
    }

    CoordBound read_bound(std::string_view key) {
        YamlMap grid = map_.map(key);
        const CoordBound bound{static_cast<int>(grid.integer("x_size", {1, 64})),
                               static_cast<int>(grid.integer("y_size", {1, 64}))};
        grid.done();
        return bound;
    }

    void read_grid() {
        bound_ = read_bound("grid");
        const CoordBound physical = map_.has("physical") ? read_bound("physical") : bound_;
        translated_ = map_.has("physical") && bound_.y > physical.y;
        if (translated_ && !base_.harvest_from_end)
            fail_input(map_.where("physical"), "{} has no coordinate translation; 'grid' must be the physical one",
                       base_.name);
        soc_.params.grid_x = physical.x;
        soc_.params.grid_y = physical.y;
    }

    int physical(int at, const std::vector<int>& order) const {
        if (!translated_ || at < first_translated) return at;
        const auto k = static_cast<std::size_t>(at - first_translated);
        return k < order.size() ? order[k] : -1;
    }
    int physical_x(int x) const { return physical(x, translated_order(base_.worker_x, base_.grid_x)); }
    /// A translated descriptor does not contain the harvested rows; the last rows are assumed.
    int physical_y(int y) const { return physical(y, translated_order(base_.worker_y, base_.grid_y)); }

    std::vector<NocCoord> coords(const YamlNode& node, std::string_view what) {
        std::vector<NocCoord> list = node.is_null() ? std::vector<NocCoord>{} : read_coords(node, file_, what, bound_);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const NocCoord position{physical_x(list[i].x), physical_y(list[i].y)};
            const bool inside = position.x >= 0 && position.y >= 0 && position.x < soc_.params.grid_x &&
                                position.y < soc_.params.grid_y;
            if (!inside)
                fail_input((node.is_sequence() ? *node.items[i] : node).loc(file_),
                           "'{}' names {}-{}, which is outside of the chip", what, list[i].x, list[i].y);
            list[i] = position;
        }
        return list;
    }

    void read_places() {
        ChipParams& p = soc_.params;
        const YamlPtr dram = map_.node("dram");
        if (!dram->is_sequence() || dram->items.empty())
            fail_input(dram->loc(file_), "'dram' needs a list of channels, each a list of places");
        p.dram.clear();
        for (const YamlPtr& channel : dram->items) {
            p.dram.push_back(coords(*channel, "dram"));
            if (p.dram.back().empty()) fail_input(channel->loc(file_), "a DRAM channel needs at least one place");
        }
        p.eth = coords(*map_.node("eth"), "eth");
        // test descriptors have neither; (0, 0) is unused in their grids
        const std::vector<NocCoord> pcie = coords(*map_.node("pcie"), "pcie"), arc = coords(*map_.node("arc"), "arc");
        p.pcie = pcie.empty() ? NocCoord{} : pcie.front();
        p.arc = arc.empty() ? NocCoord{} : arc.front();
        if (const YamlPtr router = map_.node_or_null("router_only")) (void)coords(*router, "router_only");
    }

    void read_workers() {
        const YamlPtr node = map_.node("functional_workers");
        const std::vector<NocCoord> workers = coords(*node, "functional_workers");
        if (workers.empty()) fail_input(node->loc(file_), "'functional_workers' is empty; a chip needs a core");
        std::set<int> columns, rows;
        std::set<NocCoord> distinct;
        for (const NocCoord worker : workers) {
            columns.insert(worker.x);
            rows.insert(worker.y);
            if (!distinct.insert(worker).second)
                fail_input(node->loc(file_), "'functional_workers' names core {}-{} twice", worker.x, worker.y);
        }
        for (const int y : rows)
            for (const int x : columns)
                if (!distinct.contains({x, y}))
                    fail_input(node->loc(file_), "'functional_workers' lacks core {}-{}; cores must fill whole rows", x,
                               y);
        if (const YamlPtr lost = map_.node_or_null("harvested_workers")) read_harvested(*lost, columns, rows);
        if (translated_)
            for (std::size_t row = rows.size(); row < base_.worker_y.size(); ++row)
                harvested_rows_.insert(base_.worker_y[row]);
        soc_.params.worker_x.assign(columns.begin(), columns.end());
        soc_.params.worker_y.assign(rows.begin(), rows.end());
        soc_.harvested_rows.assign(harvested_rows_.begin(), harvested_rows_.end());
        soc_.harvested_columns.assign(harvested_columns_.begin(), harvested_columns_.end());
    }

    void read_harvested(const YamlNode& lost, const std::set<int>& columns, const std::set<int>& rows) {
        for (const NocCoord worker : coords(lost, "harvested_workers")) {
            const bool of_column = base_.harvests_columns && !columns.contains(worker.x);
            if (rows.contains(worker.y) && !of_column)
                fail_input(lost.loc(file_), "row {} has both working and harvested cores; whole rows {}are harvested",
                           worker.y, base_.harvests_columns ? "or columns " : "");
            if (!rows.contains(worker.y)) harvested_rows_.insert(worker.y);
            if (of_column) harvested_columns_.insert(worker.x);
        }
    }

    void read_sizes() {
        ChipParams& p = soc_.params;
        p.l1_bytes = map_.integer("worker_l1_size", {p.l1_reserved + 1, std::int64_t{1} << 30});
        p.dram_channel_bytes = map_.integer("dram_bank_size", {1, std::int64_t{1} << 40});
        p.eth_l1_bytes = map_.integer("eth_l1_size", {0, std::int64_t{1} << 30});
    }

    const std::string& file_;
    const ChipParams& base_;
    YamlMap map_;
    SocDescriptor soc_;
    CoordBound bound_;
    bool translated_ = false;
    std::set<int> harvested_rows_, harvested_columns_;
};

}  // namespace

SocDescriptor read_soc_descriptor(const std::string& file, const ChipParams& base) {
    return SocReader(file, base, YamlMap::from_file(file)).read();
}

SocDescriptor read_soc_descriptor_text(const std::string& text, const std::string& name, const ChipParams& base) {
    return SocReader(name, base, YamlMap::from_text(text, name)).read();
}

}  // namespace ttsim::impl
