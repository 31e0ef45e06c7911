// Every file of the fuzzers' corpora, without libFuzzer.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/folders.hpp"
#include "tests/fuzz/targets.hpp"

TEST_CASE("every file of the fuzz corpora is answered without a crash or an internal error") {
    for (const ttsim::impl::fuzz::Target& target : ttsim::impl::fuzz::targets) {
        int files = 0;
        const std::string folder = (ttsim::impl::test::source_folder() / "tests/fuzz/corpus" / target.name).string();
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            INFO(target.name << ": " << entry.path().filename().string());
            std::ifstream stream(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
            CHECK_NOTHROW(target.run(bytes));
            ++files;
        }
        INFO(target.name);
        CHECK(files >= 5);
    }
}
