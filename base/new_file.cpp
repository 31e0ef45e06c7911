#include "base/new_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace tt {

namespace fs = std::filesystem;

void fail_write(const std::string& path, int error) {
    fail_input({path, 0, 0}, "cannot be written: {}", std::strerror(error));
}

static mode_t usual_permissions() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

NewFile::NewFile(std::string path) : path_(std::move(path)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path_, ignored);
    if (fs::is_directory(status)) fail_write(path_, EISDIR);
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) fail_input({path_, 0, 0}, "cannot be written: it is no regular file");
        if (::access(path_.c_str(), W_OK) != 0) fail_write(path_, errno);
    }
    const fs::path target(path_);
    temporary_ = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    const int descriptor = ::mkstemp(temporary_.data());
    if (descriptor < 0) fail_write(path_, errno);
    ::close(descriptor);
}

NewFile::~NewFile() {
    if (!committed_) ::unlink(temporary_.c_str());
}

void NewFile::commit() {
    if (::chmod(temporary_.c_str(), usual_permissions()) != 0) fail_write(path_, errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_write(path_, errno);
    committed_ = true;
}

void write_new_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
    NewFile file(path);
    errno = 0;
    std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
    write(out);
    out.close();
    if (!out) fail_write(path, errno == 0 ? EIO : errno);
    file.commit();
}

}  // namespace tt
