// A folder below the system's folder of temporary files, removed at the end.
#pragma once

#include <optional>
#include <string>

#include "base/temporaries.hpp"

namespace ttsim::impl::cli {

class TemporaryFolder {
public:
    TemporaryFolder();  ///< throws Error(Input) if it cannot be made
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const;

private:
    std::string path_;
    std::optional<Temporary> registered_;
};

}  // namespace ttsim::impl::cli
