// Groups of repeated parts of a model (layers), whose names differ in one number only.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ttsim::impl::trace {

/// Parts are grouped when they have the same type and size and names that differ in one number: "layers.0.exp" and
/// "layers.11.exp" are "layers.*.exp". When several numbers are possible, the one with the largest group is used.
class NameGroups {
public:
    struct Part {
        std::string name, signature;  ///< signature: equal for parts that may be grouped
    };
    struct Group {
        std::string name;                  ///< with "*" for the number; not unique
        std::vector<std::string> members;  ///< two or more, in the given order
    };
    explicit NameGroups(const std::vector<Part>& parts);

    /// The group of a part; nullptr when it has none, or is unknown.
    const Group* group(const std::string& name) const;

private:
    std::map<std::string, const Group*> by_name_;
    std::map<std::pair<std::string, std::string>, Group> groups_;  ///< by name and signature
};

}  // namespace ttsim::impl::trace
