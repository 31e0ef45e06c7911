// Products as tt-smi shows them: what boards.yaml has beside products.yaml.
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
    std::string id() const;  ///< 16 hex digits; serial number 0: it is simulated
};
/// Nothing for chips that are no product.
std::optional<Board> board_of(const std::string& device);

}  // namespace ttsim::impl::smi
