// Converts host data to and from float32 entries: row-major, little-endian numbers of the host types of queues
// (Float32, Float16, Float16_b, Int32, Int8, raw words, ...).
#pragma once

#include <span>
#include <vector>

#include "isa/data_format.hpp"

namespace ttsim::impl::image {

/// Bytes of one number of a host type; 2 for all formats of the A and B families.
std::int64_t host_bytes(DataFormat format);
/// Whether hosts use the format; block floats, Tf32 and 8-bit floats are not host formats.
bool is_host_format(DataFormat format);
/// The host format of a queue's data: Float16_b for the B family, Float16 for the A family, otherwise the queue's
/// format.
DataFormat host_format_of(DataFormat queue);

/// Converts `to.size()` consecutive numbers of type `host` to floats. `raw`: integers are bit patterns. Float16 has the
/// chip's meaning, in which all exponents are numbers.
void numbers_of_host(const unsigned char* from, DataFormat host, bool raw, std::span<float> to);

/// Converts floats to numbers of type `host`. Integers round half away from zero and saturate. Numbers outside the
/// range of Float16 become zero or its largest number.
void numbers_to_host(std::span<const float> from, DataFormat host, unsigned char* to);

}  // namespace ttsim::impl::image
