#include "analysis/trace/repeated_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/trace/name_groups.hpp"

namespace ttsim::impl::trace {

namespace {

/// Groups of the run's ops and queues; grouped parts have the same type and size.
NameGroups groups_of(Reader& trace) {
    std::vector<NameGroups::Part> parts;
    Statement ops(trace.database(), "SELECT DISTINCT name, type || ' ' || tiles * grid_r * grid_c FROM op");
    while (ops.step()) parts.push_back({ops.text(0), "op " + ops.text(1)});
    Statement queues(trace.database(), "SELECT name, type || ' ' || format || ' ' || entry_bytes FROM queue");
    while (queues.step()) parts.push_back({queues.text(0), "queue " + queues.text(1)});
    return NameGroups(parts);
}

/// Kinds of causes that belong to ops or queues and may occur in every layer; links, channels and loads do not.
bool is_repeatable(RootKind kind) {
    switch (kind) {
        case RootKind::Op:
        case RootKind::Pipe:
        case RootKind::Reads:
        case RootKind::Writes:
        case RootKind::Buffer:
        case RootKind::Entries:
        case RootKind::Sends:
            return true;
        case RootKind::Dram:
        case RootKind::Host:
        case RootKind::Ethernet:
        case RootKind::NocLink:
        case RootKind::Load:
            break;
    }
    return false;
}

using Group = NameGroups::Group;

std::string group_name_of(const Group* group, const std::string& name) { return group ? group->name : name; }

std::string with_group(std::string place, const std::string& name, const Group* group) {
    const std::string from = fmt::format("'{}'", name);
    if (const std::size_t at = place.find(from); group && at != std::string::npos)
        place.replace(at, from.size(), fmt::format("'{}'", group->name));
    return place;
}

void join(Reason& into, Reason&& more) {
    into.members.push_back(more.root);
    into.epochs += more.epochs;
    if (more.root.cycles <= into.root.cycles) return;
    into.root = std::move(more.root);
    into.worst_epoch = more.worst_epoch;
}

/// Adds members of the group that were not waited for, since they would limit next.
void add_others(Reason& cause, const Group& group) {
    for (const std::string& name : group.members) {
        const auto known = [&](const Root& member) { return member.op == name; };
        if (std::any_of(cause.members.begin(), cause.members.end(), known)) continue;
        cause.members.push_back({cause.root.kind, "", name, "", 0, 0, false, ""});
    }
}

void name_all(Reason& cause, const Group* op, const Group* other) {
    Root& root = cause.root;
    cause.op = group_name_of(op, root.op);
    cause.other = group_name_of(other, root.other);
    root.place = fmt::format("{} ({} of them)", with_group(with_group(root.place, root.op, op), root.other, other),
                             cause.members.size());
    std::stable_sort(cause.members.begin(), cause.members.end(),
                     [](const Root& a, const Root& b) { return a.cycles > b.cycles; });
}

}  // namespace

std::vector<Reason> joined(Reader& trace, std::vector<Reason> causes) {
    const NameGroups groups = groups_of(trace);
    using Called = std::pair<const Group*, std::string>;  // a group, or the name of a part without group
    const auto key_of = [&](const std::string& name) {
        const Group* group = groups.group(name);
        return Called{group, group ? "" : name};
    };
    std::map<std::tuple<RootKind, bool, Called, Called>, std::size_t> places;
    std::vector<Reason> all;
    for (Reason& cause : causes) {
        const Root& root = cause.root;
        const auto [found, fresh] =
            places.try_emplace({root.kind, root.fork, key_of(root.op), key_of(root.other)}, all.size());
        if (fresh || !is_repeatable(root.kind))
            all.push_back(std::move(cause));
        else
            join(all[found->second], std::move(cause));
    }
    for (Reason& cause : all) {
        if (!is_repeatable(cause.root.kind)) continue;
        const Group *op = groups.group(cause.root.op), *other = groups.group(cause.root.other);
        if (op && cause.root.other.empty()) add_others(cause, *op);
        if (cause.members.size() > 1) name_all(cause, op, other);
    }
    return all;
}

}  // namespace ttsim::impl::trace
