// Compiling a netlist without running it: checks all rules, plans all graphs and collects failures.
#include <algorithm>

#include "api/embedded/bridge/device_impl.hpp"
#include "api/embedded/bridge/plans.hpp"
#include "netlist/plan/l1_space.hpp"
#include "sim/setup/setup.hpp"

namespace ttsim::impl::bridge {

static OpShortage shortage_of(const impl::L1Error::Place& place, std::int64_t epoch) {
    const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(std::max<std::int64_t>(0, n)); };
    return {u32(place.chip), u32(epoch),        u32(place.column), u32(place.row),
            u32(place.left), u32(place.needed), place.graph,       place.op};
}

CompileResult Device::compile() const {
    CompileResult result;
    std::int64_t epoch = 0;
    try {
        impl::sim::check_on(impl_->resolved, impl_->machine);
        if (!impl_->options.golden)
            each_epoch(impl_->resolved, impl_->machine, [&](std::int64_t n, const impl::Plan&) { epoch = n + 1; });
    } catch (const impl::L1Error& error) {
        result = {false, true, false, error.what(), error.places().front().op, {}};
        for (const auto& place : error.places()) result.shortages.push_back(shortage_of(place, epoch));
        // an overlay failure: the buffers would fit without the memory that ops reserve for streams
        result.overlay = std::all_of(error.places().begin(), error.places().end(),
                                     [](const auto& place) { return place.needed <= place.left + place.overlay_size; });
        result.l1 = !result.overlay;
    } catch (const impl::Error& error) {
        result = {false, false, false, error.what(), to_string(error.where()), {}};
    } catch (const std::exception& error) {
        result = {false, false, false, error.what(), impl_->read.file, {}};
    }
    return result;
}

}  // namespace ttsim::impl::bridge
