#include "tests/fuzz/trace_damage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tests/fuzz/command_bytes.hpp"
#include "tests/fuzz/file_of.hpp"
#include "tests/fuzz/targets.hpp"
#include "trace/database.hpp"
#include "trace/schema.hpp"

namespace ttsim::impl::fuzz {

namespace {

/// A separate statement; one that fails changes nothing.
void edit(const std::string& file, const std::string& sql) {
    answer(
        [&] { trace::Database(file, file, trace::Database::Open::Write).run("PRAGMA writable_schema = ON; " + sql); });
}

const trace::TableDef& some_table(CommandBytes& bytes) { return trace::tables[bytes.next(1) % trace::table_count]; }

/// Of `column` of a table; as SQL.
std::string other_value(CommandBytes& bytes, std::string_view table, std::string_view column) {
    double real = 0;
    static constexpr std::array texts{"",
                                      "[1e999]",
                                      "[[0,9223372036854775807,1,20,-9223372036854775808]]",
                                      "[[[[[[]]]]]]",
                                      "[0,\"x\",null,{}]",
                                      "{\"a\":[1,2]}",
                                      "[1",
                                      "\xff\"\\\x01",
                                      "=1+1",
                                      "</script>\xe2\x80\xa8",
                                      "\x1b]0;title\x07\xc2\x9b"
                                      "31m",
                                      "a,\"b\"\r\nc",
                                      "-1",
                                      "NaN"};
    const std::uint64_t kind = bytes.next(1) % 8, value = bytes.next(8);
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
        case 4:
            return std::to_string(value % 64);
        case 5:  // of another row
            return fmt::format("(SELECT {} FROM {} LIMIT 1 OFFSET {})", column, table, value % 8);
        case 6:
            return std::to_string((std::int64_t{1} << value % 63) - static_cast<std::int64_t>(value >> 56 & 1));
        default:
            return "NULL";
    }
}

std::string change_of_a_element(CommandBytes& bytes) {
    const trace::TableDef& table = some_table(bytes);
    const std::uint64_t row = bytes.next(1), column = bytes.next(1);
    const std::vector<trace::ColumnDef> columns = trace::columns_of(table);
    return fmt::format("UPDATE {0} SET {1} = {2} WHERE rowid IN (SELECT rowid FROM {0} LIMIT 1 OFFSET {3})", table.name,
                       columns[column % columns.size()].name,
                       other_value(bytes, table.name, columns[column % columns.size()].name), row % 16);
}

std::string change_of_the_schema(CommandBytes& bytes) {
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

}  // namespace

std::string damaged_trace(std::string image, const std::string& bytes) {
    CommandBytes commands(bytes);
    // bytes of the file first: SQLite then works on the rest
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
                edit(made(), change_of_a_element(commands));
                break;
            default:
                edit(made(), change_of_the_schema(commands));
        }
    }
    return made();
}

}  // namespace ttsim::impl::fuzz
