// The known devices, and the folder of their descriptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ttsim/export.hpp>

namespace ttsim {

/// A device that can be simulated.
struct DeviceInfo {
    std::string name;                    ///< value for SessionOptions::device
    std::string chip;                    ///< name of its chip type
    std::string summary;                 ///< one line of text
    std::int64_t chips = 1;              ///< number of chips
    std::int64_t rows = 0, columns = 0;  ///< grid of Tensix cores of each chip
    bool wide_dest = false;              ///< its cores accumulate in 32 bits: Float32, Int32
    bool validated = false;              ///< whether results of its chip were compared with measurements
};

/// Lists boards, and chips that are devices by themselves. Throws Error(Input) for an invalid description file.
TTSIM_API std::vector<DeviceInfo> devices();

/// Describes a product, chip, folder of a chip, or soc descriptor file: any value of SessionOptions::device.
/// `harvested_rows`: NoC rows switched off, which `rows` does not count. Throws Error(Input) for an unknown name or an
/// invalid file.
TTSIM_API DeviceInfo describe_device(const std::string& device, const std::vector<int>& harvested_rows = {});

/// Sets the folder that is searched first for chips/NAME/chip.yaml and products.yaml, for the whole process; "" removes
/// the setting. Searched next: the folder in the environment variable TTSIM_CONFIG_DIR, then share/ttsim/configs of the
/// installation. Throws Error(Input) when the folder does not exist.
TTSIM_API void set_config_dir(const std::string& folder);

TTSIM_API const char* version();  ///< version of the library, such as "0.1.0"

}  // namespace ttsim
