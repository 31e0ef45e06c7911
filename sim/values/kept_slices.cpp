#include "sim/values/kept_slices.hpp"

#include <utility>

namespace ttsim::impl::sim {

KeptSlices::~KeptSlices() {
    for (auto& [z, kept] : kept_) forget(kept);
}

void KeptSlices::forget(Kept& kept) {
    if (!kept.slice) return;
    compute_.give_back(kept.slice->bytes());
    kept = {};
}

AssembledPtr KeptSlices::assemble(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, SourceRefs refs) {
    if (!read_again_ || !compute_.reads_ram(op, k)) return compute_.assemble(op, k, pipe, z, std::move(refs));
    Kept& kept = kept_[z];
    if (kept.slice && kept.parts == refs.entry.parts) return kept.slice;
    forget(kept);
    std::vector<EntryPtr> parts = refs.entry.parts;
    AssembledPtr slice = compute_.assemble(op, k, pipe, z, std::move(refs));
    if (compute_.may_keep(slice->bytes())) kept = {std::move(parts), slice};
    return slice;
}

}  // namespace ttsim::impl::sim
