#include "analysis/smi/board.hpp"

#include <fmt/format.h>

#include "base/yaml_map.hpp"
#include "isa/config_dir.hpp"

namespace ttsim::impl::smi {

std::string Board::id() const { return fmt::format("{:016x}", static_cast<std::uint64_t>(code) << 36); }

static Board read_board(YamlMap map) {
    const auto whole = [&map](const char* key) {
        return map.has(key) ? std::optional(map.integer(key, {0, 100'000})) : std::nullopt;
    };
    Board board;
    board.type = map.text("type");
    board.code = map.integer("code", {0, 0xfffff});
    if (map.has("dram_speed")) board.dram_speed = map.text("dram_speed");
    board.pcie_speed = whole("pcie_speed");
    board.pcie_width = whole("pcie_width");
    board.power_limit = whole("board_power_limit");
    map.done();
    return board;
}

std::optional<Board> board_of(const std::string& device) {
    for (const std::string& file : config_files("boards.yaml")) {
        YamlMap map = YamlMap::from_file(file);
        if (map.has(device)) return read_board(map.map(device));
    }
    return std::nullopt;
}

}  // namespace ttsim::impl::smi
