// Whether the values of a trace are such as a run writes: what reads a trace then need not ask.
#pragma once

#include "trace/database.hpp"

namespace tt::trace {

/// Throws Error(Input) that names table, row and column of the first value of another type or range, list of another
/// form, span that ends before it starts, or row that refers to one that is not there. Afterwards all whole numbers
/// but seeds and parameters are in 0..Statement::largest, sums over a column do not overflow, and lists have the form
/// that docs/trace.md states. Reads every row; the schema must be that of a trace.
void check_values(Database& database);

}  // namespace tt::trace
