// A thin, checked layer over SQLite: every failure becomes an Error(Input) at the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tt::trace {

class Database {
public:
    enum class Open : std::uint8_t { Read, Write };
    /// `shown` is the name errors use, such as the final name of a temporary file.
    Database(const std::string& path, std::string shown, Open how);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& sql);  ///< one or several statements without results
    void close();                      ///< reports what the destructor would have to swallow
    [[noreturn]] void fail() const;
    const std::string& shown() const { return shown_; }
    sqlite3* handle() const { return handle_; }

private:
    std::string shown_;
    Open how_;
    sqlite3* handle_ = nullptr;
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
    std::int64_t whole(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    bool null(int column) const;

private:
    Database& database_;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace tt::trace
