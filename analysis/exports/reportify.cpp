#include "analysis/exports/reportify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/exports/reportify_parts.hpp"
#include "analysis/exports/text_files.hpp"
#include "base/yaml_tree.hpp"
#include "netlist/checks/instances.hpp"
#include "netlist/device/descriptor_text.hpp"
#include "netlist/text/writer.hpp"

namespace ttsim::impl::report {

namespace {

using Json = nlohmann::ordered_json;

/// A YAML scalar as JSON: integer, number, boolean or null; everything else is text.
Json scalar_json(const YamlNode& node) {
    if (node.quoted) return node.scalar;
    if (node.scalar == "true" || node.scalar == "false") return node.scalar == "true";
    if (node.scalar.starts_with("0x") && node.scalar.size() < 18) {
        std::size_t read = 0;
        const unsigned long long value = std::stoull("0" + std::string(node.scalar.substr(2)), &read, 16);
        if (read == node.scalar.size() - 1) return value;
        return node.scalar;
    }
    const Json number = Json::parse(node.scalar, nullptr, false);
    return number.is_number() ? number : Json(node.scalar);
}

Json yaml_json(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Null:
            return nullptr;
        case YamlNode::Kind::Scalar:
            return scalar_json(node);
        case YamlNode::Kind::Sequence: {
            Json list = Json::array();
            for (const auto& item : node.items) list.push_back(yaml_json(*item));
            return list;
        }
        case YamlNode::Kind::Map: {
            Json map = Json::object();
            for (const auto& [key, value] : node.entries) map[key->scalar] = yaml_json(*value);
            return map;
        }
    }
    return nullptr;
}

/// "22-cut-host-2.optimized" -> "optimized_graph"; a pass without a stage keeps its number.
std::string pass_file(const std::string& pass) {
    if (pass.ends_with("-initial")) return "initial_graph";
    const std::size_t dot = pass.rfind('.');
    if (dot == std::string::npos) return pass;
    const std::string stage = pass.substr(dot + 1);
    const bool graph = stage == "decomposed" || stage == "consteval" || stage == "optimized";
    return graph ? stage + "_graph" : stage;
}

/// Epochs in which a queue has memory: from the allocate before one of the programs' executes to the deallocate.
struct Lifetime {
    std::int64_t first = 0, last = -1;  ///< last < 0: until the end
};

std::map<std::string, Lifetime> lifetimes(const Netlist& netlist) {
    std::map<std::string, Lifetime> all;
    std::int64_t epoch = 0;
    for (const Program& program : netlist.programs)
        for (const Instruction& one : program.instructions) {
            if (one.kind == Instruction::Kind::Execute) ++epoch;
            if (one.kind == Instruction::Kind::Allocate)
                for (const std::string& queue : one.queues) all[queue].first = epoch;
            if (one.kind == Instruction::Kind::Deallocate)
                for (const std::string& queue : one.queues) all[queue].last = epoch;
        }
    return all;
}

void write_epochs(const Netlist& netlist, const std::string& folder) {
    const std::string pass = "post_placer";
    const auto write = [&](const std::string& name, const Json& json) { write_json(folder, name, json); };
    write(fmt::format("epoch_reports/EpochType/{0}{0}Forward.buda", pass), netlist_buda(netlist));
    for (std::size_t epoch = 0; epoch < netlist.graphs.size(); ++epoch)
        write(fmt::format("epoch_reports/EpochId/{0}{0}_epoch_id_{1}.buda", pass, epoch), netlist_buda(netlist, epoch));
}

}  // namespace

Json placement_json(const Netlist& netlist, const ChipInstance& chip) {
    return {{"netlist", yaml_json(*load_yaml_text(write_netlist(netlist), "netlist"))},
            {"device_info", yaml_json(*load_yaml_text(soc_descriptor_text(chip), "device"))}};
}

Json dram_json(const Netlist& netlist, const std::string& test) {
    const std::map<std::string, Lifetime> lives = lifetimes(netlist);
    std::map<std::int64_t, Json> banks;
    for (const Queue& queue : netlist.queues) {
        if (queue.where != QueueLoc::Dram || !queue.alias.empty()) continue;
        const auto life = lives.find(queue.name);
        for (const BufferAddress& at : queue.buffers) {
            Json entry{{"queue_name", queue.name},
                       {"base", at.address},
                       {"size", queue_buffer_bytes(queue)},
                       {"allocation_cycle", life == lives.end() ? 0 : life->second.first}};
            if (life != lives.end() && life->second.last >= 0) entry["deallocation_cycle"] = life->second.last;
            banks.try_emplace(at.channel, Json::array()).first->second.push_back(std::move(entry));
        }
    }
    Json json{{"test_name", test}, {"dram", 1}};
    for (auto& [bank, queues] : banks) json[fmt::format("Dynamic DRAM Map for Bank {}", bank)] = std::move(queues);
    return json;
}

void write_reportify(const ir::CompiledModel& model, const Machine& machine, const std::string& test,
                     const std::string& folder, const std::string& shown) {
    write_text(folder, "summary.yaml",
               fmt::format("content:\n  name: {}\n  output-dir: {}\ntype: summary\n", Json("ll-sw." + test).dump(),
                           Json(shown).dump()));
    for (const ir::PassGraph& pass : model.passes)
        write_json(folder, fmt::format("buda_reports/Passes/{}.buda", pass_file(pass.name)),
                   pass_buda(Json::parse(pass.json)));
    write_json(folder, "buda_reports/Passes/post_placer.buda", netlist_buda(model.netlist));
    write_epochs(model.netlist, folder);
    write_json(folder, "placement_reports/placement.json", placement_json(model.netlist, machine.chips.front()));
    write_json(folder, "memory_reports/memory_dram_dynamic_analysis.json", dram_json(model.netlist, test));
}

}  // namespace ttsim::impl::report
