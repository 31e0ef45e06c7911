// Parts of ttsim whose libraries take milliseconds to load. Programs load them on first use; ttsim's shared libraries
// link them (tt_part() in cmake/tt_part.cmake). A part exports one constant: the table of its functions.
#pragma once

namespace ttsim::impl {

/// The table `ttsim_NAME` of the part `name`. `linked`: that of this binary, or null; then libttsim_NAME.so is loaded.
/// Throws Error(Input) if it cannot be loaded.
const void* part_table(const void* linked, const char* name);

}  // namespace ttsim::impl
