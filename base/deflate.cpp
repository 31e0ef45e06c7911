#include "base/deflate.hpp"

#include <zlib.h>

#include "base/error.hpp"

namespace ttsim::impl {

std::string zlib_compress(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string compressed(size, '\0');
    // zlib's interface uses unsigned bytes
    const int status =
        compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
    if (status != Z_OK)
        throw Error(Fault::Internal, {},
                    fmt::format("zlib could not compress {} bytes: {}", bytes.size(), zError(status)));
    compressed.resize(size);
    return compressed;
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t available = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8U | (i < available ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i) text += i <= available ? letters[group >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

}  // namespace ttsim::impl
