// TMs as moves of whole tensors: golden's road. Elaboration has its own (netlist/plan/tm_map.hpp).
#pragma once

#include "netlist/tm.hpp"

namespace tt {

/// unpad, TMs in order, pad; transposes also transpose inside the tiles. tile is the producer's tile dim.
Tensor apply_tms(const Tensor& in, const OperandTms& tms, TileDim tile);

}  // namespace tt
