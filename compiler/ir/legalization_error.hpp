// What the device has no room or form for, by the nodes of the model: the compiler gives those to the host.
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
    /// `origins`: Node::origin of the ops that are refused.
    LegalizationError(const Error& refusal, std::vector<std::string> origins)
        : Error(refusal), origins_(std::move(origins)) {}
    /// Several, each for a reason of its own; at least one. The first is what it says as an Error.
    explicit LegalizationError(const std::vector<std::pair<std::string, Error>>& refused)
        : Error(refused.front().second) {
        for (const auto& [origin, why] : refused) {
            origins_.push_back(origin);
            reasons_.try_emplace(origin, why);
        }
    }
    const std::vector<std::string>& origins() const { return origins_; }
    /// Of ops that fit on no grid, whatever is chosen for others: another policy does not help.
    static LegalizationError on_any_grid(const Error& refusal, std::vector<std::string> origins) {
        LegalizationError made(refusal, std::move(origins));
        made.on_any_grid_ = true;
        return made;
    }
    bool is_on_any_grid() const { return on_any_grid_; }
    /// Why those of that origin are refused.
    const Error& reason(const std::string& origin) const {
        const auto own = reasons_.find(origin);
        return own == reasons_.end() ? *this : own->second;
    }
    /// Of those that `last`, a later try with more room, refuses as well: for the reasons of the first try, where it
    /// had some.
    LegalizationError after(const LegalizationError& last) const {
        const auto named = [this](const std::string& origin) {
            return std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
        };
        if (last.origins_.empty()) return last;
        std::vector<std::pair<std::string, Error>> both;
        for (const std::string& origin : last.origins_)
            both.emplace_back(origin, (named(origin) ? *this : last).reason(origin));
        LegalizationError made(both);
        made.on_any_grid_ = last.on_any_grid_;
        return made;
    }

private:
    std::vector<std::string> origins_;
    std::map<std::string, Error> reasons_;  // by origin, where each has its own
    bool on_any_grid_ = false;
};

/// Runs `work` for an op of that origin: what it throws as Unsupported says so.
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
