// Traces: a whole one of a small run, damaged as the bytes say, then analysed and exported. Bytes stand for commands:
//   0 place(3) value        a byte of the file
//   1 size(3)               the file is cut
//   2 table row column kind value(8)   a datum of another value and kind
//   3 table what            a table dropped, changed, or a program of the database in its place
// A fuzzer that knew nothing of this would seldom get past SQLite's own checks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/trace/small_trace.hpp"
#include "trace/analysis.hpp"
#include "trace/perf_resources.hpp"
#include "trace/perf_rows.hpp"
#include "trace/perfetto.hpp"
#include "trace/reader.hpp"

namespace tt::fuzz {

namespace {

class Bytes {
public:
    explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
    bool more() const { return at_ < bytes_.size(); }
    std::uint64_t next(std::size_t count) {
        std::uint64_t value = 0;
        for (; count > 0; --count) value = value << 8U | (more() ? static_cast<unsigned char>(bytes_[at_++]) : 0U);
        return value;
    }

private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

const std::string& whole_trace() {
    static const std::string bytes = [] {
        std::ifstream in(test::small_trace("whole.ttperf"), std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    }();
    return bytes;
}

/// A statement of its own; one that fails changes nothing.
void edit(const std::string& file, const std::string& sql) {
    answer(
        [&] { trace::Database(file, file, trace::Database::Open::Write).run("PRAGMA writable_schema = ON; " + sql); });
}

const trace::TableDef& some_table(Bytes& bytes) { return trace::tables[bytes.next(1) % trace::table_count]; }

std::string other_value(Bytes& bytes) {
    double real = 0;
    static constexpr std::array texts{"",
                                      "[1e999]",
                                      "[[0,9223372036854775807,1,20,-9223372036854775808]]",
                                      "[[[[[[]]]]]]",
                                      "[0,\"x\",null,{}]",
                                      "{\"a\":[1,2]}",
                                      "[1",
                                      "\xff\"\\\x01"};
    const std::uint64_t kind = bytes.next(1) % 5, value = bytes.next(8);
    std::memcpy(&real, &value, sizeof real);
    switch (kind) {
        case 0:
            return std::to_string(static_cast<std::int64_t>(value));
        case 1:
            return std::isfinite(real) ? fmt::format("{:.17g}", real) : "9e999";
        case 2:
            return fmt::format("'{}'", texts[value % texts.size()]);
        case 3:
            return fmt::format("zeroblob({})", value % 100000);
        default:
            return "NULL";
    }
}

std::string change_of_a_datum(Bytes& bytes) {
    const trace::TableDef& table = some_table(bytes);
    const std::uint64_t row = bytes.next(1), column = bytes.next(1);
    std::vector<std::string> names;
    for (std::size_t at = 0; at < table.columns.size();) {
        const std::size_t end = std::min(table.columns.find(", ", at), table.columns.size());
        const std::string_view one = table.columns.substr(at, end - at);
        names.emplace_back(one.substr(0, one.find(' ')));
        at = end + 2;
    }
    return fmt::format("UPDATE {0} SET {1} = {2} WHERE rowid IN (SELECT rowid FROM {0} LIMIT 1 OFFSET {3})", table.name,
                       names[column % names.size()], other_value(bytes), row % 4);
}

std::string change_of_the_schema(Bytes& bytes) {
    const std::string_view name = some_table(bytes).name;
    static constexpr std::string_view endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, x AS epoch FROM c";
    switch (bytes.next(1) % 7) {
        case 0:
            return fmt::format("DROP TABLE {}", name);
        case 1:
            return fmt::format("DROP TABLE {0}; CREATE VIEW {0} AS {1}", name, endless);
        case 2:
            return fmt::format("ALTER TABLE {} ADD COLUMN more", name);
        case 3:
            return fmt::format("CREATE TRIGGER t AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END", name);
        case 4:
            return fmt::format("DROP TABLE {0}; CREATE VIRTUAL TABLE {0} USING rtree(a, b, c)", name);
        case 5:
            return fmt::format("DROP VIEW load; CREATE VIEW load AS {}", endless);
        default:
            return fmt::format(
                "UPDATE sqlite_schema SET sql = 'CREATE TABLE {} (' || replace(hex(zeroblob({})), '0', "
                "'a') WHERE name = '{}'",
                name, bytes.next(2), name);
    }
}

void read_all(const std::string& file) {
    trace::Reader reader(file);
    for (const trace::EpochUse& epoch : trace::epochs(reader)) (void)trace::ops(reader, epoch.id);
    (void)trace::resources(reader);
    const trace::PerfData data = trace::read_perf_data(reader);
    for (const trace::Stage& stage : trace::stages(data, false)) (void)trace::stage_row(data, stage);
    for (const trace::EpochUse& epoch : data.epochs) (void)trace::epoch_resources(data, epoch.id);
    std::string text;
    bool cut = false;
    trace::export_perfetto(reader, {}, [&](std::string_view piece) {
        if (text.size() < 1 << 24)
            text += piece;
        else
            cut = true;
    });
    TT_CHECK(cut || nlohmann::json::accept(text), "the export is JSON");
}

}  // namespace

void trace(const std::string& bytes) {
    std::string image = whole_trace();
    Bytes commands(bytes);
    // bytes of the file first: SQLite then works on what is left
    std::string file;
    const auto made = [&] { return file.empty() ? file = file_of(image) : file; };
    while (commands.more()) {
        switch (commands.next(1) % 4) {
            case 0: {
                const std::size_t at = commands.next(3) % image.size();
                image[at] = static_cast<char>(commands.next(1));
                break;
            }
            case 1:
                image.resize(std::max<std::size_t>(commands.next(3) % (image.size() + 1), 1));
                break;
            case 2:
                edit(made(), change_of_a_datum(commands));
                break;
            default:
                edit(made(), change_of_the_schema(commands));
        }
    }
    answer([&] { read_all(made()); });
}

}  // namespace tt::fuzz
