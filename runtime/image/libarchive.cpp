#include "runtime/image/libarchive.hpp"

#include "base/part.hpp"

extern "C" [[gnu::weak]] const ttsim::impl::image::LibarchiveFunctions ttsim_archive;

namespace ttsim::impl::image {

const LibarchiveFunctions& libarchive() {
    static const void* const table = part_table(&ttsim_archive, "archive");
    return *static_cast<const LibarchiveFunctions*>(table);
}

}  // namespace ttsim::impl::image
