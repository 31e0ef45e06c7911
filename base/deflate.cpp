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

struct GzipWriter::Stream {
    z_stream z{};
    std::string buffer = std::string(1 << 16, '\0');
};

GzipWriter::GzipWriter(Sink sink) : stream_(std::make_unique<Stream>()), sink_(std::move(sink)) {
    constexpr int gzip_window = 15 + 16, memory = 9;
    if (const int status =
            deflateInit2(&stream_->z, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY);
        status != Z_OK)
        throw Error(Fault::Internal, {}, fmt::format("zlib could not start: {}", zError(status)));
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_->z); }

void GzipWriter::deflate(int flush) {
    z_stream& z = stream_->z;
    do {
        z.next_out = reinterpret_cast<Bytef*>(stream_->buffer.data());
        z.avail_out = static_cast<uInt>(stream_->buffer.size());
        if (::deflate(&z, flush) == Z_STREAM_ERROR) throw Error(Fault::Internal, {}, "zlib could not compress");
        sink_(std::string_view(stream_->buffer).substr(0, stream_->buffer.size() - z.avail_out));
    } while (z.avail_out == 0);
}

void GzipWriter::add(std::string_view bytes) {
    stream_->z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_->z.avail_in = static_cast<uInt>(bytes.size());
    deflate(Z_NO_FLUSH);
}

void GzipWriter::end() { deflate(Z_FINISH); }

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
