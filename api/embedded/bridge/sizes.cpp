// Bytes of numbers and tiles, from the tables that the simulator goes by, and bytes as files.
#include <ostream>

#include "base/new_file.hpp"
#include "api/embedded/bridge/guard.hpp"
#include "isa/data_format.hpp"
#include "runtime/image/host_numbers.hpp"

namespace tt_bridge {

static tt::DataFormat format_of(const std::string& name) {
    const auto format = tt::parse_format(name);
    if (!format || *format == tt::DataFormat::Invalid) tt::fail_input({}, "'{}' is no data format", name);
    return *format;
}

void write_file(const std::string& file, const void* data, std::size_t bytes) {
    guarded([&] {
        tt::write_new_file(file, tt::FileKind::Any, [&](std::ostream& out) {
            out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        });
    });
}

std::uint32_t number_bytes(const std::string& name) {
    return guarded([&] {
        const tt::DataFormat format = format_of(name);
        if (!tt::image::is_host_format(format) && format != tt::DataFormat::Tf32)
            tt::fail_input({}, "numbers of {} have no size of their own", name);
        return static_cast<std::uint32_t>(tt::datum_bytes(format));
    });
}

std::uint32_t tile_bytes(const std::string& name, bool untilized, std::uint32_t tile_h, std::uint32_t tile_w) {
    return guarded([&] {
        const tt::TileDim dim{static_cast<std::int32_t>(tile_h), static_cast<std::int32_t>(tile_w)};
        if (!tt::is_legal(dim)) tt::fail_input({}, "there are no tiles of {} x {}", tile_h, tile_w);
        if (untilized) return number_bytes(name) * tile_h * tile_w;
        return static_cast<std::uint32_t>(tt::tile_bytes(format_of(name), dim));
    });
}

}  // namespace tt_bridge
