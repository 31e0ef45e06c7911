// Writes a trace into a temporary file, which finish() renames.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/new_file.hpp"
#include "trace/database.hpp"
#include "trace/schema.hpp"

namespace ttsim::impl::trace {

class Writer {
public:
    /// Throws Error(Input) at `path` if it cannot be written; so do the other functions.
    explicit Writer(const std::string& path);

    /// Adds a row; values are integers, doubles, texts or nullopt, one per column.
    template <class... Values>
    void add(Table table, const Values&... values) {
        Statement& insert = statement(table);
        int at = 0;
        (bind(insert, ++at, values), ...);
        insert.run();
    }
    /// Completes the file and renames it to the trace's name.
    void finish();

private:
    Statement& statement(Table table);
    template <class Value>
    static void bind(Statement& insert, int at, const Value& value) {
        if constexpr (std::is_same_v<Value, std::nullopt_t>)
            insert.bind_null(at);
        else if constexpr (std::is_integral_v<Value>)
            insert.bind(at, static_cast<std::int64_t>(value));
        else if constexpr (std::is_floating_point_v<Value>)
            insert.bind(at, static_cast<double>(value));
        else
            insert.bind(at, std::string_view(value));
    }
    template <class Number>
    static void bind(Statement& insert, int at, const std::optional<Number>& value) {
        if (value)
            insert.bind(at, *value);
        else
            insert.bind_null(at);
    }

    NewFile file_;
    Database database_;
    std::array<std::unique_ptr<Statement>, table_count> inserts_;
};

}  // namespace ttsim::impl::trace
