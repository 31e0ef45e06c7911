#include "tools/ttsim/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "tools/common/terminal.hpp"

namespace tt::cli {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (is_stdout() || direct()) return;
    const NewFile probe(path_);
}

bool OutputFile::direct() const {
    std::error_code ignored;
    const fs::file_status status = fs::status(path_, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void OutputFile::write(std::string_view text) const {
    if (is_stdout()) return print_text(text);
    std::optional<NewFile> fresh;
    if (!direct()) fresh.emplace(path_);
    const int descriptor = ::open(fresh ? fresh->temporary().c_str() : path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail_write(path_, errno);
    int error = write_all(descriptor, text);
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error != 0) fail_write(path_, error);
    if (fresh) fresh->commit();
}

void print_text(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        fail_input({}, "cannot write to standard output: {}", std::strerror(errno));
}

void print_report(std::string_view text) { print_text(painted_report(text)); }

std::optional<std::size_t> report_width() { return terminal_width(STDOUT_FILENO); }

}  // namespace tt::cli
