// Validates the values of a trace, so that readers need not check them.
#pragma once

#include "trace/database.hpp"

namespace ttsim::impl::trace {

/// Throws Error(Input) that names table, row and column of the first invalid value: wrong type or range, wrong list
/// form, a span that ends before it starts, or a reference to a missing row. Afterwards all integers except seeds and
/// parameters are in 0..Statement::largest, column sums do not overflow, and lists have the form that docs/trace.md
/// specifies. Reads every row; the schema must have been checked.
void check_values(Database& database);

}  // namespace ttsim::impl::trace
