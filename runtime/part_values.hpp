// What parts of a device compute, without a clock: the values that the host goes on with before the next part, or
// gives the next sample.
#pragma once

#include <memory>

#include "compiler/host/samples.hpp"
#include "runtime/model.hpp"

namespace ttsim::impl::runtime {

class PartValues {
public:
    /// `model` has its constants, and stays as long as this. The session has no clock, whatever `options` say.
    PartValues(const ir::CompiledModel& model, Machine machine, SessionOptions options);
    /// Results of the part for so many samples, by queue. Parts are to be run in order.
    ir::Entries run(std::int64_t part, const ir::Entries& inputs, std::int64_t samples);

private:
    void start(std::int64_t part, std::int64_t executes);

    const ir::CompiledModel& model_;
    Session session_;
};

}  // namespace ttsim::impl::runtime
