// ttsim compile: a model in, a netlist with its weights out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "compiler/compile.hpp"
#include "tools/ttsim/commands.hpp"
#include "tools/ttsim/output.hpp"

namespace tt::cli {

namespace {

struct Flags {
    ir::CompileOptions options;
    std::vector<std::string> inputs, constants, shapes;
    std::string df = "Float16_b", fidelity = "HiFi4", policy = "balanced";
    bool explain = false, no_stable_softmax = false, no_host_fallback = false;
};

ir::Dims dims_of(const std::string& text) {
    ir::Dims dims;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::int64_t d = 0;
        const auto [next, error] = std::from_chars(at, end, d);
        if (error != std::errc() || d < 1 || (next != end && *next != ',') || next + 1 == end)
            throw CLI::ValidationError("--shape", fmt::format("'{}' must be sizes such as 1,128,768", text));
        dims.push_back(d);
        at = next == end ? end : next + 1;
    }
    return dims;
}

void finish(Flags& flags) {
    ir::CompileOptions& o = flags.options;
    for (const std::string& text : flags.inputs) o.inputs.insert(name_and_value("--input", text));
    for (const std::string& text : flags.constants) o.constants.insert(name_and_value("--constant", text));
    for (const std::string& text : flags.shapes) {
        const auto [name, value] = name_and_value("--shape", text);
        o.shapes[name] = dims_of(value);
    }
    const auto df = parse_format(flags.df);
    if (!df || is_integer(*df) || is_raw(*df))
        throw CLI::ValidationError("--default-df", "'" + flags.df + "' is no float format");
    o.default_df = *df;
    const auto fidelity = parse_fidelity(flags.fidelity);
    if (!fidelity) throw CLI::ValidationError("--math-fidelity", "'" + flags.fidelity + "' is no fidelity");
    o.fidelity = *fidelity;
    const auto policy = ir::parse_policy(flags.policy);
    if (!policy)
        throw CLI::ValidationError("--policy", fmt::format("'{}' is no policy{}; there are {}", flags.policy,
                                                           did_you_mean(flags.policy, ir::policy_names()),
                                                           fmt::join(ir::policy_names(), ", ")));
    o.schedule.policy = *policy;
    o.schedule.seed = o.seed;
    o.stable_softmax = !flags.no_stable_softmax;
    o.host_fallback = !flags.no_host_fallback;
    o.command = "ttsim compile " + o.model + " --device " + o.device + " --default-df " + flags.df +
                " --math-fidelity " + flags.fidelity + " --policy " + flags.policy +
                (o.microbatch > 1 ? fmt::format(" --microbatch {}", o.microbatch) : "");
}

void run(Flags& flags) {
    finish(flags);
    const ir::CompileReport report = ir::compile(flags.options);
    std::string text = fmt::format("{}: {} ops in {} epochs on {} ({}), {} constants, about {:.0f} cycles an input\n",
                                   flags.options.model, report.ops, report.epochs, flags.options.device, report.arch,
                                   report.constants, report.estimated_cycles);
    for (const std::string& line : report.host_steps) text += "host: " + line + "\n";
    if (flags.explain)
        for (const std::string& line : report.explanations) text += line + "\n";
    text += fmt::format("wrote {}: run it with 'ttsim run {}'\n", flags.options.out, flags.options.out);
    print_text(text);
}

}  // namespace

void add_compile(CLI::App& app) {
    auto flags = std::make_shared<Flags>();
    ir::CompileOptions& o = flags->options;
    CLI::App* command = app.add_subcommand("compile", "Turn an ONNX model into a netlist and its weights");
    command->add_option("model", o.model, "Model (.onnx), or a graph in text form")
        ->required()
        ->check(quiet(CLI::ExistingFile))
        ->type_name("FILE");
    command->add_option("-o,--output", o.out, "Folder for the result")->required()->type_name("DIR");
    command->add_option("--device", o.device, "Product to compile for (see 'ttsim devices'). Default: wh_n150")
        ->type_name("NAME");
    command->add_option("--input", flags->inputs, "Values of an input, .npy or .pb; repeatable. Others are generated")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE");
    command
        ->add_option("--constant", flags->constants,
                     "An input that never changes: its values are compiled in; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=FILE");
    command
        ->add_option("--shape", flags->shapes,
                     "Shape of an input with open dimensions, such as input=1,128,768; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=N,...");
    command->add_option("--default-df", flags->df, "Data format of tensors. Default: Float16_b")->type_name("FORMAT");
    command->add_option("--math-fidelity", flags->fidelity, "Fidelity of the multipliers. Default: HiFi4")
        ->type_name("NAME");
    command
        ->add_option("--policy", flags->policy,
                     "balanced: grids by estimated kernel times (default); minimize_grid: the smallest that fit; nlp: "
                     "one target for all; ribbon: grids of one height; random: any, by --seed")
        ->type_name("NAME");
    command
        ->add_option("--microbatch", o.microbatch, "Inputs that go through each epoch before the next. Default: 1")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_option("--seed", o.seed, "Seed of the generated inputs. Default: 0")->type_name("N");
    command->add_flag("--no-stable-softmax", flags->no_stable_softmax, "Leave the maximum out of softmax");
    command->add_flag("--no-host-fallback", flags->no_host_fallback,
                      "Refuse what would run on the host (look-ups of token ids, whole numbers), naming it");
    command->add_flag("--explain", flags->explain, "Print for each op which grids fit and which was chosen");
    command->footer(
        "Exits with 2 for a file that is no valid model, and with 4 when it holds what cannot be compiled.\n\n"
        "Examples:\n"
        "  ttsim compile model.onnx -o out && ttsim run out\n"
        "  ttsim compile model.onnx --device gs_e150 --shape input=1,3,224,224 --input input=cat.npy -o out");
    command->callback([flags] { run(*flags); });
}

}  // namespace tt::cli
