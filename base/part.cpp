#include "base/part.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/machine_limit.hpp"
#include "base/own_file.hpp"

namespace ttsim::impl {

namespace {

/// PREFIX/lib/ttsim/libttsim_NAME.so of the program PREFIX/bin/..., also in a build folder.
std::string file_of(const char* name) {
    return (own_file().parent_path().parent_path() / "lib/ttsim" / fmt::format("libttsim_{}.so", name)).string();
}

/// The message of dlerror() ends with that of errno, if a call of the system failed.
[[noreturn]] void fail_load(const std::string& message) {
    for (const int error : {ENOMEM, EMFILE, ENFILE})
        if (message.ends_with(std::strerror(error))) check_resource_limit(error, "a part of ttsim cannot be loaded");
    fail_input({}, "a part of ttsim cannot be loaded: {}; install or build ttsim again", message);
}

}  // namespace

const void* part_table(const void* linked, const char* name) {
    if (linked != nullptr) return linked;
    void* const part = ::dlopen(file_of(name).c_str(), RTLD_LAZY | RTLD_LOCAL);
    const void* const table = part != nullptr ? ::dlsym(part, fmt::format("ttsim_{}", name).c_str()) : nullptr;
    if (table == nullptr) fail_load(::dlerror());
    return table;
}

}  // namespace ttsim::impl
