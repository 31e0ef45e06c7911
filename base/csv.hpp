// Files of measured rows: comma-separated, the first line names the columns. Read whole, checked, written back with
// columns added.
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
    std::vector<std::string> fields;  ///< as many as there are columns
};

struct CsvFile {
    std::string name;
    std::vector<std::string> columns;
    std::vector<CsvRow> rows;
};

/// Fields may be quoted, "" inside quotes is a quote; a field stays on one line. Empty lines are skipped. Throws one
/// Error(Input) with every missing or repeated column and, up to a hundred, every line that does not fit them.
CsvFile parse_csv(std::string_view text, const std::string& name, const std::vector<std::string>& needed);
/// The same of a file of at most 256 MiB.
CsvFile read_csv(const std::string& file, const std::vector<std::string>& needed);
/// A field as it stands in a file: quoted where it must be. A text that a spreadsheet would take for a formula gets an
/// apostrophe before it, which parse_csv() takes away again. Such a text begins with = + - @, a tab or a line end, and
/// is no number.
std::string csv_field(std::string_view text);
/// One line of such fields.
std::string csv_line(const std::vector<std::string>& fields);

/// The whole text as a finite number.
std::optional<double> parse_real(std::string_view text);

/// One row's fields by column name, with messages that name file, line and column.
class CsvFields {
public:
    CsvFields(const CsvFile& file, const CsvRow& row, Diagnostics& out) : file_(file), row_(row), out_(out) {}

    /// "" for a column the file lacks.
    const std::string& text(std::string_view column) const;
    SourceLoc at() const { return {file_.name, row_.line, 0}; }
    template <class... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) {
        out_.error(at(), format, std::forward<Args>(args)...);
    }
    /// Whole, in low..high; empty gives `otherwise`, which nullopt forbids.
    std::int64_t size(const char* column, std::int64_t low, std::int64_t high, std::optional<std::int64_t> otherwise);
    /// Above 0; empty gives nullopt.
    std::optional<double> positive(const char* column);
    /// One of the words, any letter case, as its place among them; 0 after an error.
    std::size_t word(const char* column, const std::vector<std::string>& words);

private:
    const CsvFile& file_;
    const CsvRow& row_;
    Diagnostics& out_;
};

/// Stops reading a file in which next to every line is wrong.
void throw_if_many(const Diagnostics& problems);

}  // namespace ttsim::impl
