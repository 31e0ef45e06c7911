// Every file of the fuzzer's corpus, without libFuzzer.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/read_all.hpp"

TEST_CASE("every file of the fuzz corpus is read, resolved and validated without a crash or an internal error") {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TTSIM_SOURCE_DIR "/tests/fuzz/corpus")) {
        INFO(entry.path().filename().string());
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        CHECK_NOTHROW(tt::fuzz::read_all(text));
        ++files;
    }
    CHECK(files >= 10);
}
