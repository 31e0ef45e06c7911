// What the compilations of one model with other options share.
#pragma once

#include "compiler/backend/choice_cache.hpp"
#include "compiler/model/pass_cache.hpp"

namespace ttsim::impl::ir {

struct CompileCaches {
    ChoiceCache choices;
    PassCache passes;
};

}  // namespace ttsim::impl::ir
