// TMs as index maps: the producer tile for tile (z, r, c) of an operand. For elaboration; golden applies TMs to
// tensors. A map is evaluated by runs: neighbouring tiles of a row whose sources are neighbours too.
#pragma once

#include "netlist/tm.hpp"

namespace ttsim::impl {

/// The source of an operand tile.
struct TileSource {
    bool pad = false;
    float value = 0;  ///< of a padded tile
    std::int64_t z = 0, r = 0, c = 0;
};

/// `count` tiles to the right of the first, whose sources step by (dr, dc) each.
struct TileRun {
    TileSource first;
    std::int64_t count = 1;
    int dr = 0, dc = 1;
};

/// The tiles of some rows and columns of an operand. The source of tile (i, j) is the first's plus (i, j), or plus (j,
/// i) if turned. If padded, it is one row.
struct TileArea {
    TileSource first;
    std::int64_t rows = 1, columns = 1;
    bool turned = false;
    /// Row i of the area.
    TileRun row(std::int64_t i) const {
        TileRun run{first, columns, 0, 0};
        if (first.pad) return run;
        (turned ? run.first.c : run.first.r) += i;
        (turned ? run.dr : run.dc) = 1;
        return run;
    }
};

class TmMap {
public:
    TmMap(TileShape producer, const OperandTms& tms);
    TileShape shape() const { return shape_; }
    bool transposes_tiles() const { return transposes_; }
    /// Number of operand slices after which rows and columns of the sources repeat.
    std::int64_t period() const;
    TileSource at(std::int64_t z, std::int64_t r, std::int64_t c) const { return run(z, r, c, 1).first; }
    /// The run that starts at (z, r, c), at most `most` tiles long.
    TileRun run(std::int64_t z, std::int64_t r, std::int64_t c, std::int64_t most) const {
        return area(z, r, c, 1, most).row(0);
    }
    /// The area whose upper left tile is (z, r, c), with at most `rows` and `columns`.
    TileArea area(std::int64_t z, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t columns) const;

private:
    struct Step {
        Tm tm;
        TileShape in, out;  // shapes before and after
    };
    std::vector<Step> steps_;  // from the producer to the op
    TileShape shape_;
    bool transposes_ = false;
};

}  // namespace ttsim::impl
