#include "isa/pipe_constants.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "isa/chip_part.hpp"

namespace ttsim::impl {

PipeConstants read_pipe_constants(YamlMap map) {
    PipeConstants c;
    for (const auto& [key, field] : {std::pair{"block", &c.block},
                                     {"block_fork", &c.block_fork},
                                     {"phase", &c.phase},
                                     {"partner", &c.partner},
                                     {"stream_bytes", &c.stream_bytes},
                                     {"gather_block", &c.gather_block},
                                     {"gather_tile", &c.gather_tile},
                                     {"multicast_bytes", &c.multicast_bytes},
                                     {"credit", &c.credit},
                                     {"read_iteration", &c.read_iteration},
                                     {"read_entry", &c.read_entry},
                                     {"read_request", &c.read_request},
                                     {"row_read", &c.row_read},
                                     {"row_write", &c.row_write}}) {
        *field = map.number(key);
        const bool rate = field == &c.stream_bytes || field == &c.multicast_bytes;
        if (!std::isfinite(*field) || *field < 0 || *field > 1e6 || (rate && *field == 0))
            fail_input(map.where(key), "'{}' is {}; a number {} is wanted", key, *field, rate ? "above 0" : "from 0");
    }
    map.done();
    return c;
}

const PipeConstants& pipe_constants(const std::string& noc_file) {
    static std::mutex mutex;
    static std::map<std::string, PipeConstants> known;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(noc_file); found != known.end()) return found->second;
    return known.emplace(noc_file, read_pipe_constants(read_chip_part(noc_file, ChipPart::Noc).map("pipes")))
        .first->second;
}

}  // namespace ttsim::impl
