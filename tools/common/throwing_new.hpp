// operator new of the programs: it throws std::bad_alloc where there is no memory, whatever allocator is linked.
#pragma once

#include <atomic>

namespace ttsim::impl::cli {

/// Whether some allocation failed: an exception of another kind may have come of it.
extern std::atomic<bool> lacked_memory;

}  // namespace ttsim::impl::cli
