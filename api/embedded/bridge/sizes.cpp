// Sizes of elements and tiles, from the simulator's tables, and writing of files.
#include <ostream>

#include "api/embedded/bridge/bridge.hpp"
#include "api/embedded/bridge/guard.hpp"
#include "base/new_file.hpp"
#include "isa/data_format.hpp"
#include "runtime/image/host_numbers.hpp"

namespace ttsim::impl::bridge {

static impl::DataFormat format_of(const std::string& name) {
    const auto format = impl::parse_format(name);
    if (!format || *format == impl::DataFormat::Invalid) impl::fail_input({}, "'{}' is not a data format", name);
    return *format;
}

void write_file(const std::string& file, const void* data, std::size_t bytes) {
    guarded([&] {
        impl::write_new_file(file, impl::FileKind::Any, [&](std::ostream& out) {
            out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
        });
    });
}

std::uint32_t number_bytes(const std::string& name) {
    return guarded([&] {
        const impl::DataFormat format = format_of(name);
        if (!impl::image::is_host_format(format) && format != impl::DataFormat::Tf32)
            impl::fail_input({}, "elements of {} have no separate size", name);
        return static_cast<std::uint32_t>(impl::element_bytes(format));
    });
}

std::uint32_t tile_bytes(const std::string& name, bool untilized, std::uint32_t tile_h, std::uint32_t tile_w) {
    return guarded([&] {
        const impl::TileDim dim{static_cast<std::int32_t>(tile_h), static_cast<std::int32_t>(tile_w)};
        if (!impl::is_legal(dim)) impl::fail_input({}, "there are no tiles of {} x {}", tile_h, tile_w);
        if (untilized) return number_bytes(name) * tile_h * tile_w;
        return static_cast<std::uint32_t>(impl::tile_bytes(format_of(name), dim, present_alignment()));
    });
}

}  // namespace ttsim::impl::bridge
