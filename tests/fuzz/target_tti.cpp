// Device images: as archives, and as text that lists members.
#include "runtime/image/image.hpp"
#include "runtime/image/info.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/image_members.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void tti(const std::string& bytes) {
    const bool text = bytes.starts_with("== ");
    const image::Members listed = text ? members_of(bytes) : image::Members{};
    const std::string file = text ? "" : file_of(bytes);
    answer([&] {
        const image::Image read = text ? image::read_image(listed) : image::read_image(file);
        image::Summary summary;
        summary.record = read.record;
        summary.unread = read.unread;
        (void)image::info_json(summary);
        (void)image::info_text(summary);
        TT_CHECK(!read.machine.chips.empty(), "an image without chips was read");
        for (const ir::QueueConstant& constant : read.model.constants) (void)constant.entry.tensor();
    });
    if (text && listed.has("device.json"))
        answer([&] {
            (void)image::info_text(image::read_device_json(listed.bytes.at("device.json").text(), "device.json"));
        });
}

}  // namespace ttsim::impl::fuzz
