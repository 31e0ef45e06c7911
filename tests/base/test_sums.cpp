#include <catch2/catch.hpp>
#include <set>

#include "base/checksum.hpp"
#include "base/sha256.hpp"

using namespace ttsim::impl;

TEST_CASE("SHA-256 gives the digests of its standard") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("A checksum changes with every bit and with the length") {
    const std::string text = "the quick brown fox";
    std::set<std::uint64_t> sums{checksum(text)};
    for (std::size_t at = 0; at < text.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = text;
            changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
            CHECK(sums.insert(checksum(changed)).second);
        }
    for (std::size_t more = 1; more < 20; ++more) CHECK(sums.insert(checksum(text + std::string(more, '\0'))).second);
    CHECK(checksum_text("").size() == 16);
}
