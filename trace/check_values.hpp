// Whether the values of a trace are such as a run writes: what reads a trace then need not check.
#pragma once

#include "trace/database.hpp"

namespace ttsim::impl::trace {

/// Throws Error(Input) that names table, row and column of the first wrong value: another type or range, a list of
/// another form, a span that ends before it starts, a row that refers to a missing one. Afterwards all integers
/// but seeds and parameters are in 0..Statement::largest, sums over a column do not overflow, and lists have the form
/// that docs/trace.md states. Reads every row; the schema must be that of a trace.
void check_values(Database& database);

}  // namespace ttsim::impl::trace
