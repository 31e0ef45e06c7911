// Numbers as a host holds them: row-major, little-endian, in the host types that queues take (Float32, Float16,
// Float16_b, Int32, Int8, raw words, ...), to and from the float32 in which entries travel here.
#pragma once

#include <span>
#include <vector>

#include "isa/data_format.hpp"

namespace ttsim::impl::image {

/// Bytes of one number of a host type; 2 for all of the a and b families.
std::int64_t host_bytes(DataFormat format);
/// No host holds block floats, Tf32 or 8-bit floats.
bool is_host_format(DataFormat format);
/// What the host gets of a queue: Float16_b of the b family, Float16 of the a family, else the queue's own format.
DataFormat host_format_of(DataFormat queue);

/// `to.size()` numbers of type `host`, one behind the other. `raw`: integers stand for bit patterns. Float16 has
/// the chip's meaning, in which all exponents are numbers.
void numbers_of_host(const unsigned char* from, DataFormat host, bool raw, std::span<float> to);

/// The same back. Integers are rounded, half away from zero, and saturate. What Float16 does not hold becomes zero
/// or its largest number.
void numbers_to_host(std::span<const float> from, DataFormat host, unsigned char* to);

}  // namespace ttsim::impl::image
