#include "netlist/device/device.hpp"

#include <ttsim/device.hpp>

#include "api/library/internal.hpp"
#include "isa/config_dir.hpp"

namespace ttsim {

std::vector<DeviceInfo> devices() {
    return guarded([] {
        std::vector<DeviceInfo> list;
        for (const impl::ProductInfo& p : impl::products())
            list.push_back({p.name, p.arch, p.summary, p.chips, p.rows, p.cols});
        return list;
    });
}

void set_config_dir(const std::string& folder) {
    guarded([&] { impl::set_config_dir(folder); });
}

const char* version() { return TTSIM_VERSION; }

}  // namespace ttsim
