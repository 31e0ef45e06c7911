#include "netlist/program/parameters.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ttsim::impl {

namespace {

std::string without_dollar(const std::string& name) { return name.starts_with('$') ? name.substr(1) : name; }

/// Normalizes names: "$p_loop_count" and "loop_count" are equivalent.
std::string without_prefix(const std::string& name) {
    std::string text = without_dollar(name);
    return text.starts_with("p_") ? text.substr(2) : text;
}

std::vector<std::string> declared(const Program& program) {
    std::vector<std::string> names;
    for (const Instruction& instruction : program.instructions)
        if (instruction.kind == Instruction::Kind::Param)
            for (const auto& [name, unused] : instruction.variables) names.push_back(name);
    return names;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The value of the first of these test-args in the file.
std::optional<ChosenParameter> from_args(const Netlist& netlist, const std::string& name,
                                         std::initializer_list<std::string> args) {
    for (const std::string& arg : args)
        if (const auto found = netlist.test.args.find(arg); found != netlist.test.args.end())
            return ChosenParameter{name, found->second, "test-arg " + arg};
    return std::nullopt;
}

ChosenParameter by_name(const Netlist& netlist, const std::string& name) {
    const std::string key = without_prefix(name);
    if (key == "microbatch_size") {
        std::int64_t max_count = 1;
        for (const Graph& graph : netlist.graphs) max_count = std::max(max_count, graph.input_count);
        return {name, max_count, "largest input_count"};
    }
    if (key.ends_with("loop_count") || key == "num_loops")
        return from_args(netlist, name, {"microbatch_count", "program_loop_count"})
            .value_or(ChosenParameter{name, 1, "default"});
    if (has(key, "zero")) return {name, 1, "default of a 'zero' name"};
    if (key.starts_with("cache_"))
        return from_args(netlist, name, {"cache_write_index"}).value_or(ChosenParameter{name, 0, "default"});
    if (key.ends_with("_incr"))
        return from_args(netlist, name, {has(key, "outer") ? "outer_increment" : "inner_increment"})
            .value_or(ChosenParameter{name, 0, "default"});
    return {name, 1, "default"};
}

void check_given(const Netlist& netlist, const std::map<std::string, std::int64_t>& given) {
    std::vector<std::string> known;
    for (const Program& program : netlist.programs)
        for (const std::string& name : declared(program)) known.push_back(without_dollar(name));
    Diagnostics problems;
    for (const auto& [name, unused] : given)
        if (std::find(known.begin(), known.end(), without_dollar(name)) == known.end())
            problems.error({}, "--param {}: no program of {} declares it{}", name, netlist.file,
                           did_you_mean(without_dollar(name), known));
    problems.throw_if_any();
}

}  // namespace

std::vector<ChosenParameter> choose_parameters(const Netlist& resolved, const Program& program,
                                               const std::map<std::string, std::int64_t>& given) {
    check_given(resolved, given);
    std::vector<ChosenParameter> chosen;
    for (const std::string& name : declared(program)) {
        const auto flag = std::find_if(given.begin(), given.end(),
                                       [&](const auto& g) { return without_dollar(g.first) == without_dollar(name); });
        if (flag != given.end())
            chosen.push_back({name, flag->second, "--param"});
        else if (const auto same = from_args(resolved, name, {without_dollar(name), without_prefix(name)}))
            chosen.push_back(*same);
        else
            chosen.push_back(by_name(resolved, name));
    }
    return chosen;
}

}  // namespace ttsim::impl
