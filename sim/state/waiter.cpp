#include "sim/state/waiter.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl::sim {

WaitChain wait_chain(const std::vector<const Waiter*>& unfinished) {
    if (unfinished.empty()) return {"nothing is waiting; no command could be issued", {}};
    WaitChain chain;
    std::set<const Waiter*> seen;
    const auto follow = [&](const Waiter* at, auto&& visit) {
        for (; at && seen.insert(at).second; at = at->waits_for().waits_on) {
            const WaitsFor wait = at->waits_for();
            visit(wait);
            if (wait.room && std::find(chain.exhausted_buffers.begin(), chain.exhausted_buffers.end(), *wait.room) ==
                                 chain.exhausted_buffers.end())
                chain.exhausted_buffers.push_back(*wait.room);
        }
        return at;
    };
    // The chain starts at an unfinished component. A cycle in the chain is the cause of the hang.
    const Waiter* const closed =
        follow(unfinished.front(), [&](const WaitsFor& wait) { chain.text += "\n  " + wait.text; });
    if (closed) chain.text += "\n  ... cycle closes at: " + closed->waits_for().text;
    for (const Waiter* other : unfinished) follow(other, [](const WaitsFor&) {});
    return chain;
}

}  // namespace ttsim::impl::sim
