#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <list>
#include <random>
#include <string>
#include <vector>

#include "sim/machine/command_order.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::sim;

namespace {

/// Four FIFOs, four rams, and two aliases of the first ram.
Netlist queues() {
    Netlist netlist;
    netlist.queues.resize(10);
    for (std::size_t n = 4; n < netlist.queues.size(); ++n) netlist.queues[n].type = QueueType::Ram;
    netlist.queues[4].name = netlist.queues[8].alias = netlist.queues[9].alias = "base";
    return netlist;
}

class Commands {
public:
    Commands(const Netlist& netlist, std::uint32_t seed) : netlist_(netlist), random_(seed) {}

    /// A launch of one or two chips with some queues, or a command for one queue.
    CommandUse next() {
        CommandUse use;
        use.launch = below(4) > 0;
        for (std::size_t n = use.launch ? 1 + below(4) : 1; n > 0; --n) {
            const Queue& queue = netlist_.queues[below(netlist_.queues.size())];
            const std::size_t uses = use.launch ? below(4) : 3;  // seldom both
            use.queues.push_back({queue.alias.empty() ? &queue : &netlist_.queues[4],
                                  {.queue = &queue, .read = uses != 1, .written = uses == 1 || uses == 3}});
        }
        std::ranges::sort(use.queues, std::less<>(), &CommandUse::QueueMemory::owner);
        if (!use.launch) return use;
        const auto chip = static_cast<std::int64_t>(below(6));
        use.chips.push_back(chip);
        if (below(3) == 0) use.chips.push_back(chip + 1);
        return use;
    }
    std::size_t below(std::size_t end) { return random_() % end; }

private:
    const Netlist& netlist_;
    std::mt19937 random_;
};

/// The first command that is neither issued nor in conflict with one ahead of it that is not over.
const OrderedCommand* first_unblocked(const std::list<OrderedCommand>& window,
                                      const std::vector<const OrderedCommand*>& issued) {
    for (auto later = window.begin(); later != window.end(); ++later) {
        if (std::ranges::find(issued, &*later) != issued.end()) continue;
        const auto blocks = [&](const OrderedCommand& earlier) {
            return !earlier.over && conflict(earlier.use, later->use);
        };
        if (std::none_of(window.begin(), later, blocks)) return &*later;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("commands are issued in the order of comparing each with all ahead of it") {
    const Netlist netlist = queues();
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        Commands commands(netlist, seed);
        CommandOrder order(netlist);
        std::list<OrderedCommand> window;
        std::vector<const OrderedCommand*> issued;  // and not over
        std::size_t number = 0, issues = 0, reordered = 0;
        for (int round = 0; round < 300; ++round) {
            while (window.size() < 20) {
                OrderedCommand& command = window.emplace_back();
                command.use = commands.next();
                command.number = number++;
                order.add(command);
            }
            while (const OrderedCommand* const expected = first_unblocked(window, issued)) {
                OrderedCommand* const taken = order.take();
                REQUIRE(taken == expected);
                reordered += taken != &window.front();
                ++issues;
                issued.push_back(taken);
                if (!taken->use.launch) {  // over at once
                    order.finish(*taken);
                    issued.pop_back();
                    window.remove_if([&](const OrderedCommand& one) { return &one == taken; });
                }
            }
            REQUIRE(order.take() == nullptr);
            if (issued.empty()) continue;
            const OrderedCommand* const over = issued[commands.below(issued.size())];
            const auto at = std::ranges::find_if(window, [&](const OrderedCommand& one) { return &one == over; });
            std::erase(issued, over);
            order.finish(*at);
            window.erase(at);
            if (round % 50 != 49) continue;
            order.clear();  // as after a skip
            for (OrderedCommand& one : window) order.add(one, std::ranges::find(issued, &one) != issued.end());
        }
        CHECK(issues > 250);
        CHECK(reordered > 50);
    }
}
