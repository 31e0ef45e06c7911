#include "analysis/debug/arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace ttsim::impl::debug {

void expect(const Words& words, std::size_t least, std::size_t most, const std::string& usage) {
    if (words.size() < least || words.size() > most) fail_input({}, "usage: {}", usage);
}

static bool parse(std::string_view word, int base, std::int64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() && !word.empty() && value >= 0;
}

std::int64_t number(const std::string& word, const std::string& what) {
    std::int64_t value = 0;
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (!parse(hex ? std::string_view(word).substr(2) : std::string_view(word), hex ? 16 : 10, value))
        fail_input({}, "'{}' is not a valid {}: use an integer, such as 12 or 0x1000", word, what);
    return value;
}

static Words queue_names(const Netlist& netlist) {
    Words names;
    for (const Queue& queue : netlist.queues) names.push_back(queue.name);
    return names;
}

static Words op_names(const Netlist& netlist) {
    Words names;
    for (const Graph& graph : netlist.graphs)
        for (const Op& op : graph.ops) names.push_back(op.name());
    return names;
}

const Queue& find_queue(const Netlist& netlist, const std::string& name) {
    if (const Queue* queue = netlist.find_queue(name)) return *queue;
    fail_input({}, "the netlist has no queue '{}'{}", name, did_you_mean(name, queue_names(netlist)));
}

const Op& find_op(const Netlist& netlist, const std::string& name) {
    if (const Op* op = netlist.find_op(name)) return *op;
    fail_input({}, "the netlist has no op '{}'{}", name, did_you_mean(name, op_names(netlist)));
}

const Op* find_op_or_queue(const Netlist& netlist, const std::string& name, const Queue*& queue) {
    queue = netlist.find_queue(name);
    if (queue) return nullptr;
    if (const Op* op = netlist.find_op(name)) return op;
    Words known = op_names(netlist);
    for (std::string& other : queue_names(netlist)) known.push_back(std::move(other));
    fail_input({}, "the netlist has no op or queue '{}'{}", name, did_you_mean(name, known));
}

std::string name_of(NocCoord at) { return fmt::format("{}-{}", at.x, at.y); }

std::optional<NocCoord> place(const std::string& word) {
    const std::size_t dash = word.find('-');
    std::int64_t x = 0, y = 0;
    if (dash == std::string::npos || !parse(std::string_view(word).substr(0, dash), 10, x) ||
        !parse(std::string_view(word).substr(dash + 1), 10, y) || x > 1000 || y > 1000)
        return std::nullopt;
    return NocCoord{static_cast<int>(x), static_cast<int>(y)};
}

}  // namespace ttsim::impl::debug
