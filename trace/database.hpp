// A thin wrapper of SQLite: every failure becomes an Error(Input) at the file.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ttsim::impl::trace {

class Database {
public:
    enum class Open : std::uint8_t { Read, Write };
    /// `shown` is the file name in errors, e.g. the final name of a temporary file. Files opened for reading are not
    /// trusted: they must not call functions, run endlessly or use unlimited memory.
    Database(const std::string& path, std::string shown, Open how);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& sql);  ///< one or more statements without results
    /// Call after the schema was checked: allows its views to use all functions.
    void trust_schema();
    void close();  ///< reports errors that the destructor would ignore
    [[noreturn]] void fail() const;
    const std::string& shown() const { return shown_; }
    sqlite3* handle() const { return handle_; }
    Open how() const { return how_; }
    /// Called for each row read; restarts the limit of work per row.
    void refresh() { step_ = 0; }

private:
    void restrict_access(const std::string& path);
    std::string shown_;
    Open how_;
    sqlite3* handle_ = nullptr;
    /// Thousands of virtual machine steps of SQLite: since the last row, in total, and their limits.
    std::int64_t step_ = 0, total_ = 0, max_step_ = 0, max_total_ = 0;
};

/// A prepared statement. It can be reused after step() returned false.
class Statement {
public:
    Statement(Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    // --- parameters, from 1 ---
    void bind(int at, std::int64_t value);
    void bind(int at, double value);
    void bind(int at, std::string_view text);  ///< the text must stay valid until step() returns false
    void bind_null(int at);

    /// The next row; false at the end, after which the statement can be used again.
    bool step();
    void run() {
        while (step()) {
        }
    }

    // --- columns, from 0 ---
    /// Throws Error(Input) if the magnitude of the number is above `most`, so that sums of a few do not overflow.
    std::int64_t integer(int column, std::int64_t most = largest) const;
    static constexpr std::int64_t largest = std::int64_t{1} << 48;
    /// Reads numbers from the columns from `first` on; returns the column behind them.
    int integers(int first, std::initializer_list<std::int64_t*> numbers) const {
        for (std::int64_t* number : numbers) *number = integer(first++);
        return first;
    }
    double real(int column) const;
    /// Invalid UTF-8 bytes are replaced by U+FFFD.
    std::string text(int column) const;
    enum class Type : std::uint8_t { Null, Integer, Real, Text, Blob };
    Type type(int column) const;
    // unchecked values; the text is valid until the next step
    std::int64_t raw_integer(int column) const;
    double raw_real(int column) const;
    std::string_view raw_text(int column) const;
    bool null(int column) const;

private:
    Database& database_;
    sqlite3_stmt* handle_ = nullptr;
    std::int64_t rows_ = 0;
};

}  // namespace ttsim::impl::trace
