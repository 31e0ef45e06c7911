// Merging of device images: one with itself, as text that lists members behind a line of options. What is merged can be
// read.
#include <filesystem>

#include "runtime/image/merge.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/image_members.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

/// Bits of the first byte: small channels, no other channels, no shared areas, another chip.
static image::MergeOptions merge_options(char bits) {
    image::MergeOptions options;
    options.folder = temp_folder().string();
    options.models = {"one", "two"};
    options.placing.switch_channels = (bits & 1) == 0;
    options.placing.overlap_dynamic = (bits & 2) == 0;
    if ((bits & 4) != 0)
        options.dram_bytes = {109'000'000, 108'700'000, 1 << 30, 108'658'688, 109'000'000, 109'000'000};
    if ((bits & 8) != 0) options.arch = "grayskull";
    return options;
}

static void write_image_file(const image::Members& members, const std::string& file) {
    std::filesystem::remove(file);
    image::ArchiveWriter archive(file);
    for (const auto& [name, bytes] : members.bytes) archive.add(name, bytes);
    archive.commit();
}

void tti_merge(const std::string& bytes) {
    if (bytes.size() < 2) return;
    const std::string folder = temp_folder().string(), merged = folder + "/merged.tti";
    answer([&] {
        const image::Members members = members_of(bytes.substr(bytes.find('\n') + 1));
        for (const char* name : {"/one.tti", "/two.tti"}) write_image_file(members, folder + name);
        std::filesystem::remove(merged);
        const image::MergeReport report = image::merge_images(merge_options(bytes[0]), merged);
        (void)image::merge_text(report);
        (void)image::moves_text(report);
        try {
            (void)image::read_image(merged);
        } catch (const Error& error) {
            throw Error(Fault::Internal, {}, std::string("the merged image cannot be read: ") + error.what());
        }
    });
}

}  // namespace ttsim::impl::fuzz
