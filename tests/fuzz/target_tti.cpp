// Device images: as archives, and as text that lists members. A tar's headers have sums that hide what lies behind them
// from a fuzzer; in the text a line "== NAME" begins each member.
#include "runtime/image/archive.hpp"
#include "runtime/image/image.hpp"
#include "runtime/image/info.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/targets.hpp"

namespace tt::fuzz {

static image::Members members_of(const std::string& bytes) {
    image::Members members;
    members.file = "fuzz.tti";
    const std::string mark = "== ";
    std::string* now = nullptr;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1);
        const std::string line = bytes.substr(at, end + 1 - at);
        at = end + 1;
        if (line.starts_with(mark))
            now = &members.bytes[line.substr(mark.size(), line.find('\n') - mark.size())];
        else if (now)
            *now += line;
    }
    return members;
}

void tti(const std::string& bytes) {
    const bool text = bytes.starts_with("== ");
    const image::Members listed = text ? members_of(bytes) : image::Members{};
    const std::string file = text ? "" : file_of(bytes);
    answer([&] {
        const image::Image read = text ? image::read_image(listed) : image::read_image(file);
        (void)image::info_json(read.record);
        TT_CHECK(!read.machine.chips.empty(), "an image without chips was read");
    });
    if (text && listed.has("device.json"))
        answer([&] { (void)image::info_text(image::read_device_json(listed.bytes.at("device.json"), "device.json")); });
}

}  // namespace tt::fuzz
