// Parsing of command arguments: names, numbers and coordinates, with errors that suggest the nearest valid word.
#pragma once

#include <string>

#include "analysis/debug/debugger.hpp"
#include "isa/arch.hpp"

namespace ttsim::impl::debug {

/// Throws Error(Input) unless there are between `least` and `most` words.
void expect(const Words& words, std::size_t least, std::size_t most, const std::string& usage);
/// An integer, decimal or 0x hexadecimal; throws Error(Input) for anything else, or one below 0.
std::int64_t number(const std::string& word, const std::string& what);
const Queue& find_queue(const Netlist& netlist, const std::string& name);
const Op& find_op(const Netlist& netlist, const std::string& name);
/// The op, or nullptr with `queue` set when the name is that of a queue. Throws for any other name.
const Op* find_op_or_queue(const Netlist& netlist, const std::string& name, const Queue*& queue);
std::string name_of(NocCoord at);  ///< "1-2"
/// Parses "1-2"; no value when the word is not a coordinate.
std::optional<NocCoord> place(const std::string& word);

}  // namespace ttsim::impl::debug
