#include "netlist/text/reader.hpp"

#include "isa/arch.hpp"
#include "netlist/text/read_parts.hpp"

namespace ttsim::impl {

using namespace reading;

static void read_devices(Context& ctx, const YamlNode& node, Netlist& into) {
    if (!ctx.is_map(node, "'devices'")) return;
    const std::vector<std::string> known = chip_names();
    bool has_arch = false;
    for (const auto& [key, value] : node.entries) {
        if (key->scalar != "arch") {
            ctx.problems.error(ctx.at(*key), "'devices' has no field '{}'{}", key->scalar,
                               did_you_mean(key->scalar, {"arch"}));
            continue;
        }
        has_arch = true;
        into.arch_loc = ctx.at(*value);
        into.archs.clear();
        const std::span<const YamlPtr> items = value->is_sequence() ? value->items : std::span(&value, 1);
        for (const YamlPtr& item : items)
            ctx.attempt([&] {
                const std::string name = choice(ctx, *item, "arch", known);
                if (std::find(into.archs.begin(), into.archs.end(), name) == into.archs.end())
                    into.archs.push_back(name);
            });
        if (items.empty()) ctx.problems.error(ctx.at(*value), "'arch' is an empty list; it must name a chip");
    }
    if (!has_arch) ctx.problems.error(ctx.at(node), "'devices' needs the field 'arch'");
}

static void read_root(Context& ctx, const YamlNode& root, Netlist& into) {
    using Read = void (*)(Context&, const YamlNode&, Netlist&);
    static const std::vector<std::pair<std::string, Read>> parts{
        {"devices", read_devices},
        {"queues", read_queues},
        {"graphs", read_graphs},
        {"programs", read_programs},
        {"fused_ops", read_fused_ops},
        {"test-config", [](Context& c, const YamlNode& node, Netlist& n) { read_test_config(c, node, n.test); }},
        {"performance-check",
         [](Context& c, const YamlNode& node, Netlist& n) { read_performance_check(c, node, n.performance); }},
    };
    if (!ctx.is_map(root, "the netlist")) return;
    std::vector<std::string> known;
    for (const auto& [name, read] : parts) known.push_back(name);
    bool has_devices = false;
    for (const auto& [key, value] : root.entries) {
        const std::string_view name = key->scalar;
        const auto part = std::find(known.begin(), known.end(), name);
        if (part == known.end()) {
            ctx.problems.error(ctx.at(*key), "a netlist has no '{}'{}", name, did_you_mean(name, known));
            continue;
        }
        if (name == "queues" && !into.graphs.empty())
            ctx.problems.error(ctx.at(*key), "'queues' must come before 'graphs', whose ops use them");
        has_devices = has_devices || name == "devices";
        parts[static_cast<std::size_t>(part - known.begin())].second(ctx, *value, into);
    }
    if (!has_devices)
        ctx.problems.error(ctx.at(root), "the netlist needs the key 'devices', such as devices: {{arch: grayskull}}");
}

/// Limits the number of reported problems.
static void throw_problems(const Diagnostics& problems) {
    constexpr std::size_t max_reported = 200;
    if (problems.size() <= max_reported) return problems.throw_if_any();
    Diagnostics reported;
    for (std::size_t k = 0; k < max_reported; ++k) {
        const Problem& item = problems.items()[k];
        reported.add(item.fault, item.loc, item.message);
    }
    reported.error(problems.items()[max_reported].loc, "and {} more problems from here on",
                   problems.size() - max_reported);
    reported.throw_if_any();
}

static Netlist read_tree(const YamlRoot& root, const std::string& name) {
    Context ctx{.file = name, .problems = {}, .field = {}};
    Netlist netlist;
    netlist.file = name;
    read_root(ctx, *root, netlist);
    throw_problems(ctx.problems);
    netlist.notes = std::move(ctx.notes);
    return netlist;
}

Netlist read_netlist(const std::string& file) { return read_tree(load_yaml_file(file), file); }

Netlist read_netlist_text(const std::string& text, const std::string& name) {
    return read_tree(load_yaml_text(text, name), name);
}

}  // namespace ttsim::impl
