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
        {"Model", {"--input", "--constant", "--shape", "--seed", "--intermediates"}},
        {"Device", {"--device", "--num-chips", "--harvested-rows", "--cluster"}},
        {"Number formats and accuracy",
         {"--default-df", "--accumulate-df", "--math-fidelity", "--amp", "--amp-light", "--target-pcc", "--trials",
          "--format-rules", "--write-format-rules", "--no-bias-correction", "--no-stable-softmax"}},
        {"Schedule",
         {"--optimize", "--effort", "--policy", "--microbatch", "--self-cut", "--loops", "--conv-fracture",
          "--no-auto-fusing", "--fuse-gelu", "--no-t-streaming", "--no-column-order", "--override", "--overrides"}},
        {"Memory and host",
         {"--dram-placement", "--queue-channel", "--dynamic-queues", "--host-inputs", "--host-outputs", "--prestride",
          "--no-host-fallback"}},
        {"Results",
         {"--output", "--force", "--tti-format", "--keep-names", "--keep-passes", "--reportify", "--explain",
          "--explain-op", "--json"}},
        {"General", {"--help", "--threads", "--color"}},
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
