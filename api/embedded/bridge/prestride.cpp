#include "api/embedded/bridge/prestride.hpp"

#include "base/error.hpp"

namespace ttsim::impl::bridge {

impl::Tensor prestrided(const impl::Queue& queue, const impl::Tensor& values, impl::DataFormat host, int stride,
                        const std::vector<std::pair<int, int>>& offsets) {
    if (host != impl::DataFormat::Float32 && host != impl::DataFormat::Float16 && host != impl::DataFormat::Float16_b)
        impl::fail_input(queue.loc, "queue '{}': a Prestride takes Float32, Float16 and Float16_b, not {}", queue.name,
                         to_string(host));
    for (const auto& [x, y] : offsets)
        if (x < 0 || y < 0)
            impl::fail_input(queue.loc, "queue '{}': a Prestride's offset is ({}, {}); offsets count from 0",
                             queue.name, x, y);
    impl::Tensor out(queue.shape(), queue.tile);
    const std::int64_t s = stride, down = (values.rows + s - 1) / s, across = (values.cols + s - 1) / s;
    const std::int64_t rows = values.z * static_cast<std::int64_t>(offsets.size());
    if (out.z != 1 || rows > out.rows || down * across > out.cols)
        impl::fail_input(
            queue.loc,
            "queue '{}': a tensor of {} x {} x {} with stride {} makes {} rows of {}; an entry is {} x {} x {}",
            queue.name, values.z, values.rows, values.cols, s, rows, down * across, out.z, out.rows, out.cols);
    for (std::size_t k = 0; k < offsets.size(); ++k)
        for (std::int64_t z = 0; z < values.z; ++z) {
            float* row = out.slice(0).row(static_cast<std::int64_t>(k) * values.z + z);
            for (std::int64_t y = offsets[k].second; y < values.rows; y += s)
                for (std::int64_t x = offsets[k].first; x < values.cols; x += s)
                    row[y / s * across + x / s] = values.slice(z).at(y, x);
        }
    return out;
}

}  // namespace ttsim::impl::bridge
