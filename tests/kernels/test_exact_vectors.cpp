// The bit-true arithmetic against every recorded vector, on every instruction set this machine has.
#include <catch2/catch.hpp>
#include <iostream>

#include "kernels/exact/fpu.hpp"
#include "kernels/vectors/vectors.hpp"
#include "tests/kernels/vector_files.hpp"

using namespace tt;

TEST_CASE("the bit-true arithmetic reproduces every recorded vector on every instruction set") {
    if (!std::filesystem::exists(test::vector_folder() / "index.json")) {
        std::cout << "skipped: no vectors in " << test::vector_folder() << "\n";
        return;
    }
    for (const char* backend : {"baseline", "avx2", "avx512"}) {
        if (!exact::choose_fpu_backend(backend)) {
            std::cout << "skipped: this machine has no " << backend << "\n";
            continue;
        }
        const VectorReport report = check_vectors(test::vector_folder());
        exact::choose_fpu_backend("");
        CHECK(report.results.size() >= 180);
        std::int64_t values = 0;
        for (const VectorResult& r : report.results) {
            values += r.values;
            INFO(backend << " " << r.id << ": " << r.first);
            CHECK(r.values > 0);
            CHECK((r.differing == 0 || !r.gated));
        }
        std::cout << backend << ": " << report.results.size() << " vectors, " << values << " datums compared\n";
    }
}
