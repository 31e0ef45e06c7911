#include "runtime/image/host_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/formats/float_bits.hpp"

namespace ttsim::impl::image {

static_assert(std::endian::native == std::endian::little, "hosts and files are little-endian, and so are copies here");

std::int64_t host_bytes(DataFormat format) {
    const FormatFamily family = info(format).family;
    return family == FormatFamily::A || family == FormatFamily::B ? 2 : element_bytes(format);
}

bool is_host_format(DataFormat format) {
    return !is_block_float(format) && format != DataFormat::Tf32 && format != DataFormat::Lf8 &&
           format != DataFormat::Fp8_e4m3 && format != DataFormat::Invalid;
}

DataFormat host_format_of(DataFormat queue) {
    const FormatFamily family = info(queue).family;
    if (family == FormatFamily::A) return DataFormat::Float16;
    return family == FormatFamily::B ? DataFormat::Float16_b : queue;
}

namespace {

/// Converts numbers of type T to floats.
template <class T, class Convert>
void decode_each(const unsigned char* from, std::span<float> to, Convert convert) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        T number;
        std::memcpy(&number, from + i * sizeof number, sizeof number);
        to[i] = convert(number);
    }
}

/// Converts integers; raw queues hold bit patterns.
template <class Signed, class Unsigned>
void decode_integers(const unsigned char* from, std::span<float> to, bool with_sign, bool raw) {
    if (raw) return decode_each<Unsigned>(from, to, [](Unsigned n) { return std::bit_cast<float>(std::uint32_t{n}); });
    if (with_sign) return decode_each<Signed>(from, to, [](Signed n) { return static_cast<float>(n); });
    decode_each<Unsigned>(from, to, [](Unsigned n) { return static_cast<float>(n); });
}

/// Converts floats to numbers of type T.
template <class T, class Convert>
void encode_each(std::span<const float> from, unsigned char* to, Convert convert) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const T number = convert(from[i]);
        std::memcpy(to + i * sizeof number, &number, sizeof number);
    }
}

template <class T>
T round_to_integer(float value) {
    constexpr double highest = std::numeric_limits<T>::max();
    constexpr double lowest = std::numeric_limits<T>::min() == 0 ? 0.0 : -highest;
    return static_cast<T>(std::clamp(std::round(static_cast<double>(value)), lowest, highest));
}

template <class T>
void encode_integers(std::span<const float> from, unsigned char* to) {
    encode_each<T>(from, to, [](float value) { return round_to_integer<T>(value); });
}

template <class T>
void encode_bits(std::span<const float> from, unsigned char* to) {
    encode_each<T>(from, to, [](float value) { return static_cast<T>(bits_of(value)); });
}

}  // namespace

void numbers_of_host(const unsigned char* from, DataFormat host, bool raw, std::span<float> to) {
    if (host == DataFormat::Float32 || host == DataFormat::RawUInt32)
        return static_cast<void>(std::memcpy(to.data(), from, to.size_bytes()));
    if (host == DataFormat::Float16_b)
        return decode_each<std::uint16_t>(from, to, [](std::uint16_t n) { return float_of(std::uint32_t{n} << 16); });
    if (host == DataFormat::Float16)
        return decode_each<std::uint16_t>(from, to, [](std::uint16_t n) { return Fp16::decode(n); });
    const bool with_sign = host == DataFormat::Int8 || host == DataFormat::Int32;
    if (host_bytes(host) == 1) return decode_integers<std::int8_t, std::uint8_t>(from, to, with_sign, raw);
    if (host_bytes(host) == 2) return decode_integers<std::int16_t, std::uint16_t>(from, to, with_sign, raw);
    decode_integers<std::int32_t, std::uint32_t>(from, to, with_sign, raw);
}

void numbers_to_host(std::span<const float> from, DataFormat host, unsigned char* to) {
    if (host == DataFormat::Float16_b)
        return encode_each<std::uint16_t>(from, to,
                                          [](float value) { return static_cast<std::uint16_t>(bits_of(value) >> 16); });
    if (host == DataFormat::Float16)
        return encode_each<std::uint16_t>(from, to, [](float value) {
            return static_cast<std::uint16_t>(Fp16::encode(float_of(Fp16::truncate(bits_of(value)))));
        });
    if (host == DataFormat::RawUInt16) return encode_bits<std::uint16_t>(from, to);
    if (host == DataFormat::RawUInt8) return encode_bits<std::uint8_t>(from, to);
    if (host == DataFormat::Int8) return encode_integers<std::int8_t>(from, to);
    if (host == DataFormat::UInt8) return encode_integers<std::uint8_t>(from, to);
    if (host == DataFormat::UInt16) return encode_integers<std::uint16_t>(from, to);
    if (host == DataFormat::Int32) return encode_integers<std::int32_t>(from, to);
    std::memcpy(to, from.data(), from.size_bytes());
}

}  // namespace ttsim::impl::image
