// What pipes between ops take: the section `pipes` of a chip's noc.yaml, every number with its source.
#pragma once

#include <string>

#include "base/yaml_map.hpp"

namespace ttsim::impl {

/// What pipes between ops take beyond their NoC transfers: the firmware and the streams of the overlay. Clocks, and
/// bytes per clock.
struct PipeConstants {
    double block = 0;            ///< from a block packed, or the one before sent, to its first tile leaving
    double block_fork = 0;       ///< the same, for each fork of the core and each time it begins its phases anew
    double phase = 0;            ///< between two phases to the same partner
    double partner = 0;          ///< between two phases with another partner
    double stream_bytes = 1;     ///< one stream sends
    double multicast_bytes = 1;  ///< one stream sends to several cores at once
    double gather_block = 0;     ///< between two blocks of the sources of a gather
    double gather_tile = 0;      ///< for each tile that passes relays
    double credit = 0;           ///< from tiles freed by the kernel to the sender knowing of it
    double read_iteration = 0;   ///< of NCRISC, for each chunk it asks a queue in DRAM for
    double read_request = 0;     ///< the same, for each request of a chunk
    double row_read = 0;         ///< the same, for each row of elements of a flat queue
    double row_write = 0;        ///< the same, for each row of elements of an untilized tile
};

/// Throws Error(Input) with the place of what is wrong.
PipeConstants read_pipe_constants(YamlMap section);
/// Those of a chip's noc.yaml, read once.
const PipeConstants& pipe_constants(const std::string& noc_file);

}  // namespace ttsim::impl
