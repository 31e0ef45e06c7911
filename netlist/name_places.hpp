// Where the names of a netlist are: what Netlist::find_queue() and its like look up.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ttsim::impl {

struct Netlist;

/// Positions by name. They stay valid in copies of the netlist.
class NamePlaces {
public:
    enum class Kind : unsigned char { Queue, Op };
    struct Place {
        Kind kind = Kind::Queue;
        std::size_t at = 0;     ///< in `queues`, or in `graphs` for ops
        std::size_t op_at = 0;  ///< in the ops of that graph
    };

    explicit NamePlaces(const Netlist& netlist);

    const Place* find(std::string_view name) const;         ///< of a queue or an op; null if unknown
    const std::size_t* graph(std::string_view name) const;  ///< null if unknown
    /// Queues that this op writes, in file order.
    const std::vector<std::size_t>& written_by(std::string_view op) const;
    std::size_t queues() const { return queues_; }

private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    template <class Value>
    using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

    std::size_t queues_ = 0;
    ByName<Place> places_;
    ByName<std::size_t> graphs_;
    ByName<std::vector<std::size_t>> written_;
};

}  // namespace ttsim::impl
