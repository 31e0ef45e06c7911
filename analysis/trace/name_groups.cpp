#include "analysis/trace/name_groups.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl::trace {

namespace {

/// The names obtained by replacing each number of a name by "*".
std::vector<std::string> starred(const std::string& name) {
    static constexpr const char* digits = "0123456789";
    std::vector<std::string> all;
    for (std::size_t at = name.find_first_of(digits); at != std::string::npos;) {
        const std::size_t end = std::min(name.find_first_not_of(digits, at), name.size());
        all.push_back(name.substr(0, at) + "*" + name.substr(end));
        at = name.find_first_of(digits, end);
    }
    return all;
}

}  // namespace

NameGroups::NameGroups(const std::vector<Part>& parts) {
    using Key = std::pair<std::string, std::string>;  // starred name, signature
    std::map<Key, std::set<std::string>> joined;
    for (const Part& part : parts)
        for (const std::string& name : starred(part.name)) joined[{name, part.signature}].insert(part.name);
    for (const Part& part : parts) {
        const std::set<std::string>* most = nullptr;
        std::string chosen;
        for (const std::string& name : starred(part.name)) {
            const std::set<std::string>& all = joined.at({name, part.signature});
            if (all.size() < 2 || (most && all.size() <= most->size())) continue;
            most = &all;
            chosen = name;
        }
        if (!most || by_name_.contains(part.name)) continue;
        Group& group = groups_[{chosen, part.signature}];
        group.name = chosen;
        group.members.push_back(part.name);
        by_name_[part.name] = &group;
    }
}

const NameGroups::Group* NameGroups::group(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() || found->second->members.size() < 2 ? nullptr : found->second;
}

}  // namespace ttsim::impl::trace
