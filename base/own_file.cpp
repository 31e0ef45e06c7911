#include "base/own_file.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

namespace ttsim::impl {

namespace {

namespace fs = std::filesystem;

fs::path find_own_file() {
    Dl_info info{};
    void* extra = nullptr;
    std::error_code ignored;
    if (dladdr1(reinterpret_cast<void*>(&own_file), &info, &extra, RTLD_DL_LINKMAP) == 0) return {};
    const auto* object = static_cast<const link_map*>(extra);
    const bool program = !object || !object->l_name || *object->l_name == '\0';
    // for a program dladdr returns argv[0], which need not be a path; AT_EXECFN is the executed path
    const char* name = program ? reinterpret_cast<const char*>(getauxval(AT_EXECFN)) : object->l_name;
    return name ? fs::weakly_canonical(fs::absolute(name, ignored), ignored) : fs::path();
}

}  // namespace

const fs::path& own_file() {
    static const fs::path file = find_own_file();
    return file;
}

/// At program start: a relative path is valid only until the working directory changes.
[[maybe_unused]] static const fs::path& found_at_start = own_file();

}  // namespace ttsim::impl
