// The part that uses libarchive.
#include "runtime/image/libarchive.hpp"

extern "C" {
extern const ttsim::impl::image::LibarchiveFunctions ttsim_archive;
const ttsim::impl::image::LibarchiveFunctions ttsim_archive;
}
