// ttsim tti: shows, unpacks, packs and merges device images.
#include <map>
#include <memory>

#include "runtime/image/image.hpp"
#include "runtime/image/info.hpp"
#include "runtime/image/merge.hpp"
#include "tools/common/input_kind.hpp"
#include "tools/common/output.hpp"
#include "tools/common/outputs.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace {

void add_image(CLI::App& command, std::string& path, const std::string& help) {
    command.add_option("image", path, help)->required()->check(existing_path())->type_name("FILE|DIR");
}

void add_info(CLI::App& app) {
    struct Flags {
        std::string image, json;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("info", "Print the contents and the target of an image");
    add_image(*command, flags->image, "Device image (.tti), or the folder of an unpacked one");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("--json", flags->json, FileKind::Json, "Write the result as JSON; - is stdout");
    command->callback([flags, outputs] {
        outputs->claim();
        require_kind(InputKind::Image, flags->image, "ttsim tti info");
        const image::Summary summary = image::read_summary(flags->image);
        if (flags->json.empty()) return print_text(image::info_text(summary));
        OutputFile(flags->json, FileKind::Json).write(image::info_json(summary));
    });
}

void add_extract(CLI::App& app) {
    struct Flags {
        std::string image, folder;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("extract", "Unpack an image");
    add_image(*command, flags->image, "Device image (.tti)");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs
        ->folder("-o,--output", flags->folder, unpacked_folder(),
                 "Folder for unzipped_tti/; an earlier unpacked image is replaced")
        ->required();
    command->callback([flags, outputs] {
        outputs->claim();
        (void)image::extract_image(flags->image, flags->folder);
    });
}

void add_pack(CLI::App& app) {
    struct Flags {
        std::string folder, image;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand("pack", "Pack an unpacked image again, with new checksums");
    command->add_option("folder", flags->folder, "Folder with unzipped_tti/")
        ->required()
        ->check(existing_folder())
        ->type_name("DIR");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("-o,--output", flags->image, FileKind::Image, "Device image (.tti)")->required();
    command->callback([flags, outputs] {
        outputs->claim();
        image::pack_image(flags->folder, flags->image);
    });
}

void add_merge(CLI::App& app) {
    struct Flags {
        image::MergeOptions options;
        std::string file = "merged_model.tti", json;
        bool no_switching = false, no_overlap = false, explain = false;
    };
    auto flags = std::make_shared<Flags>();
    image::MergeOptions& o = flags->options;
    CLI::App* command = app.add_subcommand("merge", "Merge several images into one; their models share a device");
    command->add_option("--model_binaries_location", o.folder, "Folder with NAME.tti of each model; also -mbl")
        ->required()
        ->check(existing_folder())
        ->type_name("DIR");
    command->add_option("--models", o.models, "Names of the models, in execution order; also -mdl")
        ->required()
        ->type_name("NAME...");
    command->add_option("-a,--arch", o.arch, "Chip that the images are for. Default: that of the first image")
        ->type_name("NAME");
    auto outputs = std::make_shared<Outputs>(*command);
    outputs->file("--merged_model_location", flags->file, FileKind::Image,
                  "The merged image. Default: merged_model.tti; also -mml");
    command->add_flag(
        "--skip_channel_reallocation", flags->no_switching,
        "Report an error for a queue whose DRAM channel is full, instead of using another channel; also -scr");
    command->add_flag("--dynamic_queue_overlap_off", flags->no_overlap,
                      "Give memory of its own to every queue that programs allocate and free; also -dqo");
    command->add_flag("--explain", flags->explain, "Print the old and new address of each buffer of each queue");
    outputs->file("--json", flags->json, FileKind::Json,
                  "Write the footprint and the moved buffers as JSON; - is stdout");
    command->footer(
        "Exits with 2 for images that cannot be merged, and with 4 if memory is full; nothing is written then.\n\n"
        "Examples:\n"
        "  ttsim tti merge -mbl images -mdl first second -a wormhole_b0 -mml both.tti && ttsim run both.tti");
    command->callback([flags, outputs] {
        outputs->claim();
        flags->options.placing = {!flags->no_switching, !flags->no_overlap};
        flags->options.image.release = TTSIM_VERSION;
        const image::MergeReport report = image::merge_images(flags->options, flags->file);
        if (!flags->json.empty()) OutputFile(flags->json, FileKind::Json).write(image::merge_json(report));
        if (flags->json == "-") return;
        if (flags->explain) print_text(image::moves_text(report));
        print_text(image::merge_text(report));
    });
}

}  // namespace

std::vector<std::string> with_long_flags(int argc, char** argv) {
    static const std::map<std::string, std::string> long_names{{"-mbl", "--model_binaries_location"},
                                                               {"-mdl", "--models"},
                                                               {"-mml", "--merged_model_location"},
                                                               {"-scr", "--skip_channel_reallocation"},
                                                               {"-dqo", "--dynamic_queue_overlap_off"}};
    std::vector<std::string> words(argv, argv + argc);
    if (words.size() < 3 || words[1] != "tti" || words[2] != "merge") return words;
    for (std::string& word : words)
        if (const auto known = long_names.find(word); known != long_names.end()) word = known->second;
    return words;
}

void add_tti(CLI::App& app) {
    CLI::App* command = app.add_subcommand("tti", "Inspect, unpack, pack and merge device images");
    command->require_subcommand(1);
    command->footer(
        "Examples:\n"
        "  ttsim compile model.onnx --device wh_n150 -o model.tti && ttsim run model.tti\n"
        "  ttsim tti info model.tti\n"
        "  ttsim tti extract model.tti -o unpacked && ttsim tti pack unpacked -o again.tti\n"
        "  ttsim tti merge -mbl images -mdl first second -a wormhole_b0 -mml both.tti");
    add_info(*command);
    add_extract(*command);
    add_pack(*command);
    add_merge(*command);
}

}  // namespace ttsim::impl::cli
