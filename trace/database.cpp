#include "trace/database.hpp"

#include <sqlite3.h>

#include "base/error.hpp"

namespace tt::trace {

Database::Database(const std::string& path, std::string shown, Open how) : shown_(std::move(shown)), how_(how) {
    const int flags = how == Open::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK) return;
    const std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    fail_input({shown_, 0, 0}, "cannot be opened: {}", why);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::close() {
    if (sqlite3_close(handle_) != SQLITE_OK) fail();
    handle_ = nullptr;
}

void Database::fail() const {
    const char* const verb = how_ == Open::Write ? "cannot be written" : "cannot be read";
    fail_input({shown_, 0, 0}, "{}: {}", verb, sqlite3_errmsg(handle_));
}

void Database::run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
    if (sqlite3_prepare_v2(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &handle_, nullptr) !=
        SQLITE_OK)
        database_.fail();
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::bind(int at, std::int64_t value) {
    if (sqlite3_bind_int64(handle_, at, value) != SQLITE_OK) database_.fail();
}
void Statement::bind(int at, double value) {
    if (sqlite3_bind_double(handle_, at, value) != SQLITE_OK) database_.fail();
}
void Statement::bind(int at, std::string_view text) {
    if (sqlite3_bind_text64(handle_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
        database_.fail();
}
void Statement::bind_null(int at) {
    if (sqlite3_bind_null(handle_, at) != SQLITE_OK) database_.fail();
}

bool Statement::step() {
    const int result = sqlite3_step(handle_);
    if (result == SQLITE_ROW) return true;
    const int reset = sqlite3_reset(handle_);
    if (result != SQLITE_DONE || reset != SQLITE_OK) database_.fail();
    return false;
}

std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }
std::string Statement::text(int column) const {
    const unsigned char* const text = sqlite3_column_text(handle_, column);
    if (!text) return "";
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}
bool Statement::null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

}  // namespace tt::trace
