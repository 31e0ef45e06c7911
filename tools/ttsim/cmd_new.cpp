// ttsim new: a netlist to start from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "isa/arch.hpp"
#include "isa/config_dir.hpp"
#include "netlist/device/device.hpp"
#include "tools/common/output.hpp"
#include "tools/common/usage.hpp"
#include "tools/ttsim/commands.hpp"

namespace ttsim::impl::cli {

namespace fs = std::filesystem;

namespace {

struct NewFlags {
    std::string name, out, arch, device;
};

std::vector<std::string> names() {
    std::vector<std::string> found;
    std::error_code failed;  // an empty list then, and a message that names the word
    for (const std::string& folder : config_files("templates"))
        for (fs::directory_iterator at(folder, failed), end; at != end; at.increment(failed))
            if (at->path().extension() == ".yaml") found.push_back(at->path().stem().string());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// The chip to write it for; "" = all that the template lists.
std::string chosen_arch(const NewFlags& flags) {
    if (flags.device.empty()) return flags.arch.empty() ? "" : chip(flags.arch).name;
    std::vector<std::string> known;
    for (const ProductInfo& product : products()) {
        if (product.name == to_lower(flags.device)) return product.arch;
        known.push_back(product.name);
    }
    throw CLI::ValidationError("--device", none_of(flags.device, known));
}

std::string netlist_text(const NewFlags& flags) {
    const fs::path file = config_file("templates/" + flags.name + ".yaml");
    std::string text = read_file(file.string(), 1 << 20);
    const std::string arch = chosen_arch(flags);
    if (arch.empty()) return text;
    const std::string key = "\n  arch: [";
    const std::size_t begin = text.find(key), end = text.find(']', begin);
    TT_CHECK(begin != std::string::npos && end != std::string::npos, "{} lists its archs", file.string());
    return text.replace(begin + key.size(), end - begin - key.size(), arch);
}

void run(NewFlags& flags) {
    const std::vector<std::string> known = names();
    if (std::find(known.begin(), known.end(), flags.name) == known.end())
        throw CLI::ValidationError("template", none_of(flags.name, known));
    if (flags.out.empty()) flags.out = flags.name + ".yaml";
    const std::string text = netlist_text(flags);
    std::error_code ignored;
    if (flags.out != "-" && fs::exists(fs::symlink_status(flags.out, ignored)))
        fail_input({flags.out, 0, 0}, "is there already and is left as it is; -o FILE names another");
    OutputFile(flags.out, FileKind::Text).write(text);
    if (flags.out != "-")
        print_text(fmt::format("wrote {0}: run it with 'ttsim run {0}{1}'\n", flags.out,
                               flags.device.empty() ? "" : " --device " + to_lower(flags.device)));
}

}  // namespace

void add_new(CLI::App& app) {
    auto flags = std::make_shared<NewFlags>();
    CLI::App* command = app.add_subcommand("new", "Write a small netlist with comments, to start from");
    command->add_option("template", flags->name, "One of the templates below")->required()->type_name("NAME");
    command
        ->add_option("-o,--output", flags->out,
                     "File to write, '-' = standard output; one that exists is left alone. Default: NAME.yaml")
        ->type_name("FILE");
    CLI::Option* arch = command
                            ->add_option("--arch", flags->arch,
                                         "Chip it is for: grayskull, wormhole or wormhole_b0. Default: grayskull and "
                                         "wormhole_b0, the first one is run")
                            ->type_name("NAME");
    command->add_option("--device", flags->device, "Product it is for (see 'ttsim devices')")
        ->excludes(arch)
        ->type_name("NAME");
    // made when it is printed: the configuration folder is not needed before
    command->footer([] {
        return fmt::format(
            "Templates: {}\n\n"
            "Examples:\n"
            "  ttsim new mlp && ttsim run mlp.yaml\n"
            "  ttsim new softmax --device wh_n150 -o mine.yaml",
            fmt::join(names(), ", "));
    });
    command->callback([flags] { run(*flags); });
}

}  // namespace ttsim::impl::cli
