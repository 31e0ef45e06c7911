// The whole way of a netlist text up to validation, for the fuzzer and for the replay of its corpus.
#pragma once

#include <algorithm>
#include <string>

#include "netlist/reader.hpp"
#include "netlist/validate.hpp"
#include "netlist/writer.hpp"

namespace tt::fuzz {

/// Any answer is right but a crash, a hang, or an internal error, which is thrown.
inline void read_all(const std::string& text) {
    try {
        const Netlist read = read_netlist_text(text, "fuzz");
        const Netlist again = read_netlist_text(write_netlist(read), "written");
        TT_CHECK(equal(read, again), "what was written reads back differently");
        const Netlist resolved = resolve(read);
        for (const auto& [name, grid] : {std::pair{"grayskull", DeviceGrid{10, 12, 8, 0, std::int64_t{1} << 30}},
                                         std::pair{"wormhole_b0", DeviceGrid{10, 8, 6, 16, std::int64_t{2} << 30}}}) {
            Diagnostics problems;
            validate(resolved, chip(name), grid, 4, problems);
            problems.throw_if_any();
        }
    } catch (const Error& error) {
        if (error.fault() == Fault::Internal) throw;
    }
}

}  // namespace tt::fuzz
