#include "netlist/device/device.hpp"

#include <ttsim/device.hpp>

#include "api/library/internal.hpp"
#include "compiler/model/model_compiler.hpp"
#include "isa/arch.hpp"
#include "isa/config_dir.hpp"

namespace ttsim {

std::vector<DeviceInfo> devices() {
    return guarded([] {
        std::vector<DeviceInfo> list;
        for (const impl::ProductInfo& p : impl::products())
            list.push_back({p.name, p.arch, p.summary, p.chips, p.rows, p.cols, impl::chip(p.arch).features.fp32_dest,
                            p.validated});
        return list;
    });
}

DeviceInfo describe_device(const std::string& device, const std::vector<int>& harvested_rows) {
    return guarded([&] {
        impl::MachineOptions options;
        options.device = device;
        options.harvested_rows = harvested_rows;
        const impl::Machine machine = impl::make_machine(impl::ir::chip_of_device(device), options);
        const impl::DeviceGrid grid = machine.grid(machine.chips.front().id);
        const impl::ChipParams& chip = machine.chips.front().params;
        DeviceInfo info{device, chip.name, "", 1, grid.rows, grid.cols, chip.features.fp32_dest, chip.validated};
        for (const impl::ProductInfo& product : impl::products())
            if (product.name == device) {
                info.summary = product.summary;
                info.chips = product.chips;
            }
        return info;
    });
}

void set_config_dir(const std::string& folder) {
    guarded([&] { impl::set_config_dir(folder); });
}

const char* version() { return TTSIM_VERSION; }

}  // namespace ttsim
