// Where tests find files. In one source of their own, so that another checkout's compiler cache serves all others.
#pragma once

#include <filesystem>

namespace ttsim::impl::test {

std::filesystem::path source_folder();  ///< the project's
/// Vectors, netlists and measurements that are not part of the project; tests that need it say "skipped" without it.
std::filesystem::path shared_folder();

}  // namespace ttsim::impl::test
