// Runs independent work items on several threads. Each item writes its result at its own index, so results do not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace ttsim::impl {

/// Resolves a thread count: 0 means one per processor that the calling thread may run on. taskset and the cpusets of
/// containers restrict these.
unsigned resolve_threads(unsigned wanted);

/// Runs body(i) for i in [0, n) on up to `threads` threads (0: one per processor), including the caller's. Returns when
/// all are done. If the system cannot start all threads, the started ones do the work. If bodies throw, rethrows the
/// exception with the lowest index, as a loop would; items after it may have run. Nested calls run as plain loops,
/// since all processors are busy.
void parallel_for(unsigned threads, std::size_t n, const std::function<void(std::size_t)>& body);

}  // namespace ttsim::impl
