// Host inputs of a run: every HOST entry that it reads, converted and packed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "netlist/files/manifest.hpp"
#include "netlist/program/queue_state.hpp"
#include "netlist/stimulus/stimulus.hpp"
#include "sim/settings/run_options.hpp"
#include "sim/values/entry.hpp"

namespace ttsim::impl::sim {

/// Converts and packs an entry that the host pushes. It has the queue's format, independent of --numerics.
EntryPtr pack_host_entry(Tensor values, const Queue& queue);

class HostInputs {
public:
    /// Generates the entries from the netlist's stimulus.
    static HostInputs generate(const Netlist& netlist, const Forecast& forecast, std::uint32_t seed,
                               StimulusOrder order, ThreadPool& pool);
    /// Loads them from options.host_values and options.inputs_dir with its manifest. Throws Error(Input) for a missing
    /// queue, or a wrong shape or dtype.
    static HostInputs load(const Netlist& netlist, const Forecast& forecast, const RunOptions& options,
                           const std::optional<Manifest>& manifest, ThreadPool& pool);

    EntryPtr entry(const Queue& queue, std::int64_t n) const;
    const std::map<const Queue*, std::map<std::int64_t, EntryPtr>>& all() const { return entries_; }
    /// Warnings about NaNs and infinities in the user's inputs.
    const std::vector<std::string>& notes() const { return notes_; }

private:
    std::map<const Queue*, std::map<std::int64_t, EntryPtr>> entries_;
    std::vector<std::string> notes_;
};

/// Entries of a queue as an array for --dump-io; missing ones are zeros. `count`: leading dimension.
void dump_queue(const std::string& file, const Queue& queue, const std::map<std::int64_t, EntrySpan>& entries,
                std::int64_t count);

}  // namespace ttsim::impl::sim
