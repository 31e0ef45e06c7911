#include "isa/load_channel.hpp"

#include <algorithm>
#include <tuple>

namespace ttsim::impl {

std::int64_t load_channel(const ChipParams& chip, NocCoord core) {
    std::tuple<int, int, std::int64_t> best{chip.grid_y, chip.grid_x, 0};
    for (std::size_t c = 0; c < chip.dram.size(); ++c)
        for (const NocCoord port : chip.dram[c])
            best = std::min(best, {(core.y - port.y + chip.grid_y) % chip.grid_y,
                                   (core.x - port.x + chip.grid_x) % chip.grid_x, static_cast<std::int64_t>(c)});
    return std::get<2>(best);
}

}  // namespace ttsim::impl
