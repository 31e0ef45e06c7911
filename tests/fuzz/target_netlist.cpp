// A netlist text, from parsing to validation.
#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"
#include "netlist/text/writer.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void netlist(const std::string& bytes) {
    answer([&] {
        const Netlist read = read_netlist_text(bytes, "fuzz");
        const Netlist again = read_netlist_text(write_netlist(read), "written");
        TT_CHECK(equal(read, again), "what was written reads back differently");
        const Netlist resolved = resolve(read);
        for (const auto& [name, grid] : {std::pair{"grayskull", DeviceGrid{10, 12, 8, 0, std::int64_t{1} << 30}},
                                         std::pair{"wormhole_b0", DeviceGrid{10, 8, 6, 16, std::int64_t{2} << 30}}}) {
            Diagnostics problems;
            validate(resolved, chip(name), grid, 4, problems);
            problems.throw_if_any();
        }
    });
}

}  // namespace ttsim::impl::fuzz
