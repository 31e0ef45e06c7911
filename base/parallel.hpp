// Work that does not depend on each other, on several threads. What comes out never depends on how many there are: each
// piece leaves its result at its own index.
#pragma once

#include <cstddef>
#include <functional>

namespace ttsim::impl {

/// 0: one per processor.
unsigned thread_count(unsigned wanted);

/// body(i) for i in [0, n) on up to so many threads (0: one per processor), the caller's among them; returns when all
/// are done. Where the system starts fewer threads, those do the work. Where bodies throw, throws what the one with the
/// least index threw, as a loop does; of those behind it some may have run. Inside a body another call is a plain loop,
/// since all processors have work already.
void parallel_for(unsigned threads, std::size_t n, const std::function<void(std::size_t)>& body);

}  // namespace ttsim::impl
