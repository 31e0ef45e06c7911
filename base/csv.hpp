// CSV files of measurements: the first line holds the column names. They are read completely, checked, and written back
// with added columns.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ttsim::impl {

struct CsvRow {
    int line = 0;                     ///< of the file
    std::vector<std::string> fields;  ///< one per column
};

struct CsvFile {
    std::string name;
    std::vector<std::string> columns;
    std::vector<CsvRow> rows;
};

/// Parses CSV text. A field may be quoted, with "" for a quote inside, but must not span lines. Empty lines are
/// skipped. Throws one Error(Input) that lists every missing or repeated column and up to 100 malformed lines.
CsvFile parse_csv(std::string_view text, const std::string& name, const std::vector<std::string>& needed);
/// Parses a CSV file of at most 256 MiB.
CsvFile read_csv(const std::string& file, const std::vector<std::string>& needed);
/// Escapes a field for a CSV file and quotes it if necessary. Text that a spreadsheet would evaluate as a formula gets
/// an apostrophe prefix, which parse_csv() removes. Such text begins with = + - @, a tab or a line end, and is not a
/// number.
std::string csv_field(std::string_view text);
/// One CSV line of escaped fields, with a line end.
std::string csv_line(const std::vector<std::string>& fields);

/// Parses the entire text as a finite number.
std::optional<double> parse_real(std::string_view text);

/// Typed access to the fields of a row. Errors name file, line and column.
class CsvFields {
public:
    CsvFields(const CsvFile& file, const CsvRow& row, Diagnostics& out) : file_(file), row_(row), out_(out) {}

    /// Returns "" if the file has no such column.
    const std::string& text(std::string_view column) const;
    SourceLoc at() const { return {file_.name, row_.line, 0}; }
    template <class... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) {
        out_.error(at(), format, std::forward<Args>(args)...);
    }
    /// An integer in low..high. An empty field yields `otherwise`, or an error if that is nullopt.
    std::int64_t size(const char* column, std::int64_t low, std::int64_t high, std::optional<std::int64_t> otherwise);
    /// A number above 0; nullopt if the field is empty.
    std::optional<double> positive(const char* column);
    /// The index of the field in `words`, ignoring letter case; 0 after an error.
    std::size_t word(const char* column, const std::vector<std::string>& words);

private:
    const CsvFile& file_;
    const CsvRow& row_;
    Diagnostics& out_;
};

/// Throws once 100 problems are collected, so that reading a thoroughly malformed file stops early.
void throw_if_many(const Diagnostics& problems);

}  // namespace ttsim::impl
