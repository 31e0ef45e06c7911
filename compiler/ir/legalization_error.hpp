// The error for ops that the device cannot run, by nodes of the model. The compiler moves those ops to the host.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::ir {

class LegalizationError : public Error {
public:
    /// `origins`: Node::origin of the rejected ops.
    LegalizationError(const Error& error, std::vector<std::string> origins)
        : Error(error), origins_(std::move(origins)) {
        complete_problems("", origins_);
    }
    /// Several ops, each with its own reason; at least one. The first reason is the message of the Error.
    explicit LegalizationError(const std::vector<std::pair<std::string, Error>>& rejected)
        : Error(rejected.front().second) {
        for (const auto& [origin, why] : rejected) {
            origins_.push_back(origin);
            reasons_.try_emplace(origin, why);
        }
        complete_problems("", origins_);
    }
    const std::vector<std::string>& origins() const { return origins_; }
    /// For ops that fit on no grid, so that another placement policy does not help.
    static LegalizationError on_any_grid(const Error& error, std::vector<std::string> origins) {
        LegalizationError made(error, std::move(origins));
        made.on_any_grid_ = true;
        return made;
    }
    bool is_on_any_grid() const { return on_any_grid_; }
    /// Why the ops of that origin are rejected.
    const Error& reason(const std::string& origin) const {
        const auto own = reasons_.find(origin);
        return own == reasons_.end() ? *this : own->second;
    }
    /// The ops that `later`, a later attempt with more room, rejects as well. The reasons are those of the first
    /// attempt, where it has them.
    LegalizationError after(const LegalizationError& later) const {
        const auto named = [this](const std::string& origin) {
            return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
        };
        if (later.origins_.empty()) return later;
        std::vector<std::pair<std::string, Error>> both;
        for (const std::string& origin : later.origins_)
            both.emplace_back(origin, (named(origin) ? *this : later).reason(origin));
        LegalizationError made(both);
        made.on_any_grid_ = later.on_any_grid_;
        return made;
    }

private:
    std::vector<std::string> origins_;
    std::map<std::string, Error> reasons_;  // by origin, if each op has its own reason
    bool on_any_grid_ = false;
};

/// Runs `work` for an op of that origin and converts Unsupported errors into LegalizationErrors with that origin.
template <class Work>
auto for_origin(const std::string& origin, Work&& work) {
    try {
        return work();
    } catch (const LegalizationError&) {
        throw;
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
        throw LegalizationError(error, {origin});
    }
}

}  // namespace ttsim::impl::ir
