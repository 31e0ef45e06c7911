// libFuzzer's entry: clang++ -fsanitize=fuzzer,address. Its corpus is tests/fuzz/corpus.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tt::fuzz::read_all(std::string(data, data + size));
    return 0;
}
