#include "tools/common/throwing_new.hpp"

#include <cstdlib>
#include <new>

namespace ttsim::impl::cli {

std::atomic<bool> allocation_failed{false};

}  // namespace ttsim::impl::cli

// mimalloc's 'new' is compiled as C and aborts when memory runs out. These throw, with any malloc(). Sanitizers have
// their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) {
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    ttsim::impl::cli::allocation_failed = true;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto unit = static_cast<std::size_t>(alignment);
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;  // aligned_alloc() requires a multiple
    if (rounded >= bytes)
        if (void* const memory = std::aligned_alloc(unit, rounded == 0 ? unit : rounded)) return memory;
    ttsim::impl::cli::allocation_failed = true;
    throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
