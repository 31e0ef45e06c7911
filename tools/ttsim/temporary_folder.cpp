#include "tools/ttsim/temporary_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() : path_((fs::temp_directory_path() / "ttsim-XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) fail_input({path_, 0, 0}, "the folder cannot be made: {}", std::strerror(errno));
    registered_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name) const { return (fs::path(path_) / name).string(); }

}  // namespace ttsim::impl::cli
