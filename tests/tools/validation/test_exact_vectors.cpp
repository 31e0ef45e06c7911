// The bit-true arithmetic against every recorded vector, on every instruction set this machine has.
#include <catch2/catch.hpp>
#include <iostream>

#include "kernels/instruction_set.hpp"
#include "tests/kernels/vector_files.hpp"
#include "tests/skip.hpp"
#include "tools/validation/vectors/vectors.hpp"

using namespace ttsim::impl;

TEST_CASE("the bit-true arithmetic reproduces every recorded vector on every instruction set") {
    if (ttsim::impl::test::skip_without(test::vector_folder() / "index.json")) return;
    for (const HostInstructions set : instruction_sets) {
        if (!supported(set)) {
            std::cout << "not run: this machine has no " << to_string(set) << "\n";
            continue;
        }
        const UseInstructionSet use(set);
        const VectorReport report = check_vectors(test::vector_folder());
        CHECK(report.results.size() >= 180);
        std::int64_t values = 0;
        for (const VectorResult& r : report.results) {
            values += r.values;
            INFO(to_string(set) << " " << r.id << ": " << r.first);
            CHECK(r.values > 0);
            CHECK((r.differing == 0 || !r.gated));
        }
        std::cout << to_string(set) << ": " << report.results.size() << " vectors, " << values
                  << " elements compared\n";
    }
}
