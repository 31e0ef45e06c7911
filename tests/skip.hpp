// Tests of data that are not part of the project.
#pragma once

#include <filesystem>
#include <iostream>

#include "tests/folders.hpp"

namespace ttsim::impl::test {

/// Whether `path`, a part of shared_folder(), is missing. Then the test must return: the printed line makes ctest count
/// it as skipped. tests/may_skip.txt lists the tests that call this; scripts/check-skipped fails for others.
inline bool skip_without(const std::filesystem::path& path) {
    if (std::filesystem::exists(path)) return false;
    std::cout << "skipped: needs shared: there is no " << path.string() << "\n";
    return true;
}

}  // namespace ttsim::impl::test
