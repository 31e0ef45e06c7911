// Counts results of ops that exceed the range of their format.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

class Saturations {
public:
    void add(const Op& op, std::int64_t saturated) {
        const std::lock_guard lock(mutex_);
        Count& count = counts_[op.name()];
        count.format = op.cfg.out_df;
        count.saturated += saturated;
    }
    std::vector<std::string> notes() const;  ///< by name of the op

private:
    struct Count {
        DataFormat format = DataFormat::Invalid;
        std::int64_t saturated = 0;
    };
    mutable std::mutex mutex_;
    std::map<std::string, Count> counts_;
};

}  // namespace ttsim::impl::sim
