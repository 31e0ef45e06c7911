#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/csv.hpp"
#include "base/prediction_errors.hpp"

using namespace ttsim::impl;

namespace {

std::string refusal(const std::string& text) {
    try {
        parse_csv(text, "rows.csv", {"op", "cycles"});
    } catch (const Error& e) {
        CHECK(e.exit_code() == 2);
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a file of rows keeps its fields, quoted ones as well, and writes them back") {
    const std::string text = "op,cycles,\"a, b\"\nexp,12,\"say \"\"x\"\"\"\n\nlog,,\n";
    const CsvFile file = parse_csv(text, "rows.csv", {"op", "cycles"});
    CHECK(file.columns == std::vector<std::string>{"op", "cycles", "a, b"});
    REQUIRE(file.rows.size() == 2);
    CHECK(file.rows[0].fields[2] == "say \"x\"");
    CHECK(file.rows[1].line == 4);
    CHECK(csv_line(file.columns) + csv_line(file.rows[0].fields) == text.substr(0, text.find("\n\n") + 1));
    CHECK(parse_csv("\xef\xbb\xbfop,cycles\r\nexp,1\r\n", "x", {"op"}).rows[0].fields[1] == "1");
}

TEST_CASE("files of rows that cannot be read are refused with their line") {
    CHECK_THAT(refusal(""), Catch::Contains("rows.csv:1: error: the file is empty"));
    CHECK_THAT(refusal("op,cyles\n"), Catch::Contains("the column 'cycles' is missing; did you mean 'cyles'?"));
    CHECK_THAT(refusal("op,cycles,op\n"), Catch::Contains("the column 'op' occurs 2 times"));
    CHECK_THAT(refusal("op,cycles\nexp\n"), Catch::Contains("rows.csv:2: error: 1 fields; the first line names 2"));
    CHECK_THAT(refusal("op,cycles\nexp,\"1\n"), Catch::Contains("rows.csv:2: error: a quote is not closed"));
    std::string many = "op,cycles\n";
    for (int i = 0; i < 1000; ++i) many += "x\n";
    const std::string lines = refusal(many);
    CHECK(std::count(lines.begin(), lines.end(), '\n') < 101);
}

TEST_CASE("folders, missing files and files above the limit are not read as rows") {
    const auto why = [](const std::string& path) -> std::string {
        try {
            read_csv(path, {});
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    CHECK_THAT(why(folder.string()), Catch::Contains("is a folder"));
    CHECK_THAT(why((folder / "ttsim_no_such_file.csv").string()), Catch::Contains("there is no such file"));
    const std::filesystem::path large = folder / "ttsim_test_large.csv";
    std::ofstream(large) << "op\n";
    std::filesystem::resize_file(large, std::uintmax_t{300} << 20);
    CHECK_THAT(why(large.string()), Catch::Contains("has 314572800 bytes; at most 268435456 are read"));
    std::filesystem::remove(large);
}

TEST_CASE("fields are read as sizes, numbers and words, with messages that name the expected form") {
    const CsvFile file = parse_csv("n,x,way\n-1,nan,raed\n7,2.5,READ\n", "rows.csv", {});
    Diagnostics problems;
    CsvFields bad(file, file.rows[0], problems);
    bad.size("n", 1, 64, {});
    bad.positive("x");
    bad.word("way", {"read", "write"});
    try {
        problems.throw_if_any();
        FAIL("nothing was refused");
    } catch (const Error& e) {
        CHECK_THAT(e.what(), Catch::Contains("rows.csv:2: error: 'n' is '-1'; an integer in 1..64 is wanted"));
        CHECK_THAT(e.what(), Catch::Contains("'x' is 'nan'; a number above 0 is wanted"));
        CHECK_THAT(e.what(), Catch::Contains("'way' is 'raed'; did you mean 'read'?"));
    }
    Diagnostics none;
    CsvFields good(file, file.rows[1], none);
    CHECK(good.size("n", 1, 64, {}) == 7);
    CHECK(*good.positive("x") == 2.5);
    CHECK(good.word("way", {"write", "read"}) == 1);
    CHECK(good.size("not there", 0, 9, 3) == 3);
    CHECK(none.empty());
}

TEST_CASE("errors are counted by group, in percent of the measurement") {
    ErrorStatistics count;
    count.add("b", 110, 100);
    count.add("b", 80, 100);
    count.add("a", 100, 100);
    const auto summary = count.summary();
    REQUIRE(summary.size() == 3);
    CHECK(summary[0].group == "a");
    CHECK(summary[1].mean == Approx(15));
    CHECK(summary[1].bias == Approx(-5));
    CHECK(summary[1].worst == Approx(20));
    CHECK(summary[2].group == "all");
    CHECK(summary[2].mean == Approx(10));
    CHECK(ErrorStatistics().summary().empty());
}

TEST_CASE("a text is not a formula in a spreadsheet, and is read back unchanged") {
    const std::vector<std::string> formulas{"=1+1", "+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(A1)", "\tx", "\rx", "=a,b",
                                            "-op"};
    for (const std::string& text : formulas) {
        const std::string field = csv_field(text);
        INFO(field);
        CHECK((field.starts_with("'") || field.starts_with("\"'")));
        if (text.find('\r') == std::string::npos)
            CHECK(parse_csv("a\n" + csv_line({text}), "f", {}).rows.front().fields.front() == text);
    }
    for (const std::string text : {"-1", "+2.5", "-1e-3", "-", "+", "-4.2 %", "a=b", "'quoted'", "1-2", ""}) {
        CHECK(csv_field(text) == text);
        if (!text.empty()) CHECK(parse_csv("a\n" + csv_line({text}), "f", {}).rows.front().fields.front() == text);
    }
    CHECK(csv_field("a\rb") == "\"a\rb\"");
    CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
}
