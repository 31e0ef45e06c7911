// A file with the bytes of one run of a target, for readers of files.
#pragma once

#include "tests/netlist/temp_folder.hpp"

namespace ttsim::impl::fuzz {

/// One file for the whole program, rewritten for each run.
inline std::string file_of(const std::string& bytes) { return write_temp("fuzzed", bytes); }

}  // namespace ttsim::impl::fuzz
