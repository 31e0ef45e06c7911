// A thin, checked layer over SQLite: every failure becomes an Error(Input) at the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ttsim::impl::trace {

class Database {
public:
    enum class Open : std::uint8_t { Read, Write };
    /// `shown` is the name errors use, such as the final name of a temporary file.
    /// Reading, the file counts as hostile: nothing in it may call functions, run for ever or take memory without end.
    Database(const std::string& path, std::string shown, Open how);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& sql);  ///< one or several statements without results
    /// The schema has been found to be that of a trace: its views may use all functions.
    void trust_schema();
    void close();  ///< reports what the destructor would have to swallow
    [[noreturn]] void fail() const;
    const std::string& shown() const { return shown_; }
    sqlite3* handle() const { return handle_; }
    Open how() const { return how_; }
    /// A row was read: what the program may do until the next counts anew.
    void refresh() { step_ = 0; }

private:
    void guard(const std::string& path);
    std::string shown_;
    Open how_;
    sqlite3* handle_ = nullptr;
    /// Thousands of steps of SQLite's machine: since the last row, in all, and how many may be.
    std::int64_t step_ = 0, total_ = 0, most_step_ = 0, most_total_ = 0;
};

/// One prepared statement. Used again after done().
class Statement {
public:
    Statement(Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    // --- parameters, from 1 ---
    void bind(int at, std::int64_t value);
    void bind(int at, double value);
    void bind(int at, std::string_view text);  ///< the text must live until done()
    void bind_null(int at);

    /// The next row; false at the end, after which the statement can be used again.
    bool step();
    void run() {
        while (step()) {
        }
    }

    // --- columns, from 0 ---
    /// Throws Error(Input) when the number is above `most` or below -`most`, so that sums of some do not overflow.
    std::int64_t whole(int column, std::int64_t most = largest) const;
    static constexpr std::int64_t largest = std::int64_t{1} << 48;
    double real(int column) const;
    /// Bytes that are no UTF-8 become U+FFFD.
    std::string text(int column) const;
    enum class Type : std::uint8_t { Null, Whole, Real, Text, Blob };
    Type type(int column) const;
    // as they are; the text until the next step
    std::int64_t raw_whole(int column) const;
    double raw_real(int column) const;
    std::string_view raw_text(int column) const;
    bool null(int column) const;

private:
    Database& database_;
    sqlite3_stmt* handle_ = nullptr;
    std::int64_t rows_ = 0;
};

}  // namespace ttsim::impl::trace
