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

/// Each number, of type T, as `convert` makes a float of it.
template <class T, class Convert>
void take_each(const unsigned char* from, std::span<float> to, Convert convert) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        T number;
        std::memcpy(&number, from + i * sizeof number, sizeof number);
        to[i] = convert(number);
    }
}

/// Integers; raw queues take them as bit patterns.
template <class Signed, class Unsigned>
void take_whole(const unsigned char* from, std::span<float> to, bool with_sign, bool raw) {
    if (raw) return take_each<Unsigned>(from, to, [](Unsigned n) { return std::bit_cast<float>(std::uint32_t{n}); });
    if (with_sign) return take_each<Signed>(from, to, [](Signed n) { return static_cast<float>(n); });
    take_each<Unsigned>(from, to, [](Unsigned n) { return static_cast<float>(n); });
}

/// Each float as a number of type T.
template <class T, class Convert>
void put_each(std::span<const float> from, unsigned char* to, Convert convert) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const T number = convert(from[i]);
        std::memcpy(to + i * sizeof number, &number, sizeof number);
    }
}

template <class T>
T whole(float value) {
    constexpr double most = std::numeric_limits<T>::max();
    constexpr double least = std::numeric_limits<T>::min() == 0 ? 0.0 : -most;
    return static_cast<T>(std::clamp(std::round(static_cast<double>(value)), least, most));
}

template <class T>
void put_whole(std::span<const float> from, unsigned char* to) {
    put_each<T>(from, to, [](float value) { return whole<T>(value); });
}

template <class T>
void put_bits(std::span<const float> from, unsigned char* to) {
    put_each<T>(from, to, [](float value) { return static_cast<T>(bits_of(value)); });
}

}  // namespace

void numbers_of_host(const unsigned char* from, DataFormat host, bool raw, std::span<float> to) {
    if (host == DataFormat::Float32 || host == DataFormat::RawUInt32)
        return static_cast<void>(std::memcpy(to.data(), from, to.size_bytes()));
    if (host == DataFormat::Float16_b)
        return take_each<std::uint16_t>(from, to, [](std::uint16_t n) { return float_of(std::uint32_t{n} << 16); });
    if (host == DataFormat::Float16)
        return take_each<std::uint16_t>(from, to, [](std::uint16_t n) { return Fp16::decode(n); });
    const bool with_sign = host == DataFormat::Int8 || host == DataFormat::Int32;
    if (host_bytes(host) == 1) return take_whole<std::int8_t, std::uint8_t>(from, to, with_sign, raw);
    if (host_bytes(host) == 2) return take_whole<std::int16_t, std::uint16_t>(from, to, with_sign, raw);
    take_whole<std::int32_t, std::uint32_t>(from, to, with_sign, raw);
}

void numbers_to_host(std::span<const float> from, DataFormat host, unsigned char* to) {
    if (host == DataFormat::Float16_b)
        return put_each<std::uint16_t>(from, to,
                                       [](float value) { return static_cast<std::uint16_t>(bits_of(value) >> 16); });
    if (host == DataFormat::Float16)
        return put_each<std::uint16_t>(from, to, [](float value) {
            return static_cast<std::uint16_t>(Fp16::encode(float_of(Fp16::truncate(bits_of(value)))));
        });
    if (host == DataFormat::RawUInt16) return put_bits<std::uint16_t>(from, to);
    if (host == DataFormat::RawUInt8) return put_bits<std::uint8_t>(from, to);
    if (host == DataFormat::Int8) return put_whole<std::int8_t>(from, to);
    if (host == DataFormat::UInt8) return put_whole<std::uint8_t>(from, to);
    if (host == DataFormat::UInt16) return put_whole<std::uint16_t>(from, to);
    if (host == DataFormat::Int32) return put_whole<std::int32_t>(from, to);
    std::memcpy(to, from.data(), from.size_bytes());
}

}  // namespace ttsim::impl::image
