#include "api/embedded/bridge/host_entries.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "api/embedded/bridge/prestride.hpp"
#include "base/error.hpp"
#include "runtime/image/host_numbers.hpp"
#include "runtime/image/tilized.hpp"

namespace ttsim::impl::bridge {

namespace {

impl::DataFormat host_format(const impl::Queue& queue, const HostTensor& tensor) {
    const auto format = impl::parse_format(tensor.format);
    if (!format || !impl::image::is_host_format(*format))
        impl::fail_input(queue.loc, "a tensor of {} for queue '{}': hosts have no such element type", tensor.format,
                         queue.name);
    if (tensor.itemsize != impl::image::host_bytes(*format))
        impl::fail_input(queue.loc, "a tensor of {} for queue '{}' has itemsize {}; an element has {} bytes",
                         tensor.format, queue.name, tensor.itemsize, impl::image::host_bytes(*format));
    if (!tensor.data)
        impl::fail_input(queue.loc, "the tensor for queue '{}' has no memory: its ptr is null", queue.name);
    return *format;
}

/// One entry of the caller, [z, y, x] with any strides. The innermost loop of every push.
impl::Tensor gathered(const HostTensor& tensor, impl::DataFormat format, bool raw, std::size_t entry) {
    impl::Tensor out(tensor.shape[1], tensor.shape[2], tensor.shape[3]);
    const auto columns = static_cast<std::size_t>(tensor.shape[3]);
    const std::size_t bytes = tensor.itemsize;
    std::vector<unsigned char> packed(tensor.strides[3] == bytes ? 0 : columns * bytes);
    float* to = out.data.data();
    for (std::size_t z = 0; z < tensor.shape[1]; ++z)
        for (std::size_t y = 0; y < tensor.shape[2]; ++y, to += columns) {
            const unsigned char* row =
                tensor.data + entry * tensor.strides[0] + z * tensor.strides[1] + y * tensor.strides[2];
            for (std::size_t x = 0; x < columns && !packed.empty(); ++x)
                std::memcpy(packed.data() + x * bytes, row + x * tensor.strides[3], bytes);
            impl::image::numbers_of_host(packed.empty() ? row : packed.data(), format, raw, {to, columns});
        }
    return out;
}

}  // namespace

std::vector<impl::Tensor> entries_of(const impl::Queue& queue, const HostTensor& tensor) {
    const impl::DataFormat format = host_format(queue, tensor);
    const bool shuffled = tensor.stride > 0;
    const impl::Tensor wanted(impl::TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
    if (!shuffled &&
        (tensor.shape[1] != queue.shape().z || tensor.shape[2] != wanted.rows || tensor.shape[3] != wanted.cols))
        impl::fail_input(queue.loc, "a tensor of shape [{}] for queue '{}', whose entries are [n, {}, {}, {}]",
                         fmt::join(tensor.shape, ", "), queue.name, queue.shape().z, wanted.rows, wanted.cols);
    std::vector<impl::Tensor> all;
    for (std::size_t entry = 0; entry < tensor.shape[0]; ++entry) {
        impl::Tensor values = gathered(tensor, format, impl::is_raw(queue.df), entry);
        if (shuffled) values = prestrided(queue, values, format, tensor.stride, tensor.offsets);
        if (impl::is_raw(queue.df)) values = impl::image::from_linear(queue, values.data);
        all.push_back(std::move(values));
    }
    return all;
}

// --- entries to host tensors ---------------------------------------------------------------------------------------

Sizes stacked_shape(const impl::Queue& queue, std::size_t entries, const Stacking& s) {
    const std::int64_t z = queue.shape().z;
    const auto h = std::int64_t{s.h}, v = std::int64_t{s.v};
    if (h < 1 || v < 1 || z % h != 0 || z % v != 0 || z % (h * v) != 0)
        impl::fail_input(queue.loc, "hstack_factor {} and vstack_factor {} do not divide the {} slices of queue '{}'",
                         h, v, z, queue.name);
    const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
    return {u32(static_cast<std::int64_t>(entries)), u32(z / (h * v)), u32(queue.shape().rt * queue.tile.h * v),
            u32(queue.shape().ct * queue.tile.w * h)};
}

void put_stacked(const impl::Queue& queue, const impl::Tensor& given, const Stacking& s, impl::DataFormat host,
                 unsigned char* to) {
    impl::Tensor reordered;
    if (impl::is_raw(queue.df)) {
        reordered = impl::Tensor(given.z, given.rows, given.cols);
        reordered.data = impl::image::linear(queue, given);
    }
    const impl::Tensor& entry = reordered.data.empty() ? given : reordered;
    const std::int64_t group = std::int64_t{s.h} * s.v, bytes = impl::image::host_bytes(host);
    const std::int64_t line = entry.cols * bytes;
    for (std::int64_t z = 0; z < entry.z; ++z) {
        const std::int64_t k = z % group;
        const std::int64_t block_row = s.row_major ? k / s.h : k % s.v, block_column = s.row_major ? k % s.h : k / s.v;
        for (std::int64_t r = 0; r < entry.rows; ++r) {
            const std::int64_t row = (z / group * s.v + block_row) * entry.rows + r;
            impl::image::numbers_to_host({entry.slice(z).row(r), static_cast<std::size_t>(entry.cols)}, host,
                                         to + (row * s.h + block_column) * line);
        }
    }
}

}  // namespace ttsim::impl::bridge
