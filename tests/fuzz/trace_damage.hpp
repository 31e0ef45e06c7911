// A trace, damaged by a list of bytes. Bytes stand for commands:
//   0 place(3) value        a byte of the file
//   1 size(3)               the file is cut
//   2 table row column kind value(8)   a value of another number and kind
//   3 table what            a table dropped, changed, or a program of the database in its place
// Arbitrary bytes would seldom pass SQLite's own checks.
#pragma once

#include <string>

namespace ttsim::impl::fuzz {

/// `image`: the bytes of the whole trace. Returns the file of the damaged one.
std::string damaged_trace(std::string image, const std::string& bytes);

}  // namespace ttsim::impl::fuzz
