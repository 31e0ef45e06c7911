#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"

using namespace ttsim::impl;

TEST_CASE("text that a terminal takes for commands is shown as escapes") {
    CHECK(printable("plain\ttext\n") == "plain\ttext\n");
    CHECK(printable("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80") ==
          "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
    CHECK(printable("\x1b]0;title\x07") == "\\u001b]0;title\\u0007");
    CHECK(printable("over\rwritten\x7f") == "over\\u000dwritten\\u007f");
    CHECK(printable(std::string("a\0b", 3)) == "a\\u0000b");
    CHECK(printable("\xC2\x9B"
                    "31m") == "\\u009b31m");  // C1: CSI in one character
    CHECK(printable("\x9B"
                    "31m") == "\\x9b31m");  // and as terminals of 8 bits have it
    CHECK(printable("\xE2\x80\xAE"
                    "fdp.exe") == "\\u202efdp.exe");
    CHECK(printable("\xE2\x81\xA6|\xE2\x81\xA9|\xE2\x80\xA8|\xE2\x80\x8F") == "\\u2066|\\u2069|\\u2028|\\u200f");
    // no UTF-8: cut off, overlong, a surrogate, beyond the last
    CHECK(printable("\xE2\x82") == "\\xe2\\x82");
    CHECK(printable("\xC0\x9B") == "\\xc0\\x9b");
    CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
    CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    for (int c = 0; c < 0x20; ++c)
        CHECK((printable(std::string(1, static_cast<char>(c))).size() == 1) == (c == '\n' || c == '\t'));
}

TEST_CASE("invalid UTF-8 is replaced byte by byte") {
    CHECK(valid_utf8("a\xC3\xBC") == "a\xC3\xBC");
    CHECK(valid_utf8("a\xFF\xC3") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("errors hold no control characters of the names in them") {
    const Error error(Fault::Input, {"evil\x1b[2J.yaml", 3, 0}, "op '\x1b]0;x\x07' is unknown");
    CHECK(std::string(error.what()) == "evil\\u001b[2J.yaml:3: error: op '\\u001b]0;x\\u0007' is unknown");
    CHECK(error.message() == "op '\\u001b]0;x\\u0007' is unknown");
    CHECK(std::string(Error(Fault::Input, "one\ntwo \xC2\x85", {}).what()) == "one\ntwo \\u0085");
}
