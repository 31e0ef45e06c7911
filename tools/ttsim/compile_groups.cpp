#include "tools/ttsim/compile_groups.hpp"

#include <vector>

#include "base/error.hpp"

namespace ttsim::impl::cli {

namespace {

struct Group {
    const char* heading;
    std::vector<const char*> options;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"Model", {"--input", "--constant", "--shape", "--signature", "--output-names"}},
        {"Number formats and accuracy", {"--write-format-rules"}},
        {"Schedule", {"--override"}},
        {"Results",
         {"--output", "--force", "--tti-format", "--keep-passes", "--reportify", "--explain", "--explain-op",
          "--time-passes", "--json", "--report"}},
        {"General", {"--help", "--color", "--options", "--print-options"}},
    };
    return all;
}

}  // namespace

void group_compile_options(CLI::App& command) {
    for (const Group& group : groups())
        for (const char* name : group.options)
            if (CLI::Option* option = command.get_option_no_throw(name)) option->group(group.heading);
    for (const CLI::Option* option : command.get_options())
        TT_CHECK(option->get_positional() || option->get_group() != "Options", "{} has no heading in {}",
                 option->get_name(), __FILE_NAME__);
}

}  // namespace ttsim::impl::cli
