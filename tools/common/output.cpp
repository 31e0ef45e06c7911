#include "tools/common/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/utf8.hpp"
#include "tools/common/terminal.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

/// Returns 0, or the errno of the failed write.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

/// The descriptor of a name such as /dev/stdout or /dev/fd/3, or -1. It may refer to a file: opening that by name would
/// write from its start, and a rename over the name is not possible.
int open_descriptor(const std::string& path) {
    std::error_code failed;
    fs::path at(path);
    for (int links = 0; links < 8; ++links) {
        const std::string folder = at.parent_path().lexically_normal().string(), name = at.filename().string();
        if (folder == "/proc/self/fd" || folder == "/dev/fd") {
            int number = -1;
            const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
            return error == std::errc() && end == name.data() + name.size() ? number : -1;
        }
        if (!fs::is_symlink(at, failed)) return -1;
        at = at.parent_path() / fs::read_symlink(at, failed);
    }
    return -1;
}

void print_bytes(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        fail_input({}, "cannot write to standard output: {}", std::strerror(errno));
}

class OpenFile {
public:
    explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int descriptor() const { return descriptor_; }
    int close() { return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }

private:
    int descriptor_;
};

}  // namespace

OutputFile::OutputFile(std::string path, FileKind kind)
    : path_(std::move(path)), kind_(kind), descriptor_(open_descriptor(path_)) {
    if (is_stdout()) return;
    if (writes_in_place()) {
        if (descriptor_ < 0) (void)followed(path_);  // refuses links of other users
        return;
    }
    if (descriptor_ >= 0 && ::fcntl(descriptor_, F_GETFL) >= 0) return;
    const NewFile probe(path_, kind_);
}

bool OutputFile::is_stdout() const { return path_ == "-" || descriptor_ == STDOUT_FILENO; }

bool OutputFile::writes_in_place() const {
    std::error_code ignored;
    const fs::file_status status = fs::status(path_, ignored);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void OutputFile::write(std::string_view text) const {
    write_pieces([&](const Sink& sink) { sink(text); });
}

void OutputFile::write_pieces(const std::function<void(const Sink&)>& pieces) const {
    // a pipe gets the same bytes as a file
    if (is_stdout()) return pieces(::isatty(STDOUT_FILENO) == 1 ? print_text : print_bytes);
    const auto write_to = [&](int descriptor) {
        pieces([&](std::string_view text) {
            if (const int error = write_all(descriptor, text); error != 0) fail_write(path_, error);
        });
    };
    if (descriptor_ >= 0) return write_to(descriptor_);
    std::optional<NewFile> new_file;
    if (!writes_in_place()) new_file.emplace(path_, kind_);
    OpenFile out(new_file ? new_file->temporary() : path_);
    if (out.descriptor() < 0) fail_write(path_, errno);
    write_to(out.descriptor());
    if (const int error = out.close(); error != 0) fail_write(path_, error);
    if (new_file) new_file->commit();
}

void print_text(std::string_view text) { print_bytes(printable(text)); }

void print_report(std::string_view text) { print_bytes(painted_report(printable(text))); }

std::optional<std::size_t> report_width() { return terminal_width(STDOUT_FILENO); }

}  // namespace ttsim::impl::cli
