// Board data of products for tt-smi, from boards.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ttsim::impl::smi {

struct Board {
    std::string type{};  ///< "n300"
    std::int64_t code = 0;
    std::optional<std::string> dram_speed{};                                ///< "12G"
    std::optional<std::int64_t> pcie_speed{}, pcie_width{}, power_limit{};  ///< generation, lanes, W
    std::string id() const;  ///< 16 hex digits; the serial number is 0, since the board is simulated
};
/// The board of a product; no value for chips that are not products.
std::optional<Board> board_of(const std::string& device);

}  // namespace ttsim::impl::smi
