// Compression of data embedded in HTML pages and of large files, and base64 encoding.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ttsim::impl {

/// Compresses into the zlib format (RFC 1950), which DecompressionStream("deflate") of browsers reads.
std::string zlib_compress(std::string_view bytes);
/// Compresses a file of pieces into the gzip format (RFC 1952), without name and time, so that equal texts give equal
/// files.
class GzipWriter {
public:
    using Sink = std::function<void(std::string_view)>;
    explicit GzipWriter(Sink sink);
    ~GzipWriter();
    void add(std::string_view bytes);
    void end();  ///< to be called once, after the last piece

private:
    struct Stream;
    void deflate(int flush);
    std::unique_ptr<Stream> stream_;
    Sink sink_;
};
/// Base64 with padding (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace ttsim::impl
