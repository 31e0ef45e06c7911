#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "netlist/files/manifest.hpp"
#include "tests/netlist/temp_folder.hpp"

using namespace ttsim::impl;

namespace {

const std::string good = R"({"netlist": "n.yaml", "arch": "grayskull", "programs": ["p"], "params": {"$p_a": 3},
 "inputs": [{"queue": "q", "file": "q.npy"}], "outputs": []})";

std::string refused(const std::string& old_text, const std::string& new_text) {
    std::string text = good;
    const auto at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    write_temp("manifest.json", text.replace(at, old_text.size(), new_text));
    try {
        (void)read_manifest(temp_folder().string());
        return "";
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::Input);
        CHECK_THAT(error.what(), Catch::Contains("manifest.json"));
        return error.what();
    }
}

}  // namespace

TEST_CASE("a manifest comes back as it was written") {
    const auto folder = temp_folder() / "manifest";
    std::filesystem::create_directories(folder / "inputs");
    std::ofstream(folder / "inputs" / "a.npy") << "x";
    Manifest m{"a/b.yaml",
               "wormhole_b0",
               {"p0", "p1"},
               {{"$p_loop", 7}, {"$p_x", -2}},
               5,
               {{"a b", "inputs/a.npy", 3}},
               {{"out", "out.npy", 0}}};
    write_manifest(folder.string(), m);
    const Manifest read = read_manifest(folder.string());
    CHECK(read.netlist == m.netlist);
    CHECK(read.arch == m.arch);
    CHECK(read.programs == m.programs);
    CHECK(read.params == m.params);
    CHECK(read.inputs_count == m.inputs_count);
    REQUIRE(read.inputs.size() == 1);
    CHECK((read.inputs[0].queue == "a b" && read.inputs[0].file == "inputs/a.npy" && read.inputs[0].first_entry == 3));
    REQUIRE(read.outputs.size() == 1);
    CHECK(read.outputs[0].queue == "out");
    CHECK(holds_whole_files(folder));
}

TEST_CASE("without inputs_count a manifest means all inputs") {
    write_temp("q.npy", "x");
    write_temp("manifest.json", good);
    const Manifest m = read_manifest(temp_folder().string());
    CHECK_FALSE(m.inputs_count.has_value());
    CHECK(m.params.at("$p_a") == 3);
    CHECK(m.inputs.at(0).first_entry == 0);
}

TEST_CASE("mistakes in a manifest name the file and the key") {
    write_temp("q.npy", "x");
    CHECK_THAT(refused("\"arch\"", "\"arc\""), Catch::Contains("'arc'") && Catch::Contains("did you mean 'arch'?"));
    CHECK_THAT(refused("\"arch\": \"grayskull\", ", ""), Catch::Contains("'arch': the key is missing"));
    CHECK_THAT(refused("\"grayskull\"", "3"), Catch::Contains("'arch': a text"));
    CHECK_THAT(refused("[\"p\"]", "\"p\""), Catch::Contains("'programs': a list"));
    CHECK_THAT(refused("[\"p\"]", "[1]"), Catch::Contains("program names"));
    CHECK_THAT(refused("3}", "3.5}"), Catch::Contains("'params.$p_a': an integer"));
    CHECK_THAT(refused("3}", "18446744073709551615}"), Catch::Contains("integer"));
    CHECK_THAT(refused("{\"$p_a\": 3}", "[]"), Catch::Contains("'params': an object"));
    CHECK_THAT(refused("{\"$p_a\": 3}", "{\"$p_a\": 3}, \"inputs_count\": 0"), Catch::Contains("at least 1"));
    CHECK_THAT(refused("\"q.npy\"", "\"q.npy\", \"first_entry\": -1"), Catch::Contains("'inputs[0].first_entry'"));
    CHECK_THAT(refused("\"queue\": \"q\", ", ""), Catch::Contains("'inputs[0].queue': the key is missing"));
    CHECK_THAT(refused("\"q.npy\"", "\"../q.npy\""), Catch::Contains("leaves the folder"));
    CHECK_THAT(refused("\"q.npy\"", "\"/etc/passwd\""), Catch::Contains("leaves the folder"));
    CHECK_THAT(refused("\"q.npy\"", "\"r.npy\""), Catch::Contains("no such file"));
    CHECK_THAT(refused("\"q.npy\"}", "\"q.npy\"}, {\"queue\": \"q\", \"file\": \"q.npy\"}"),
               Catch::Contains("'inputs[1].queue': 'q' comes twice"));
    CHECK_THAT(refused("\"outputs\": []", "\"outputs\": [], \"outputs\": []"),
               Catch::Contains("'outputs' is given twice"));
    CHECK_THAT(refused("\"outputs\": []", "\"outputs\": ["),
               Catch::Contains("manifest.json:2") && Catch::Contains("JSON"));
    CHECK_THAT(refused(good, "[]"), Catch::Contains("an object is wanted"));
    CHECK_THAT(refused(good, ""), Catch::Contains("JSON"));
    CHECK_THROWS_WITH(read_manifest((temp_folder() / "nowhere").string()), Catch::Contains("--inputs"));
    CHECK_THROWS_WITH(write_manifest((temp_folder() / "nowhere").string(), {}), Catch::Contains("cannot be written"));
}

TEST_CASE("file names of queues are plain and differ for different queues") {
    CHECK(npy_name("enc.0_output-1") == "enc.0_output-1.npy");
    const std::string odd = npy_name("a/b"), other = npy_name("a b");
    CHECK_THAT(odd, Catch::StartsWith("a_b-"));
    CHECK(odd != other);
    CHECK(npy_name("a_b") != odd);
    CHECK(npy_name(".hidden").front() == '_');
    CHECK(npy_name("").size() > 4);
    CHECK(npy_name(std::string(5000, 'x')).size() < 255);
    CHECK(npy_name(std::string(5000, 'x')) != npy_name(std::string(5001, 'x')));
}
