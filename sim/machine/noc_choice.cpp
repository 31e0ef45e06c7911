#include "sim/machine/noc_choice.hpp"

#include <algorithm>

namespace ttsim::impl::sim {

static int wrapped(int distance, int size) { return (distance % size + size) % size; }

/// Links of NoC 0 from `from` to `to`; those of NoC 1 are the links of NoC 0 the other way round.
static int links(const ChipParams& chip, NocCoord from, NocCoord to) {
    return wrapped(to.x - from.x, chip.grid_x) + wrapped(to.y - from.y, chip.grid_y);
}

int shorter_noc(const ChipParams& chip, NocCoord from, NocCoord to) {
    return links(chip, from, to) > links(chip, to, from) ? 1 : 0;
}

namespace {

/// The rows or columns of a grid.
struct Range {
    int first, last;
    bool meets(const Range& other) const { return first <= other.last && other.first <= last; }
    bool holds(const Range& other) const { return first <= other.first && other.last <= last; }
};

Range range_of(const std::vector<NocCoord>& cores, int NocCoord::*axis) {
    const auto [low, high] = std::minmax_element(
        cores.begin(), cores.end(), [&](const NocCoord& a, const NocCoord& b) { return a.*axis < b.*axis; });
    return {(*low).*axis, (*high).*axis};
}

/// By one axis: from the producer's last place on to the consumer's first, or back from the first to the last.
int noc_along(const Range& producer, const Range& consumer, int size) {
    return wrapped(consumer.first - producer.last, size) > wrapped(producer.first - consumer.last, size) ? 1 : 0;
}

}  // namespace

int noc_between(const ChipParams& chip, const std::vector<NocCoord>& producer, const std::vector<NocCoord>& consumer) {
    const Range px = range_of(producer, &NocCoord::x), py = range_of(producer, &NocCoord::y);
    const Range cx = range_of(consumer, &NocCoord::x), cy = range_of(consumer, &NocCoord::y);
    const bool columns = px.meets(cx), rows = py.meets(cy);
    if (!columns && !rows)
        return links(chip, {px.last, py.last}, {cx.first, cy.first}) >
                       links(chip, {cx.last, cy.last}, {px.first, py.first})
                   ? 1
                   : 0;
    const Range &from = columns ? px : py, &to = columns ? cx : cy;
    if (!from.holds(to) && !to.holds(from)) return to.first < from.first ? 1 : 0;
    return columns ? noc_along(py, cy, chip.grid_y) : noc_along(px, cx, chip.grid_x);
}

int noc_to_receivers(const PlanOp& consumer, std::size_t k, const NocEnd& receivers) {
    if (receivers.many()) return receivers.low.x == receivers.high.x ? 1 : 0;
    return (k % 2 == 1) != consumer.op->grid_transpose ? 1 : 0;
}

NocCoord multicast_core(const NocEnd& receivers, int noc) { return noc == 0 ? receivers.low : receivers.high; }

}  // namespace ttsim::impl::sim
