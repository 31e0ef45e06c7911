// Operand slices that several inputs read unchanged from a ram, such as weights that are streamed again for every
// input: they are decoded and converted once.
#pragma once

#include <map>

#include "sim/values/compute.hpp"

namespace ttsim::impl::sim {

/// Of one pipe.
class KeptSlices {
public:
    /// `read_again`: slices are read for more than one input. Without it nothing is kept.
    KeptSlices(const Compute& compute, bool read_again) : compute_(compute), read_again_(read_again) {}
    ~KeptSlices();
    KeptSlices(const KeptSlices&) = delete;
    KeptSlices& operator=(const KeptSlices&) = delete;

    /// As Compute::assemble(), or what it made of the same entry before. Slices are kept as far as the run's memory for
    /// them goes.
    AssembledPtr assemble(const PlanOp& op, std::size_t k, const Pipe& pipe, std::int64_t z, SourceRefs refs);

private:
    struct Kept {
        std::vector<EntryPtr> parts;  ///< of the entry; held, so that no other entry has their addresses
        AssembledPtr slice;
    };
    void forget(Kept& kept);

    const Compute& compute_;
    bool read_again_;
    std::map<std::int64_t, Kept> kept_;  ///< by z
};

}  // namespace ttsim::impl::sim
