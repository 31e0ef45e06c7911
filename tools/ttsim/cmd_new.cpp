// ttsim new: writes a netlist from a template.
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

std::vector<std::string> template_names() {
    std::vector<std::string> found;
    std::error_code failed;  // on failure the list is empty, and the message names the requested template
    for (const std::string& folder : config_files("templates"))
        for (fs::directory_iterator at(folder, failed), end; at != end; at.increment(failed))
            if (at->path().extension() == ".yaml") found.push_back(at->path().stem().string());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// The chip to write the netlist for; "": all chips of the template.
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
    const std::vector<std::string> known = template_names();
    if (std::find(known.begin(), known.end(), flags.name) == known.end())
        throw CLI::ValidationError("template", none_of(flags.name, known));
    if (flags.out.empty()) flags.out = flags.name + ".yaml";
    const std::string text = netlist_text(flags);
    std::error_code ignored;
    if (flags.out != "-" && fs::exists(fs::symlink_status(flags.out, ignored)))
        fail_input({flags.out, 0, 0}, "already exists and is not overwritten; choose another file with -o FILE");
    OutputFile(flags.out, FileKind::Text).write(text);
    if (flags.out != "-")
        print_text(fmt::format("wrote {0}: run it with 'ttsim run {0}{1}'\n", flags.out,
                               flags.device.empty() ? "" : " --device " + to_lower(flags.device)));
}

}  // namespace

void add_new(CLI::App& app) {
    auto flags = std::make_shared<NewFlags>();
    CLI::App* command = app.add_subcommand("new", "Write a small, commented netlist from a template");
    command->add_option("template", flags->name, "One of the templates below")->required()->type_name("NAME");
    command
        ->add_option("-o,--output", flags->out,
                     "File to write, '-' = standard output; an existing file is not overwritten. Default: NAME.yaml")
        ->type_name("FILE");
    CLI::Option* arch = command
                            ->add_option("--arch", flags->arch,
                                         "Chip of the netlist, by name. Default: all that the template lists, of which "
                                         "a run uses the first")
                            ->type_name("NAME");
    command->add_option("--device", flags->device, "Product of the netlist (see 'ttsim devices')")
        ->excludes(arch)
        ->type_name("NAME");
    // formatted when printed, since it reads the configuration folder
    command->footer([] {
        return fmt::format(
            "Templates: {}\n\n"
            "Examples:\n"
            "  ttsim new mlp && ttsim run mlp.yaml\n"
            "  ttsim new softmax --device wh_n150 -o mine.yaml",
            fmt::join(template_names(), ", "));
    });
    command->callback([flags] { run(*flags); });
}

}  // namespace ttsim::impl::cli
