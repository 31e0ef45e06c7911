#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/trace/analysis.hpp"
#include "base/error.hpp"
#include "tests/folders.hpp"
#include "tests/trace/small_trace.hpp"
#include "trace/reader.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::test;
using namespace ttsim::impl::trace;

namespace {

std::string message_of(const std::string& path) {
    try {
        Reader reader(path);
        epochs(reader);
        resources(reader);
    } catch (const Error& error) {
        CHECK(error.exit_code() == 2);
        return error.what();
    }
    return "no error";
}

std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a trace appears when it is finished, and not before") {
    const std::filesystem::path path = temp_folder() / "unfinished.ttperf";
    {
        Writer writer(path.string());
        writer.add(Table::Program, 0, "p");
        CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK_FALSE(std::filesystem::exists(path));
    for (const auto& entry : std::filesystem::directory_iterator(temp_folder()))
        CHECK(entry.path().string().find("unfinished") == std::string::npos);
    small_trace("finished.ttperf");
    CHECK(std::filesystem::exists(temp_folder() / "finished.ttperf"));
}

TEST_CASE("the run of a trace is read back") {
    const Reader reader(small_trace("run.ttperf"));
    CHECK(reader.run().command == "ttsim run n.yaml");
    CHECK(reader.run().seed == 7);
    CHECK_FALSE(reader.run().inputs_count.has_value());
    CHECK(reader.run().cycles == 500);
    CHECK(reader.run().bucket_cycles == 256);
}

TEST_CASE("files that are not traces of this version are refused by name") {
    const std::string folder = temp_folder().string();
    CHECK(message_of(folder + "/none.ttperf") == folder + "/none.ttperf: error: there is no such file");
    CHECK(message_of(folder) == folder + ": error: is a folder; a file is wanted");
    CHECK(message_of(write_temp("text.ttperf", "a text")) ==
          folder + "/text.ttperf: error: is not a trace; 'ttsim run NETLIST --trace FILE.ttperf' writes one");
    CHECK(message_of(write_temp("empty.ttperf", "")) ==
          folder + "/empty.ttperf: error: is not a trace; 'ttsim run NETLIST --trace FILE.ttperf' writes one");
    {
        Database other(folder + "/other.ttperf", "other", Database::Open::Write);
        other.run("CREATE TABLE t (a)");
    }
    CHECK(message_of(folder + "/other.ttperf") ==
          folder + "/other.ttperf: error: is a database but not a trace of ttsim");
    const std::string newer = small_trace("newer.ttperf");
    Database(newer, "newer", Database::Open::Write).run("PRAGMA user_version = 99");
    CHECK(message_of(newer) == newer +
                                   ": error: is a trace of version 99; this program reads version 5: record the run "
                                   "again, or read it with the ttsim that wrote it");
    const std::string hollow = small_trace("hollow.ttperf");
    Database(hollow, "hollow", Database::Open::Write).run("DELETE FROM run");
    CHECK(message_of(hollow) == hollow + ": error: holds no run: its table 'run' is empty");
}

TEST_CASE("a trace cut anywhere gives an error, never a wrong answer") {
    const std::string whole = text_of(small_trace("whole.ttperf"));
    REQUIRE(whole.size() > 20000);
    for (std::size_t size = 1; size < whole.size(); size += 1531) {
        const std::string cut = write_temp("cut.ttperf", whole.substr(0, size));
        CHECK(message_of(cut).find(cut + ": error: ") == 0);
    }
    CHECK(message_of(write_temp("cut.ttperf", whole)) == "no error");
}

TEST_CASE("a trace with damaged tables gives an error with its name") {
    const std::string path = small_trace("damaged.ttperf");
    Database(path, "damaged", Database::Open::Write).run("DROP VIEW op_core");
    CHECK(message_of(path) == path + ": error: lacks the view 'op_core' of a trace");
    const std::string lost = small_trace("lost.ttperf");
    Database(lost, "lost", Database::Open::Write).run("UPDATE core SET op = 5");
    CHECK(message_of(lost) == lost +
                                  ": error: cannot be read: row 0 of table 'core' holds 5 as 'op'; there is no such "
                                  "op: record the run again");
}

TEST_CASE("a trace whose tables are programs of others is refused by name, at once") {
    const auto changed = [](const std::string& sql) {
        const std::string path = small_trace("hostile.ttperf");
        Database(path, "hostile", Database::Open::Write).run(sql);
        const std::string message = message_of(path);
        REQUIRE(message.starts_with(path + ": error: "));
        return message.substr(path.size() + 9);
    };
    const std::string endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS resource, x AS bucket FROM c";
    CHECK(changed("DROP VIEW load; CREATE VIEW load AS " + endless) ==
          "holds a view 'load' that is not the one of a trace");
    CHECK(changed("DROP TABLE run; CREATE VIEW run AS " + endless) ==
          "holds a view 'run' that is not the one of a trace");
    CHECK(changed("ALTER TABLE op ADD COLUMN more TEXT") == "holds a table 'op' that is not the one of a trace");
    CHECK(changed("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END") ==
          "holds the trigger 't', which is not part of a trace");
    CHECK(changed("CREATE VIRTUAL TABLE v USING rtree(a, b, c)").find("which is not part of a trace") !=
          std::string::npos);
    CHECK(changed("DROP TABLE number") == "lacks the table 'number' of a trace");
}

TEST_CASE("numbers that no run has are refused instead of overflowing") {
    const std::string path = small_trace("numbers.ttperf");
    Database(path, "numbers", Database::Open::Write).run("UPDATE core_load SET math = 9223372036854775807");
    CHECK(message_of(path).find("row 1 of table 'core_load' holds 9223372036854775807 as 'math'") != std::string::npos);
    const std::string endless = small_trace("endless.ttperf");
    Database(endless, "endless", Database::Open::Write).run("UPDATE resource SET bytes_per_cycle = 9e999");
    CHECK(message_of(endless).find("row 0 of table 'resource' holds inf as 'bytes_per_cycle'") != std::string::npos);
}

TEST_CASE("a query without end is given up") {
    const std::string path = small_trace("endless_query.ttperf");
    Database database(path, path, Database::Open::Read);
    database.trust_schema();
    Statement query(database, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c");
    CHECK_THROWS_WITH(query.step(),
                      path + ": error: cannot be read: its tables take too long to read; they are not those of a run");
    CHECK_THROWS_WITH(database.run("DELETE FROM run"), Catch::Contains("attempt to write a readonly database"));
}

TEST_CASE("a journal beside a trace is not played back into it") {
    const std::string path = small_trace("journal.ttperf");
    std::ofstream(path + "-journal") << "anything";
    std::ofstream(path + "-wal") << "anything";
    CHECK(message_of(path) == "no error");
}

TEST_CASE("the page on traces names every table, view and column") {
    std::ifstream in(ttsim::impl::test::source_folder() / "docs/trace.md");
    std::stringstream text;
    text << in.rdbuf();
    const std::string page = text.str();
    CHECK(page.find("version of this page: **" + std::to_string(schema_version) + "**") != std::string::npos);
    const std::string path = small_trace("names.ttperf");
    Database database(path, path, Database::Open::Read);
    database.trust_schema();
    Statement names(
        database,
        "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type != 'index'");
    int columns = 0;
    while (names.step()) {
        INFO(names.text(0) << "." << names.text(1));
        CHECK(page.find("**" + names.text(0) + "**") != std::string::npos);
        CHECK(page.find("`" + names.text(1) + "`") != std::string::npos);
        ++columns;
    }
    CHECK(columns > 100);
}
