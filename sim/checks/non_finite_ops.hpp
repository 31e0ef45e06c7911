// Which ops gave golden its NaNs and infinities.
#pragma once

#include <atomic>
#include <map>

#include "netlist/netlist.hpp"

namespace ttsim::impl::sim {

class NonFiniteOps {
public:
    /// The netlist must outlive it unchanged.
    explicit NonFiniteOps(const Netlist& resolved);
    /// A result of golden's. From any thread.
    void see(const Op& op, const Tensor& result);
    /// The op before this queue that made one of finite operands; nullptr: none. Of several, the first of the file.
    const Op* first_before(const Queue& queue) const;

private:
    const Netlist& netlist_;
    std::map<const Op*, std::atomic<bool>> made_;
};

}  // namespace ttsim::impl::sim
