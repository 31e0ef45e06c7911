// The devices there are, and where their descriptions come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

struct DeviceInfo {
    std::string name;  ///< for SessionOptions::device
    std::string chip;
    std::string summary;
    std::int64_t chips = 1;
    std::int64_t rows = 0, columns = 0;  ///< Tensix cores of each chip
};

/// Boards, and chips that are devices by themselves. Throws Error(Input) when a description is wrong.
TTSIM_API std::vector<DeviceInfo> devices();

/// A folder that is asked for chips/NAME/chip.yaml and products.yaml before all others, from now on and for the whole
/// process; "" takes it back. The others: the environment variable TTSIM_CONFIG_DIR, then share/ttsim/configs of the
/// installation. Throws Error(Input) when there is no such folder.
TTSIM_API void set_config_dir(const std::string& folder);

TTSIM_API const char* version();  ///< "0.1.0"

}  // namespace ttsim
