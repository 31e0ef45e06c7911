#include "tests/sim/run_text.hpp"

#include <fmt/format.h>

#include <cstring>

#include "netlist/files/manifest.hpp"
#include "tests/netlist/temp_folder.hpp"

namespace ttsim::impl::test {

static Outcome run_with(const std::string& text, sim::RunOptions options) {
    static int number = 0;
    const std::string name = fmt::format("n{}", number++);
    options.netlist = write_temp(name + ".yaml", text);
    const std::filesystem::path dump = temp_folder() / (name + "_io");
    if (options.mode != sim::Mode::Timing) options.dump_dir = dump.string();
    Outcome outcome;
    try {
        outcome.report = sim::run(options);
    } catch (const Error& error) {
        outcome.error = error.what();
        outcome.exit_code = error.exit_code();
    }
    if (std::filesystem::exists(dump / "manifest.json")) {
        const Manifest manifest = read_manifest(dump.string());
        for (const auto& [list, arrays] :
             {std::pair(&manifest.inputs, &outcome.inputs), std::pair(&manifest.outputs, &outcome.outputs)})
            for (const ManifestEntry& entry : *list)
                (*arrays)[entry.queue] = read_npy((dump / entry.file).string(), false);
    }
    std::error_code ignored;
    std::filesystem::remove_all(dump, ignored);
    return outcome;
}

Outcome run_text(const std::string& text, sim::Mode mode, sim::RunOptions options) {
    options.mode = mode;
    options.numerics = Numerics::Float32;
    return run_with(text, std::move(options));
}

Outcome run_real(const std::string& text, sim::Mode mode, sim::RunOptions options) {
    options.mode = mode;
    options.numerics = Numerics::Real;
    return run_with(text, std::move(options));
}

Outcome run_exact(const std::string& text, sim::Mode mode, sim::RunOptions options) {
    options.mode = mode;
    options.numerics = Numerics::Exact;
    return run_with(text, std::move(options));
}

std::string verdicts(const Outcome& outcome) {
    if (!outcome.error.empty()) return outcome.error;
    std::string text;
    for (const sim::OutputReport& output : outcome.report.outputs) {
        const sim::Verdict verdict = output.verdict();
        const bool passes = verdict == sim::Verdict::Pass && output.result.strict_pass;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", output.queue,
                            passes ? "passes"
                            : verdict == sim::Verdict::Mismatch || verdict == sim::Verdict::Pass
                                ? fmt::format("fails ({})", output.result.first_failure)
                                : to_string(verdict));
    }
    return text;
}

std::vector<std::string> differing(const Outcome& a, const Outcome& b) {
    std::vector<std::string> names;
    for (const auto& [name, array] : a.outputs) {
        const auto other = b.outputs.find(name);
        bool same = other != b.outputs.end() && other->second.entries.size() == array.entries.size();
        for (std::size_t n = 0; same && n < array.entries.size(); ++n) {
            const auto& x = array.entries[n].data;
            const auto& y = other->second.entries[n].data;
            same = x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
        }
        if (!same) names.push_back(name);
    }
    if (a.outputs.size() != b.outputs.size()) names.emplace_back("(number of queues)");
    return names;
}

}  // namespace ttsim::impl::test
