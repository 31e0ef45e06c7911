#include "sim/settings/idealized_resources.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl::sim {

namespace {

[[noreturn]] void refuse(const std::string& word) {
    fail_input(
        {}, "'{}' is not one of noc, eth, host, load, dram, dram:CHANNEL, op:NAME, pipes:NAME, sends:NAME, room:NAME",
        word);
}

std::int64_t channel_of(const std::string& word, const std::string& number) {
    if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
        refuse(word);
    return std::stoll(number);
}

void add(IdealizedResources& parts, const std::string& word) {
    const std::size_t colon = word.find(':');
    const std::string kind = word.substr(0, colon), name = colon == std::string::npos ? "" : word.substr(colon + 1);
    if (colon != std::string::npos && name.empty()) refuse(word);
    if (colon == std::string::npos) {
        for (const auto& [known, flag] : {std::pair{"noc", &parts.noc},
                                          {"eth", &parts.ethernet},
                                          {"host", &parts.host},
                                          {"load", &parts.load},
                                          {"dram", &parts.dram}})
            if (kind == known) {
                *flag = true;
                return;
            }
        refuse(word);
    }
    if (kind == "dram") {
        parts.dram_channels.insert(channel_of(word, name));
        return;
    }
    for (const auto& [known, names] :
         {std::pair{"op", &parts.ops}, {"pipes", &parts.pipes}, {"sends", &parts.sends}, {"room", &parts.room}})
        if (kind == known) {
            names->insert(name);
            return;
        }
    refuse(word);
}

}  // namespace

bool IdealizedResources::any() const {
    return noc || ethernet || host || load || dram || !dram_channels.empty() || !ops.empty() || !pipes.empty() ||
           !sends.empty() || !room.empty();
}

void check_names(const IdealizedResources& parts, const Netlist& netlist) {
    std::vector<std::string> known;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) known.push_back(op.name());
    for (const auto* names : {&parts.ops, &parts.pipes, &parts.sends, &parts.room})
        for (const std::string& name : *names)
            if (!netlist.find_op(name))
                fail_input({netlist.file, 0, 0}, "the netlist has no op '{}' to idealize{}", name,
                           did_you_mean(name, known));
}

IdealizedResources parse_idealized_resources(const std::vector<std::string>& words) {
    IdealizedResources parts;
    for (const std::string& word : words) add(parts, word);
    return parts;
}

}  // namespace ttsim::impl::sim
