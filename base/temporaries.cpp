#include "base/temporaries.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace ttsim::impl {

namespace {

// A signal handler must not lock or allocate: fixed slots, system calls only.
std::array<std::atomic<char*>, 64> slots{};

struct Entry {  // struct linux_dirent64
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
};

void remove_below(int folder, int levels) {
    alignas(Entry) std::array<char, 2048> buffer;
    for (;;) {
        const long bytes = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
        if (bytes <= 0) return;
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
            at += entry->length;
            if (std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0) continue;
            if (::unlinkat(folder, entry->name, 0) == 0 || levels == 0) continue;
            const int inner = ::openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner < 0) continue;
            remove_below(inner, levels - 1);
            ::close(inner);
            ::unlinkat(folder, entry->name, AT_REMOVEDIR);
        }
    }
}

}  // namespace

// Safe in a signal handler.
void remove_temporaries() noexcept {
    for (const auto& slot : slots) {
        const char* const path = slot.load();
        if (!path || ::unlink(path) == 0) continue;
        const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) continue;
        remove_below(folder, 2);
        ::close(folder);
        ::rmdir(path);
    }
}

namespace {

extern "C" void remove_and_end(int signal) {
    remove_temporaries();
    ::raise(signal);  // SA_RESETHAND: ends the process, once the handler returns
}

}  // namespace

Temporary::Temporary(const std::string& path) : slot_(-1) {
    char* copy = ::strdup(path.c_str());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        char* expected = nullptr;
        if (!slots[i].compare_exchange_strong(expected, copy)) continue;
        slot_ = static_cast<int>(i);
        return;
    }
    std::free(copy);
}

Temporary::~Temporary() {
    if (slot_ >= 0) std::free(slots[static_cast<std::size_t>(slot_)].exchange(nullptr));
}

void remove_temporaries_on_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current {};
        if (::sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = remove_and_end;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace ttsim::impl
