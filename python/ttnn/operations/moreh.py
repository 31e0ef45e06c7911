"""Ops of the group moreh."""
from ttsim.eager.surface import Operation
from ttsim.eager.table import ops_named

layer_norm = Operation(ops_named("operations.moreh.layer_norm"), "ttnn.operations.moreh", "layer_norm")
cumsum = Operation(ops_named("moreh_cumsum"), "ttnn.operations.moreh", "cumsum")
