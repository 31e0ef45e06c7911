// Timing constants of pipes between ops, from the section `pipes` of a chip's noc.yaml.
#pragma once

#include <string>

#include "base/yaml_map.hpp"

namespace ttsim::impl {

/// Costs of pipes between ops in addition to NoC transfers, from firmware and overlay streams. In cycles, and bytes per
/// cycle.
struct PipeConstants {
    double block = 0;            ///< from a block packed, or the previous one sent, to the departure of its first tile
    double block_fork = 0;       ///< additional, per fork of the core and each time it restarts its phases
    double phase = 0;            ///< between two phases to the same partner
    double partner = 0;          ///< between two phases with another partner
    double stream_bytes = 1;     ///< rate of one stream
    double multicast_bytes = 1;  ///< rate of one stream that multicasts to several cores
    double gather_block = 0;     ///< between two blocks of the sources of a gather
    double gather_tile = 0;      ///< per tile that passes through a relay
    double credit = 0;           ///< from tiles freed by the kernel until the sender receives the credit
    double read_iteration = 0;   ///< NCRISC time per chunk read from a DRAM queue
    double read_entry = 0;       ///< NCRISC time per entry of a queue, in addition
    double read_request = 0;     ///< NCRISC time per read request of a chunk
    double row_read = 0;         ///< NCRISC time per row of elements of a flat queue
    double row_write = 0;        ///< NCRISC time per row of elements of an untilized tile
};

/// Throws Error(Input) at the place of the mistake.
PipeConstants read_pipe_constants(YamlMap section);
/// The constants of a chip's noc.yaml; read once.
const PipeConstants& pipe_constants(const std::string& noc_file);

}  // namespace ttsim::impl
