// ttsim vectors: checks the bit-true arithmetic against a folder of recorded register and memory contents.
#include <memory>

#include "base/error.hpp"
#include "tools/common/output.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/validation/vectors/report.hpp"

namespace ttsim::impl::cli {

void add_vectors(CLI::App& app, int& exit_status) {
    struct Flags {
        std::string folder;
        bool json = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command =
        app.add_subcommand("vectors", "Check the bit-true arithmetic against recorded register and memory contents");
    command->add_option("folder", flags->folder, "Folder with index.json and .npy arrays (docs/vectors.md)")
        ->required()
        ->option_text("FOLDER");
    command->add_flag("--json", flags->json, "Print every entry as JSON");
    command->footer(
        "Exit codes: 0 all elements equal, 1 an element differs, 2 the folder cannot be read or has nothing to "
        "compare.\n\n"
        "Examples:\n"
        "  ttsim vectors vectors/dev\n"
        "  ttsim vectors vectors/dev --json");
    command->callback([flags, &exit_status] {
        const VectorReport report = check_vectors(flags->folder);
        print_text(flags->json ? vector_json(report) : vector_table(report));
        if (!report.compared())
            fail_input({flags->folder + "/index.json", 0, 0},
                       "nothing was compared: no entry of 'entries' has elements to compare");
        if (!report.pass()) exit_status = 1;
    });
}

}  // namespace ttsim::impl::cli
