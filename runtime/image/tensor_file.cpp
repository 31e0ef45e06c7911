#include "runtime/image/tensor_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "runtime/image/host_numbers.hpp"

namespace ttsim::impl::image {

namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Whether a host type represents the value exactly: bfloat16 by truncation, binary16 for normal numbers and zeros.
bool holds(DataFormat host, float value) {
    if (host == DataFormat::Float16_b) return (bits(value) & 0xFFFFU) == 0;
    const std::uint32_t exponent = bits(value) >> 23 & 0xFFU;
    return (bits(value) & 0x7FFFFFFFU) == 0 || (exponent >= 113 && exponent <= 142 && (bits(value) & 0x1FFFU) == 0);
}

/// The host type of the values for the queue.
DataFormat host_format(DataFormat queue, const Tensor& entry) {
    const FormatFamily family = info(queue).family;
    if (family == FormatFamily::Raw) return queue;
    if (family == FormatFamily::Integer) return queue == DataFormat::Int8 ? DataFormat::Int8 : DataFormat::Int32;
    if (family != FormatFamily::A && family != FormatFamily::B) return DataFormat::Float32;
    const DataFormat half = family == FormatFamily::A ? DataFormat::Float16 : DataFormat::Float16_b;
    const bool all = std::all_of(entry.data.begin(), entry.data.end(), [&](float v) { return holds(half, v); });
    return all ? half : DataFormat::Float32;
}

/// [z, rows, columns] of an entry. Throws if it is too large for memory.
std::array<std::int64_t, 3> entry_shape(const Queue& queue, const SourceLoc& at) {
    const TileShape tiles = queue.shape();
    const std::array<std::int64_t, 3> shape{tiles.z, tiles.rt * queue.tile.h, tiles.ct * queue.tile.w};
    double elements = 1;
    for (const std::int64_t size : shape) elements *= static_cast<double>(size);
    constexpr double limit = std::int64_t{1} << 33;
    if (elements > limit)
        fail_input(at, "an entry of queue '{}' has {} x {} x {} numbers, which cannot be right", queue.name, shape[0],
                   shape[1], shape[2]);
    return shape;
}

void check_bin(const Queue& queue, const StoredTensor& stored, std::size_t size, const SourceLoc& at) {
    if (!is_host_format(stored.format))
        fail_input(at, "its format {} is none in which a host holds numbers", to_string(stored.format));
    if (stored.itemsize != host_bytes(stored.format))
        fail_input(at, "its itemsize is {}; a number of {} has {} bytes", stored.itemsize, to_string(stored.format),
                   host_bytes(stored.format));
    const auto [z, rows, cols] = entry_shape(queue, at);
    if (stored.shape != std::array{std::int64_t{1}, z, rows, cols})
        fail_input(at, "its shape is [{}]; queue '{}' needs [1, {}, {}, {}]", fmt::join(stored.shape, ", "), queue.name,
                   z, rows, cols);
    const std::int64_t bytes = z * rows * cols * stored.itemsize;
    if (std::cmp_not_equal(size, bytes))
        fail_input(at, "it has {} bytes; {} numbers of {} need {}", size, z * rows * cols, to_string(stored.format),
                   bytes);
}

Tensor from_bin(const Queue& queue, const StoredTensor& stored, std::string_view data) {
    Tensor entry(queue.shape(), queue.tile);
    numbers_of_host(reinterpret_cast<const unsigned char*>(data.data()), stored.format, is_raw(queue.df), entry.data);
    return is_raw(queue.df) ? from_linear(queue, entry.data) : entry;
}

void check_tbin(const Queue& queue, const StoredTensor& stored, std::size_t size, const SourceLoc& at) {
    (void)entry_shape(queue, at);
    const std::int64_t buffers = queue.blocking.cores(), bytes = tilized_buffer_bytes(queue);
    if (stored.format != queue.df)
        fail_input(at, "its format is {}; queue '{}' has {}", to_string(stored.format), queue.name,
                   to_string(queue.df));
    if (stored.num_buffers != buffers || stored.buffer_bytes != bytes)
        fail_input(at, "it has {} buffers of {} bytes; an entry of queue '{}' has {} of {}", stored.num_buffers,
                   stored.buffer_bytes, queue.name, buffers, bytes);
    if (std::cmp_not_equal(size, buffers * bytes))
        fail_input(at, "it has {} bytes; {} buffers of {} need {}", size, buffers, bytes, buffers * bytes);
}

}  // namespace

std::string tensor_file_name(const std::string& queue, const std::string& extension) {
    std::string name = queue;
    std::replace(name.begin(), name.end(), '/', '_');
    return "tensors/torch.Tensor." + name + extension;
}

static StoredTensor described(const Queue& queue, const Tensor& entry, const std::string& file) {
    StoredTensor stored;
    stored.file = file;
    stored.format = host_format(queue.df, entry);
    stored.itemsize = host_bytes(stored.format);
    stored.shape = {1, entry.z, entry.rows, entry.cols};
    std::int64_t step = stored.itemsize;
    for (std::size_t k = 4; k-- > 0; step *= stored.shape[k]) stored.strides[k] = step;
    return stored;
}

TensorFile to_bin(const Queue& queue, const Tensor& entry, const std::string& file) {
    TensorFile out{described(queue, entry, file), ""};
    const std::vector<float> reordered = is_raw(queue.df) ? linear(queue, entry) : std::vector<float>{};
    out.bytes.resize(entry.data.size() * static_cast<std::size_t>(out.stored.itemsize));
    numbers_to_host(is_raw(queue.df) ? reordered : entry.data, out.stored.format,
                    reinterpret_cast<unsigned char*>(out.bytes.data()));
    return out;
}

TensorFile to_tbin(const Queue& queue, const Tensor& entry, const std::string& file, const Tilizer& tilizer) {
    TensorFile out{described(queue, entry, file), tilize(queue, entry, tilizer)};
    out.stored.tilized = true;
    out.stored.format = queue.df;
    out.stored.num_buffers = queue.blocking.cores();
    out.stored.buffer_bytes = tilized_buffer_bytes(queue);
    return out;
}

void check_file(const Queue& queue, const StoredTensor& stored, std::size_t size, const std::string& place) {
    const SourceLoc at{place, 0, 0};
    stored.tilized ? check_tbin(queue, stored, size, at) : check_bin(queue, stored, size, at);
}

Tensor from_file(const Queue& queue, const StoredTensor& stored, std::string_view bytes) {
    return stored.tilized ? untilize(queue, bytes) : from_bin(queue, stored, bytes);
}

}  // namespace ttsim::impl::image
