// Names of repeated parts: what stands in every layer of a model, and differs in its number alone.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ttsim::impl::trace {

/// Parts that stand for each other are alike (of one type and size) and have names that differ in one number:
/// "layers.0.exp" and "layers.11.exp" are "layers.*.exp". Where several numbers would do, the one that joins most.
class NameGroups {
public:
    struct Part {
        std::string name, likeness;  ///< likeness: equal for parts that may stand for each other
    };
    struct Group {
        std::string name;                  ///< with "*" for the number; others may have the same
        std::vector<std::string> members;  ///< two or more, as they were given
    };
    explicit NameGroups(const std::vector<Part>& parts);

    /// The group of a part; nullptr where it is alone, or unknown.
    const Group* group(const std::string& name) const;

private:
    std::map<std::string, const Group*> by_name_;
    std::map<std::pair<std::string, std::string>, Group> groups_;  ///< by name and likeness
};

}  // namespace ttsim::impl::trace
