#include "sim/hang/waiter.hpp"

#include <algorithm>
#include <set>

namespace ttsim::impl::sim {

WaitChain wait_chain(const std::vector<const Waiter*>& unfinished) {
    if (unfinished.empty()) return {"nothing is waiting; no command could be issued", {}};
    WaitChain chain;
    std::set<const Waiter*> seen;
    const auto follow = [&](const Waiter* at, auto&& told) {
        for (; at && seen.insert(at).second; at = at->waits_for().owed_by) {
            const WaitsFor wait = at->waits_for();
            told(wait);
            if (wait.room && std::find(chain.exhausted_buffers.begin(), chain.exhausted_buffers.end(), *wait.room) ==
                                 chain.exhausted_buffers.end())
                chain.exhausted_buffers.push_back(*wait.room);
        }
        return at;
    };
    // A core that waits tells more than one that is done; a chain that closes on itself is the cause.
    const Waiter* const closed =
        follow(unfinished.front(), [&](const WaitsFor& wait) { chain.text += "\n  " + wait.text; });
    if (closed) chain.text += "\n  ... and so round: " + closed->waits_for().text;
    for (const Waiter* other : unfinished) follow(other, [](const WaitsFor&) {});
    return chain;
}

}  // namespace ttsim::impl::sim
