#include "tests/folders.hpp"

namespace ttsim::impl::test {

std::filesystem::path source_folder() { return TTSIM_SOURCE_DIR; }
std::filesystem::path shared_folder() { return TTSIM_SHARED_DATA; }

}  // namespace ttsim::impl::test
