// Where results go: a file that appears whole or not at all, and a standard output whose failures are noticed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tt::cli {

/// A file written to a temporary beside it and renamed at the end. '-' is standard output; devices and pipes are
/// written directly.
class OutputFile {
public:
    /// Throws Error(Input) when the file could not be written, before any work is done.
    explicit OutputFile(std::string path);
    bool is_stdout() const { return path_ == "-"; }
    /// Throws Error(Input) and leaves the old file, if any, as it was.
    void write(std::string_view text) const;

private:
    bool direct() const;

    std::string path_;
};

/// Throws Error(Input) when standard output is closed or full.
void print_text(std::string_view text);

/// The same, with verdicts painted where standard output shows colours.
void print_report(std::string_view text);
/// Columns that tables may take on standard output; none when it is no terminal.
std::optional<std::size_t> report_width();

}  // namespace tt::cli
