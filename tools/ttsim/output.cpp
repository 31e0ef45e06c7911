#include "tools/ttsim/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace tt::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_write(const std::string& path, int error) {
    fail_input({path, 0, 0}, "cannot be written: {}", std::strerror(error));
}

/// 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

mode_t usual_permissions() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (is_stdout()) return;
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) fail_write(path_, EISDIR);
    if (direct()) return;
    if (fs::exists(path_, ignored) && ::access(path_.c_str(), W_OK) != 0) fail_write(path_, errno);
    int descriptor = -1;
    const std::string temporary = make_temporary(descriptor);
    ::close(descriptor);
    ::unlink(temporary.c_str());
}

bool OutputFile::direct() const {
    std::error_code ignored;
    const fs::file_status status = fs::status(path_, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

std::string OutputFile::make_temporary(int& descriptor) const {
    const fs::path target(path_);
    std::string name = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    descriptor = ::mkstemp(name.data());
    if (descriptor < 0) fail_write(path_, errno);
    return name;
}

void OutputFile::write(std::string_view text) const {
    if (is_stdout()) return print_text(text);
    if (direct()) {
        const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) fail_write(path_, errno);
        const int error = write_all(descriptor, text);
        ::close(descriptor);
        if (error != 0) fail_write(path_, error);
        return;
    }
    int descriptor = -1;
    const std::string temporary = make_temporary(descriptor);
    int error = write_all(descriptor, text);
    if (error == 0 && ::fchmod(descriptor, usual_permissions()) != 0) error = errno;
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), path_.c_str()) != 0) error = errno;
    if (error != 0) {
        ::unlink(temporary.c_str());
        fail_write(path_, error);
    }
}

void print_text(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        fail_input({}, "cannot write to standard output: {}", std::strerror(errno));
}

}  // namespace tt::cli
