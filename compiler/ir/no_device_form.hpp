// What the device has no room or form for, by the nodes of the model: the compiler gives those to the host.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tt::ir {

class NoDeviceForm : public Error {
public:
    /// `origins`: Node::origin of the ops that are refused.
    NoDeviceForm(const Error& refusal, std::vector<std::string> origins)
        : Error(refusal), origins_(std::move(origins)) {}
    const std::vector<std::string>& origins() const { return origins_; }

private:
    std::vector<std::string> origins_;
};

/// Runs `work` for an op of that origin: what it throws as Unsupported says so.
template <class Work>
auto for_origin(const std::string& origin, Work&& work) {
    try {
        return work();
    } catch (const NoDeviceForm&) {
        throw;
    } catch (const Error& error) {
        if (error.fault() != Fault::Unsupported) throw;
        throw NoDeviceForm(error, {origin});
    }
}

}  // namespace tt::ir
