// operator new of the programs: it throws std::bad_alloc when memory runs out, with any allocator.
#pragma once

#include <atomic>

namespace ttsim::impl::cli {

/// Whether an allocation failed. That may have caused an exception of another type.
extern std::atomic<bool> allocation_failed;

}  // namespace ttsim::impl::cli
