// Settings of mimalloc, which `ttsim` is linked with. A page fault takes some microseconds on a virtual machine: they
// were half of the time of a short command.
#include <mimalloc.h>

#include <cstdlib>

namespace ttsim::impl::cli {

#if MI_MALLOC_VERSION >= 210
constexpr mi_option_t delay_option = mi_option_purge_delay;
constexpr const char* delay_variable = "MIMALLOC_PURGE_DELAY";
#else
constexpr mi_option_t delay_option = mi_option_decommit_delay;
constexpr const char* delay_variable = "MIMALLOC_DECOMMIT_DELAY";
#endif

static void set(mi_option_t option, const char* variable, long value) {
    if (std::getenv(variable) == nullptr) mi_option_set(option, value);
}

static void configure_allocator() {
    // Memory in pages of 2 MiB, where the system offers them (transparent huge pages): one fault instead of 512.
    set(mi_option_large_os_pages, "MIMALLOC_LARGE_OS_PAGES", 1);
#if MI_MALLOC_VERSION < 300  // later versions have no such delay
    // The first memory of a second thread is taken as a whole, too: otherwise mimalloc commits it piece by piece,
    // without large pages. Loading libsystemc then took 900 faults more.
    set(mi_option_eager_commit_delay, "MIMALLOC_EAGER_COMMIT_DELAY", 0);
#endif
    // Milliseconds until free memory goes back to the system. With 25, the default, a run returned memory and took it
    // back for every slice: 16 threads had 750,000 page faults where 2 threads had 80,000.
    set(delay_option, delay_variable, 1000);
}

// Runs before the constructors of globals, including those of shared libraries: libsystemc allocates 3 MB.
[[gnu::section(".preinit_array"), gnu::used]] static void (*const configure_first)() = configure_allocator;

}  // namespace ttsim::impl::cli
