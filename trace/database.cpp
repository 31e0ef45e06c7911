#include "trace/database.hpp"

#include <sqlite3.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace ttsim::impl::trace {

/// A URI that opens the file alone, ignoring journal files beside it.
static std::string immutable_uri(const std::string& path) {
    std::string uri = path.starts_with('/') ? "file://" : "file:";
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                           c == '.' || c == '-' || c == '_';
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri + "?immutable=1";
}

Database::Database(const std::string& path, std::string shown, Open how) : shown_(std::move(shown)), how_(how) {
    const int flags =
        how == Open::Read ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const std::string name = how == Open::Read ? immutable_uri(path) : path;
    if (sqlite3_open_v2(name.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK) {
        if (how == Open::Write) return;
        try {
            restrict_access(path);
        } catch (...) {
            sqlite3_close(handle_);
            throw;
        }
        return;
    }
    const std::string reason = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    fail_input({shown_, 0, 0}, "cannot be opened: {}", reason);
}

void Database::restrict_access(const std::string& path) {
    constexpr std::array<std::pair<int, int>, 9> limits{{{SQLITE_LIMIT_LENGTH, 256 << 20},
                                                         {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},
                                                         {SQLITE_LIMIT_COLUMN, 100},
                                                         {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                                         {SQLITE_LIMIT_COMPOUND_SELECT, 4},
                                                         {SQLITE_LIMIT_VDBE_OP, 100'000},
                                                         {SQLITE_LIMIT_ATTACHED, 0},
                                                         {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                                         {SQLITE_LIMIT_WORKER_THREADS, 0}}};
    for (const auto& [limit, value] : limits) sqlite3_limit(handle_, limit, value);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // Valid queries take time proportional to the file size. Much more work means a malicious file.
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    const std::int64_t size = failed ? 0 : static_cast<std::int64_t>(bytes);
    max_step_ = 50'000 + size / 20;
    max_total_ = 1'000'000 + size / 2;
    sqlite3_progress_handler(
        handle_, 1000,
        [](void* self) {
            auto& database = *static_cast<Database*>(self);
            return ++database.step_ > database.max_step_ || ++database.total_ > database.max_total_ ? 1 : 0;
        },
        this);
    run("PRAGMA query_only = ON; PRAGMA cell_size_check = ON");
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::trust_schema() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr); }

void Database::close() {
    if (sqlite3_close(handle_) != SQLITE_OK) fail();
    handle_ = nullptr;
}

void Database::fail() const {
    if (sqlite3_errcode(handle_) == SQLITE_INTERRUPT)
        fail_input({shown_, 0, 0}, "cannot be read: its tables take too long to read; they are not those of a run");
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
    if (result == SQLITE_ROW) {
        // a few rows of a trace can expand to an unlimited number of rows
        constexpr std::int64_t max_rows = std::int64_t{1} << 27;
        if (database_.how() == Database::Open::Read && ++rows_ > max_rows)
            fail_input({database_.shown(), 0, 0}, "cannot be read: it expands to more than {} rows", max_rows);
        database_.refresh();
        return true;
    }
    const int reset = sqlite3_reset(handle_);
    if (result != SQLITE_DONE || reset != SQLITE_OK) database_.fail();
    return false;
}

std::int64_t Statement::integer(int column, std::int64_t most) const {
    const std::int64_t value = sqlite3_column_int64(handle_, column);
    if (value > most || value < -most)
        fail_input({database_.shown(), 0, 0}, "cannot be read: it holds the number {}; from {} to {} are possible",
                   value, -most, most);
    return value;
}
double Statement::real(int column) const {
    const double value = sqlite3_column_double(handle_, column);
    if (!std::isfinite(value))
        fail_input({database_.shown(), 0, 0}, "cannot be read: it holds a number that is not finite");
    return value;
}
std::string Statement::text(int column) const { return valid_utf8(raw_text(column)); }
Statement::Type Statement::type(int column) const {
    switch (sqlite3_column_type(handle_, column)) {
        case SQLITE_INTEGER:
            return Type::Integer;
        case SQLITE_FLOAT:
            return Type::Real;
        case SQLITE_TEXT:
            return Type::Text;
        case SQLITE_BLOB:
            return Type::Blob;
        default:
            return Type::Null;
    }
}
std::int64_t Statement::raw_integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::raw_real(int column) const { return sqlite3_column_double(handle_, column); }
std::string_view Statement::raw_text(int column) const {
    const unsigned char* const text = sqlite3_column_text(handle_, column);
    if (!text) return "";
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}
bool Statement::null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

}  // namespace ttsim::impl::trace
