#include "sim/machine/resources.hpp"

#include <algorithm>

namespace tt::sim {

Cycle Server::pass(Cycle now, Cycle ready, Cycle length) {
    while (!taken_.empty() && taken_.front().end <= now) taken_.pop_front();
    if (length == 0) return ready;
    busy_ += length;
    // From the first span that reaches `ready` on, the transfer fills what is free, and all become one span.
    const auto first = std::partition_point(taken_.begin(), taken_.end(), [&](const Span& s) { return s.end < ready; });
    const Cycle begin = first != taken_.end() ? std::min(first->start, ready) : ready;
    Cycle at = ready, left = length, done = 0;
    auto last = first;
    for (; left > 0; ++last) {
        const Cycle free = last == taken_.end() ? left + 1 : last->start > at ? last->start - at : 0;
        if (free > left) break;  // it ends before the next one begins
        if (load_ && free > 0) load_->occupy(at, free);
        left -= free;
        done = last->start;
        at = std::max(at, last->end);
    }
    if (left > 0) {
        if (load_) load_->occupy(at, left);
        at = done = at + left;
    }
    if (first == last) {
        taken_.insert(first, {begin, at});
    } else {
        *first = {begin, at};
        taken_.erase(first + 1, last);
    }
    return done;
}

void Server::walk(StateWalk& walk) {
    if (walk.saving())
        while (!taken_.empty() && taken_.front().end <= walk.now()) taken_.pop_front();
    walk.fixed(taken_.size());
    for (Span& span : taken_) {
        walk.time(span.start);
        walk.time(span.end);
    }
    walk.total(busy_);
    walk.total(bytes_);
}

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
