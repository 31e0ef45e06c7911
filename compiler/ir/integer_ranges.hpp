// What integers a model's values can be, and which ops on integers the device's floats compute as fixed width does.
#pragma once

#include <vector>

#include "compiler/ir/pass.hpp"

namespace ttsim::impl::ir {

/// Limits of all elements of a value; infinite where nothing is known.
struct Range {
    double low = 0, high = 0;
    bool whole = false;  ///< no element has a fraction
    double largest() const;
};
/// By value; what wraps around has the limits of its type. Constants of more than `most` floats are not looked at.
std::vector<Range> integer_ranges(const Graph& graph, std::int64_t most = 1 << 16);

/// From 0 on, how many integers the device holds for sure. Float32 without the host is taken for exact, up to what a
/// float has.
std::int64_t held_integers(const PassOptions& options);

/// By value: ops of integers whose results may leave their type, or that meet integers beyond -run to run, which is
/// what the device's format holds of them. Floats, quantized numbers, and products of numbers of 8 bits, are not among
/// them: the device rounds these.
std::vector<bool> inexact_integer_ops(const Graph& graph, const std::vector<Range>& ranges, std::int64_t run);

}  // namespace ttsim::impl::ir
