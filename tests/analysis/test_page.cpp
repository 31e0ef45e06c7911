#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analysis/page/page.hpp"
#include "analysis/page/page_server.hpp"
#include "base/deflate.hpp"
#include "base/error.hpp"
#include "tests/folders.hpp"
#include "tests/netlist/temp_folder.hpp"
#include "tests/trace/small_trace.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;

namespace {

nlohmann::ordered_json example_page(const std::string& name) {
    return report::page_data({report::netlist_source(source_folder().string() + "/examples/" + name)});
}

}  // namespace

TEST_CASE("base64 as RFC 4648 has it") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("the output of zlib_compress is small and has a zlib header") {
    const std::string small = zlib_compress(std::string(100000, 'x'));
    CHECK(small.size() < 500);
    CHECK(static_cast<unsigned char>(small[0]) == 0x78);
}

TEST_CASE("a netlist as the data of a page") {
    const auto page = example_page("two_chips.yaml");
    CHECK(page["version"] == report::page_version);
    REQUIRE(page["runs"].size() == 1);
    const auto& run = page["runs"][0];
    CHECK(run["machine"]["chips"].size() == 2);
    REQUIRE(run["epochs"].size() == 1);
    CHECK(run["epochs"][0]["chips"] == nlohmann::ordered_json({0, 1}));
    const auto op =
        std::find_if(run["ops"].begin(), run["ops"].end(), [](const auto& o) { return o["name"] == "project"; });
    REQUIRE(op != run["ops"].end());
    CHECK((*op)["grid"] == nlohmann::ordered_json({2, 2}));
    CHECK((*op)["type"] == "matmul");
    // L1 holds an output and a buffer for each operand
    for (const auto& entry : run["epochs"][0]["ops"])
        if (entry["op"] == "project") CHECK(entry["l1"].size() >= 3);
    for (const auto& queue : run["queues"]) CHECK(queue["buffer_bytes"].get<std::int64_t>() > 0);
    CHECK(!run.contains("trace"));
}

TEST_CASE("a trace and its netlist are joined, others are not") {
    report::PageSource netlist, trace, other;
    netlist.name = "n";
    netlist.netlist_text = trace.netlist_text = "a";
    trace.name = "t";
    trace.trace = "t.ttperf";
    other.netlist_text = "b";
    const auto runs = report::joined({netlist, trace, other});
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].name == "n + t");
    CHECK(runs[0].trace == "t.ttperf");
    CHECK(report::joined({trace, trace}).size() == 2);  // two runs of a netlist
}

TEST_CASE("a page has its data at the template's marker, or is refused") {
    const std::string html = report::page_html("a@TTSIM_PAGE_DATA@b", {{"x", 1}});
    CHECK(html.starts_with("a"));
    CHECK(html.ends_with("b"));
    CHECK(html == "a" + base64(zlib_compress(R"({"x":1})")) + "b");
    // parts of runs are sections, lists of objects with each key once
    const nlohmann::ordered_json run{
        {"name", "n"}, {"ops", {{{"a", 1}}, {{"b", 2}}}}, {"trace", {{"cores", {{0, "o"}}}}}};
    const std::string main = R"({"runs":[{"name":"n","ops":{"section":1},"trace":{"cores":{"section":2}}}]})";
    CHECK(report::page_html("@TTSIM_PAGE_DATA@", {{"runs", {run}}}) ==
          base64(zlib_compress(main)) + "\n" +
              base64(zlib_compress(R"({"keys":["a","b"],"rows":[[1,null],[null,2]]})")) + "\n" +
              base64(zlib_compress(R"([[0,"o"]])")));
    CHECK_THROWS_WITH(report::page_html("nothing", {}), Catch::Contains("scripts/web"));
    CHECK_THROWS_WITH(report::page_html("@TTSIM_PAGE_DATA@@TTSIM_PAGE_DATA@", {}), Catch::Contains("no unique marker"));
}

TEST_CASE("the server serves only files of its folder") {
    report::ServeOptions options;
    options.folder = source_folder().string() + "/examples";
    options.accepts = [](const std::string& path) { return path.ends_with(".yaml"); };
    options.page = [](const std::string& path) { return "page of " + path; };
    const auto get = [&](const std::string& path, const std::string& host = "localhost:1") {
        return report::answer("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", options);
    };
    CHECK_THAT(get("/"), Catch::Contains("200 OK") && Catch::Contains("/run/two_chips.yaml"));
    CHECK_THAT(get("/run/two%5Fchips.yaml"), Catch::EndsWith("page of " + options.folder + "/two_chips.yaml"));
    CHECK_THAT(get("/run/..%2FREADME.md"), Catch::StartsWith("HTTP/1.1 404"));
    CHECK_THAT(get("/run/embed"), Catch::StartsWith("HTTP/1.1 404"));
    CHECK_THAT(get("/", "example.org"), Catch::StartsWith("HTTP/1.1 403"));
    CHECK_THAT(report::answer("POST / HTTP/1.1\r\n\r\n", options), Catch::StartsWith("HTTP/1.1 405"));
    CHECK_THAT(report::answer("hello\r\n\r\n", options), Catch::StartsWith("HTTP/1.1 400"));
    CHECK_THAT(report::answer("GET / HTTP/1.1\r\nHost: local", options), Catch::StartsWith("HTTP/1.1 400"));  // cut
    CHECK_THAT(get("/" + std::string(20000, 'a')), Catch::StartsWith("HTTP/1.1 400"));
    options.page = [](const std::string&) -> std::string { fail_input({"f", 1, 2}, "broken"); };
    CHECK_THAT(get("/run/two_chips.yaml"), Catch::Contains("500") && Catch::Contains("f:1:2: error: broken"));
    CHECK(report::from_url(report::to_url("a b/%<")) == "a b/%<");
}

TEST_CASE("the server follows no link out of its folder") {
    const std::filesystem::path folder = temp_folder() / "served", outside = temp_folder() / "outside.yaml";
    std::filesystem::create_directories(folder);
    std::ofstream(outside) << "secret";
    std::ofstream(folder / "own.yaml") << "own";
    std::filesystem::create_symlink(outside, folder / "link.yaml");
    std::filesystem::create_symlink("own.yaml", folder / "again.yaml");
    report::ServeOptions options;
    options.folder = folder.string();
    std::vector<std::string> looked_at;
    options.accepts = [&](const std::string& path) {
        looked_at.push_back(std::filesystem::path(path).filename().string());
        return true;
    };
    options.page = [](const std::string& path) { return "page of " + path; };
    const auto get = [&](const std::string& path) {
        return report::answer("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", options);
    };
    CHECK_THAT(get("/"), Catch::Contains("own.yaml") && Catch::Contains("again.yaml") && !Catch::Contains("link.yaml"));
    CHECK_THAT(get("/run/link.yaml"), Catch::StartsWith("HTTP/1.1 404"));
    CHECK(std::count(looked_at.begin(), looked_at.end(), "link.yaml") == 0);
    options.page = [](const std::string&) -> std::string { throw std::bad_alloc(); };
    CHECK_THAT(get("/run/own.yaml"), Catch::StartsWith("HTTP/1.1 503"));
    options.page = [](const std::string&) -> std::string { throw std::length_error("of nothing"); };
    CHECK_THAT(get("/run/own.yaml"), Catch::StartsWith("HTTP/1.1 500"));
}

TEST_CASE("no name ends the script that holds a page's data") {
    const nlohmann::ordered_json data{{"name", "</script><script>alert(1)</script><!--\u2028"}};
    const std::string html = report::page_html("<script>@TTSIM_PAGE_DATA@</script>", data);
    const std::string head = "<script>", tail = "</script>";
    REQUIRE(html.size() > head.size() + tail.size());
    const std::string inside = html.substr(head.size(), html.size() - head.size() - tail.size());
    CHECK(inside.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n") ==
          std::string::npos);
}
