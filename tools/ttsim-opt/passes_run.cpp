#include "tools/ttsim-opt/passes_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <sstream>

#include "base/phase_times.hpp"
#include "tools/ttsim-opt/values.hpp"

namespace ttsim::impl::cli {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

using Lines = std::span<const std::string>;

/// Differences by the longest common subsequence; of texts too large for its table all lines differ.
std::string differences(Lines a, Lines b) {
    std::string out;
    constexpr std::size_t most_cells = std::size_t{1} << 24;
    if (a.size() * b.size() > most_cells) {
        for (const std::string& line : a) out += "-" + line + "\n";
        for (const std::string& line : b) out += "+" + line + "\n";
        return out;
    }
    const std::size_t wide = b.size() + 1;
    std::vector<std::uint32_t> common((a.size() + 1) * wide);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            common[i * wide + j] = a[i] == b[j] ? common[(i + 1) * wide + j + 1] + 1
                                                : std::max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            ++i, ++j;
        } else if (j == b.size() || (i < a.size() && common[(i + 1) * wide + j] >= common[i * wide + j + 1])) {
            out += "-" + a[i++] + "\n";
        } else {
            out += "+" + b[j++] + "\n";
        }
    }
    return out;
}

void say(const PassesRun& run, const std::string& text) {
    if (run.print) run.print(text);
}

}  // namespace

std::string changed_lines(const std::string& before, const std::string& after) {
    const std::vector<std::string> a = lines_of(before), b = lines_of(after);
    std::size_t first = 0, last = 0;
    while (first < std::min(a.size(), b.size()) && a[first] == b[first]) ++first;
    while (last + first < std::min(a.size(), b.size()) && a[a.size() - 1 - last] == b[b.size() - 1 - last]) ++last;
    return differences(Lines(a).subspan(first, a.size() - first - last),
                       Lines(b).subspan(first, b.size() - first - last));
}

std::optional<ChangedValues> run_passes(ir::Graph& graph, const PassesRun& run) {
    const auto text = [&] { return ir::print_graph(graph, run.elide); };
    std::optional<PhaseTimes> times;
    if (run.time_passes) times.emplace("passes");
    std::optional<ValueCheck> values;
    if (run.verify_values) values.emplace(graph, run.tolerance);
    for (const ir::Pass* pass : run.passes) {
        if (run.print_before.contains(pass->name)) say(run, fmt::format("// before {}\n{}\n", pass->name, text()));
        const std::string before = run.print_changed ? text() : "";
        ir::run_passes(graph, std::span(&pass, 1), *run.options, run.verify);
        if (run.print_changed)
            if (const std::string changed = changed_lines(before, text()); !changed.empty())
                say(run, fmt::format("// {}\n{}\n", pass->name, changed));
        if (run.print_after_all || run.print_after.contains(pass->name))
            say(run, fmt::format("// after {}\n{}\n", pass->name, text()));
        if (!values) continue;
        if (pass->name == "cut-host") {  // the graph is that of the device now
            values.emplace(graph, run.tolerance);
            continue;
        }
        if (const auto wrong = values->compare(graph))
            return ChangedValues{std::string(pass->name), wrong->output, wrong->difference, wrong->allowed};
    }
    if (times) std::fputs(phase_table(times->end()).c_str(), stderr);
    return std::nullopt;
}

}  // namespace ttsim::impl::cli
