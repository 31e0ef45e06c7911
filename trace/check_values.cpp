#include "trace/check_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "trace/schema.hpp"

namespace ttsim::impl::trace {

namespace {

// --- 1. ranges of columns -------------------------------------------------------------------------------------------

/// Allowed range of an integer column. An empty table matches the column in every table.
struct Range {
    std::string_view table, column;
    std::int64_t least, most;
};
constexpr std::int64_t max_id = INT32_MAX, max_chip = 1 << 16, max_coordinate = 999;
constexpr Range ranges[] = {
    {"run", "seed", INT64_MIN, INT64_MAX},
    {"parameter", "value", INT64_MIN, INT64_MAX},
    {"run", "level", 1, 2},
    {"run", "bucket_cycles", 1, Statement::largest},
    {"", "clock_mhz", 1, 1'000'000},
    {"chip", "id", 0, max_chip},
    {"", "chip", 0, max_chip},
    {"", "to_chip", 0, max_chip},
    {"", "id", 0, max_id},
    {"", "n", 0, max_id},
    {"", "noc", 0, 1},
    // other formats derive track numbers from core coordinates
    {"", "x", 0, max_coordinate},
    {"", "y", 0, max_coordinate},
    {"", "from_x", 0, max_coordinate},
    {"", "from_y", 0, max_coordinate},
    {"", "grid_x", 0, max_coordinate},
    {"", "grid_y", 0, max_coordinate},
    {"", "grid_r", 0, max_coordinate},
    {"", "grid_c", 0, max_coordinate},
    {"", "channel", 0, max_coordinate},
};

/// Columns that may be NULL.
constexpr std::pair<std::string_view, std::string_view> optional_columns[] = {{"run", "inputs_count"},
                                                                              {"flow", "operand"},
                                                                              {"flow", "from_op"},
                                                                              {"flow", "queue"},
                                                                              {"flow_run", "pattern"},
                                                                              {"epoch", "same_as"},
                                                                              {"epoch", "inputs_per_second"},
                                                                              {"resource", "noc"},
                                                                              {"resource", "x"},
                                                                              {"resource", "y"},
                                                                              {"queue", "chip"},
                                                                              {"resource", "channel"},
                                                                              {"resource", "to_chip"}};

/// TEXT columns that hold JSON lists: of integers or, if `width` is set, of lists with at least that many integers.
struct ListForm {
    std::string_view table, column;
    std::size_t width = 0;
    bool has_trailing_text = false;  ///< a text follows the integers of each list
};
constexpr ListForm list_forms[] = {
    {"chip", "harvested_rows"}, {"queue", "buffers", 2},     {"flow", "cores"},
    {"epoch", "chips"},         {"core_load", "series", 21}, {"pattern", "events", 2},
    {"route", "ends", 2},       {"route", "links", 2, true}, {"resource", "buckets"},
};

/// TEXT columns of unlimited length: file contents and messages.
bool is_long(const TableDef& table, std::string_view column) {
    return (table.table == Table::File && column == "text") || column == "command" || column == "message";
}
constexpr std::size_t max_name_bytes = 1 << 20;  // enough for the names of all graphs of a launch

/// SQL conditions that hold only for invalid rows.
struct Rule {
    std::string_view table, column, invalid_if, reason;
};
constexpr Rule rules[] = {
    {"number", "n", "n >= (SELECT count(*) FROM number)", "numbers are counted from 0"},
    {"core_load", "end", "end < start", "it lies before the start"},
    // 0: nothing had arrived when the run was interrupted
    {"flow_load", "last_arrival", "last_arrival < first_sent AND last_arrival <> 0",
     "it lies before the first sending"},
    {"core", "op", "op NOT IN (SELECT id FROM op)", "there is no such op"},
    {"flow", "op", "op NOT IN (SELECT id FROM op)", "there is no such op"},
    {"flow", "from_op", "from_op NOT IN (SELECT id FROM op)", "there is no such op"},
    {"flow", "queue", "queue NOT IN (SELECT id FROM queue)", "there is no such queue"},
    {"epoch", "same_as", "same_as NOT IN (SELECT id FROM epoch WHERE same_as IS NULL)",
     "there is no such epoch, or it repeats one itself"},
    {"core_load", "epoch", "epoch NOT IN (SELECT id FROM epoch)", "there is no such epoch"},
    {"core_load", "core", "core NOT IN (SELECT id FROM core)", "there is no such core"},
    {"flow_load", "epoch", "epoch NOT IN (SELECT id FROM epoch)", "there is no such epoch"},
    {"flow_load", "flow", "flow NOT IN (SELECT id FROM flow)", "there is no such flow"},
    {"flow_run", "times", "times > (SELECT count(*) FROM number)", "the table 'number' does not count as far"},
    {"flow_run", "shift", "1.0 * times * shift > 281474976710656", "the run would take too long"},
    {"flow_run", "every", "1.0 * times * every > 281474976710656", "there would be too many inputs"},
    {"flow_run", "epoch", "epoch NOT IN (SELECT id FROM epoch)", "there is no such epoch"},
    {"flow_run", "flow", "flow NOT IN (SELECT id FROM flow)", "there is no such flow"},
    {"flow_run", "pattern", "pattern NOT IN (SELECT id FROM pattern)", "there is no such pattern"},
    {"flow_route", "flow", "flow NOT IN (SELECT id FROM flow)", "there is no such flow"},
    {"flow_route", "route", "route NOT IN (SELECT id FROM route)", "there is no such route"},
};

// --- 2. lists -------------------------------------------------------------------------------------------------------

/// Parses a list of the given form and sums its numbers. `max_repeats`: maximum of `times` in a row of a series.
class ListReader : public nlohmann::json_sax<nlohmann::json> {
public:
    ListReader(const ListForm& form, std::int64_t max_repeats)
        : form_(form), max_repeats_(static_cast<double>(max_repeats)) {}
    double total() const { return total_; }

    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ != depth() || has_text_ || value > static_cast<number_unsigned_t>(Statement::largest)) return false;
        const auto number = static_cast<double>(value);
        total_ += number;
        if (width_ < head_.size()) head_[width_] = number;
        ++width_;
        return true;
    }
    bool string(string_t& /*value*/) override {
        const bool last = form_.has_trailing_text && !has_text_ && depth_ == 2 && width_ == form_.width;
        has_text_ = true;
        return last;
    }
    bool start_array(std::size_t /*size*/) override {
        width_ = 0;
        has_text_ = false;
        return ++depth_ <= depth();
    }
    bool end_array() override {
        const bool valid = depth_ != 2 || (width_ >= form_.width && has_text_ == form_.has_trailing_text &&
                                           (form_.column != "series" || is_series_row()));
        --depth_;
        return valid;
    }
    // other JSON values are not allowed in a list
    bool null() override { return false; }
    bool boolean(bool /*value*/) override { return false; }
    bool number_integer(number_integer_t /*value*/) override { return false; }  // a negative one
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return false; }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return false; }
    bool key(string_t& /*value*/) override { return false; }
    bool end_object() override { return false; }
    bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        return false;
    }

private:
    int depth() const { return form_.width > 0 ? 2 : 1; }
    /// input, times, every, shift, ...
    bool is_series_row() const {
        constexpr auto most = static_cast<double>(Statement::largest);
        return head_[1] <= max_repeats_ && head_[1] * head_[2] <= most && head_[1] * head_[3] <= most;
    }
    const ListForm& form_;
    double max_repeats_;
    std::array<double, 4> head_{};  ///< the first numbers of the current list
    int depth_ = 0;
    std::size_t width_ = 0;
    bool has_text_ = false;
    double total_ = 0;
};

// --- 3. a table -----------------------------------------------------------------------------------------------------

struct CheckedColumn {
    std::string_view name, type;
    bool optional = false, is_long = false, is_summed = true;
    std::int64_t least = 0, most = Statement::largest;
    const ListForm* list = nullptr;
    double total = 0;
};

std::vector<CheckedColumn> checked_columns(const TableDef& table) {
    std::vector<CheckedColumn> columns;
    for (const ColumnDef& def : columns_of(table)) {
        CheckedColumn column{.name = def.name, .type = def.type};
        for (const auto& [of, name] : optional_columns) column.optional |= of == table.name && name == def.name;
        column.is_long = is_long(table, def.name);
        for (const ListForm& form : list_forms)
            if (form.table == table.name && form.column == def.name) column.list = &form;
        const auto* const range = std::find_if(std::begin(ranges), std::end(ranges), [&](const Range& r) {
            return r.column == def.name && (r.table.empty() || r.table == table.name);
        });
        if (range != std::end(ranges)) {
            column.least = range->least;
            column.most = range->most;
            column.is_summed = range->least >= 0;
        }
        columns.push_back(column);
    }
    return columns;
}

class TableCheck {
public:
    TableCheck(Database& database, const TableDef& table, double max_total, std::int64_t max_repeats)
        : database_(database),
          table_(table),
          max_total_(max_total),
          max_repeats_(max_repeats),
          columns_(checked_columns(table)) {}

    void run() {
        Statement rows(database_, fmt::format("SELECT rowid, * FROM {}", table_.name));
        while (rows.step())
            for (std::size_t n = 0; n < columns_.size(); ++n) check(columns_[n], rows, static_cast<int>(n) + 1);
    }

private:
    void check(CheckedColumn& column, const Statement& rows, int at) {
        const Statement::Type type = rows.type(at);
        if (type == Statement::Type::Null) {
            if (!column.optional) fail(column, rows, "nothing", "a value is wanted");
        } else if (column.type == "TEXT") {
            if (type != Statement::Type::Text) fail(column, rows, "no text", "a text is wanted");
            check_text(column, rows, at);
        } else if (column.type == "REAL") {
            if (type != Statement::Type::Real && type != Statement::Type::Integer)
                fail(column, rows, "no number", "a number is wanted");
            const double value = rows.raw_real(at);
            if (!(value >= 0 && value <= static_cast<double>(Statement::largest)))
                fail(column, rows, fmt::format("{}", value), fmt::format("0 to {} are possible", Statement::largest));
        } else {
            if (type != Statement::Type::Integer) fail(column, rows, "no integer", "an integer is wanted");
            const std::int64_t value = rows.raw_integer(at);
            if (value < column.least || value > column.most)
                fail(column, rows, fmt::format("{}", value),
                     fmt::format("{} to {} are possible", column.least, column.most));
            if (column.is_summed) add(column, rows, static_cast<double>(value));
        }
    }
    void check_text(CheckedColumn& column, const Statement& rows, int at) {
        const std::string_view text = rows.raw_text(at);
        if (column.list) {
            ListReader list(*column.list, max_repeats_);
            if (!nlohmann::json::sax_parse(text, &list))
                fail(column, rows, fmt::format("'{:.40}'", text), "a list of integers, as a run writes it, is wanted");
            add(column, rows, list.total());
        } else if (!column.is_long && text.size() > max_name_bytes) {
            fail(column, rows, fmt::format("{} bytes", text.size()),
                 fmt::format("at most {} are read", max_name_bytes));
        }
    }
    void add(CheckedColumn& column, const Statement& rows, double value) const {
        column.total += value;
        if (column.total > max_total_)
            fail(column, rows, "a number with which the sum of all is too large", "no run takes that long");
    }
    [[noreturn]] void fail(const CheckedColumn& column, const Statement& rows, const std::string& found,
                           const std::string& wanted) const {
        fail_input({database_.shown(), 0, 0},
                   "cannot be read: row {} of table '{}' holds {} as '{}'; {}: record the run again",
                   rows.raw_integer(0), table_.name, found, column.name, wanted);
    }

    Database& database_;
    const TableDef& table_;
    double max_total_;
    std::int64_t max_repeats_;
    std::vector<CheckedColumn> columns_;
};

void check_rule(Database& database, const Rule& rule) {
    Statement rows(database,
                   fmt::format("SELECT rowid, {} FROM {} WHERE {} LIMIT 1", rule.column, rule.table, rule.invalid_if));
    if (!rows.step()) return;
    fail_input({database.shown(), 0, 0},
               "cannot be read: row {} of table '{}' holds {} as '{}'; {}: record the run again", rows.raw_integer(0),
               rule.table, rows.raw_integer(1), rule.column, rule.reason);
}

std::int64_t count_rows(Database& database, const char* table) {
    Statement count(database, fmt::format("SELECT count(*) FROM {}", table));
    const std::int64_t rows = count.step() ? count.raw_integer(0) : 0;
    count.run();
    return rows;
}

}  // namespace

void check_values(Database& database) {
    const std::int64_t epochs = count_rows(database, "epoch"), numbers = count_rows(database, "number");
    // an epoch may repeat another one, so that its numbers count again
    const double max_total = std::ldexp(1.0, 61) / std::max(1.0, static_cast<double>(epochs));
    for (const TableDef& table : tables) TableCheck(database, table, max_total, numbers).run();
    for (const Rule& rule : rules) check_rule(database, rule);
}

}  // namespace ttsim::impl::trace
