// Computes the results of device parts without a clock: values that the host needs before the next part or sample.
#pragma once

#include <memory>

#include "compiler/host/samples.hpp"
#include "runtime/model.hpp"

namespace ttsim::impl::runtime {

class PartValues {
public:
    /// `model` must have its constants and outlive this object. The session has no clock, regardless of `options`.
    PartValues(const ir::CompiledModel& model, Machine machine, SessionOptions options);
    /// Results of the part for `samples` samples, by queue. Parts must be run in order.
    ir::Entries run(std::int64_t part, const ir::Entries& inputs, std::int64_t samples);

private:
    void start(std::int64_t part, std::int64_t executes);

    const ir::CompiledModel& model_;
    Session session_;
};

}  // namespace ttsim::impl::runtime
