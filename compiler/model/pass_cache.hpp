// Keeps graphs between passes, so that lowerings of the same model with other choices repeat only the passes that the
// choices affect.
//
//   host-windows     fractured convolutions
//   lower-to-buda    padded axes
//   splice-columns   whether columns are spliced
//   fuse-gelu        estimates, and so kernel broadcasts
//   split-products   products in parts
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/schedule/conv_fracture.hpp"

namespace ttsim::impl::ir {

/// What passes depend on that differs between lowerings.
struct PassChoices {
    const Overrides& overrides;
    const Tiling& tiling;
    bool kernel_broadcasts = true;
};

class PassCache {
public:
    /// A lowering before a pass.
    struct State {
        Lowered made;
        bool host_is_cut = false;  ///< the first cut-host ran
    };
    /// Forgets everything: the model changes, or options other than PassChoices.
    void clear() { kept_.clear(); }
    /// Keeps a state before `pass`, "" after the last, if the cache has such states of models of this size.
    void keep(std::string_view pass, const PassChoices& choices, const State& state);
    /// The state before `pass` with these choices; null if there is none.
    const State* find(std::string_view pass, const PassChoices& choices) const;

    /// Whether the model's constants are small enough to keep several forms of them in memory.
    static bool fits(const Graph& model);

private:
    struct Kept {
        std::string pass, key;
        State state;
    };
    std::list<Kept> kept_;  // the newest first
};

}  // namespace ttsim::impl::ir
