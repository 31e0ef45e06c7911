#include "compiler/backend/epoch_list.hpp"

namespace ttsim::impl::ir {

void EpochList::no_place(const OpChoices& op) const {
    TT_CHECK(op.user && op.user->place, "op '{}' has no place on an empty chip", op.op.name());
    fail_input(op.user->loc, "op '{}' cannot lie at {}x{}: its grids there leave the chip's {}x{} cores", op.op.name(),
               op.user->place->first, op.user->place->second, budget_.rows, budget_.cols);
}

}  // namespace ttsim::impl::ir
