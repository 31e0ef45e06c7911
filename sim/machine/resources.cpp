#include "sim/machine/resources.hpp"

#include <algorithm>

namespace tt::sim {

Noc::Noc(const ChipParams& chip)
    : grid_x_(chip.grid_x),
      grid_y_(chip.grid_y),
      hop_(static_cast<Cycle>(chip.timing.noc_hop)),
      niu_(static_cast<Cycle>(chip.timing.noc_niu)),
      rate_{chip.timing.noc_link_bytes},
      free_(static_cast<std::size_t>(grid_x_ * grid_y_ * 4), 0) {}

Cycle Noc::send(int noc, NocCoord from, NocCoord to, std::uint64_t bytes, Cycle ready) {
    const Cycle length = cycles_to_move(Bytes(bytes), rate_).value();
    const int step = noc == 0 ? 1 : -1;
    Cycle head = ready + niu_;
    int x = from.x, y = from.y;
    const auto take = [&](bool vertical) {
        const std::size_t at = link(noc, x, y, vertical);
        Cycle& busy_until = free_[at];
        const Cycle start = std::max(head, busy_until);
        if (!loads_.empty()) loads_[at]->add(start, length, bytes, start - head);
        head = start;
        busy_until = head + length;
        head += hop_;
    };
    const auto along_x = [&] {
        while (x != to.x) {
            take(false);
            x = (x + step + grid_x_) % grid_x_;
        }
    };
    const auto along_y = [&] {
        while (y != to.y) {
            take(true);
            y = (y + step + grid_y_) % grid_y_;
        }
    };
    if (noc == 0) {
        along_x();
        along_y();
    } else {
        along_y();
        along_x();
    }
    return head + niu_ + length;
}

void Noc::trace(Probe& probe, std::int64_t chip) {
    loads_.resize(free_.size());
    for (int noc = 0; noc < 2; ++noc)
        for (int y = 0; y < grid_y_; ++y)
            for (int x = 0; x < grid_x_; ++x)
                for (const bool vertical : {false, true}) {
                    ResourceName name{.kind = ResourceName::Kind::NocLink, .chip = chip, .noc = noc, .x = x, .y = y};
                    name.vertical = vertical;
                    name.bytes_per_cycle = rate_.value;
                    loads_[link(noc, x, y, vertical)] = probe.resource(name);
                }
}

Cycle Noc::busiest_link() const { return *std::max_element(free_.begin(), free_.end()); }

}  // namespace tt::sim
