#include "base/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace ttsim::impl {

namespace {

constexpr std::size_t max_problems = 100;
constexpr std::uintmax_t max_bytes = std::uintmax_t{256} << 20;

/// Whether a spreadsheet would evaluate the text as a formula. Signs alone, numbers and percentages are not formulas.
bool is_formula(std::string_view text) {
    if (text.empty() || std::string_view("=+-@\t\r\n").find(text.front()) == std::string_view::npos) return false;
    if (text.size() == 1) return text != "-" && text != "+";
    std::string_view number = text.substr(text.front() == '+' ? 1 : 0);
    if (number.ends_with(" %")) number.remove_suffix(2);
    return !parse_real(number);
}

/// Splits one record into fields; false if a quote is not closed.
bool split_record(std::string_view line, std::vector<std::string>& fields) {
    fields.assign(1, "");
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    for (std::string& field : fields)
        if (field.size() > 1 && field.front() == '\'' && is_formula(std::string_view(field).substr(1)))
            field.erase(0, 1);
    return !quoted;
}

void check_columns(const CsvFile& file, const std::vector<std::string>& needed, Diagnostics& problems) {
    for (const std::string& column : needed) {
        const auto occurrences = std::count(file.columns.begin(), file.columns.end(), column);
        if (occurrences == 0)
            problems.error({file.name, 1, 0}, "the column '{}' is missing{}", column,
                           did_you_mean(column, file.columns));
        if (occurrences > 1) problems.error({file.name, 1, 0}, "the column '{}' occurs {} times", column, occurrences);
    }
}

}  // namespace

void throw_if_many(const Diagnostics& problems) {
    if (problems.size() >= max_problems) problems.throw_if_any();
}

CsvFile parse_csv(std::string_view text, const std::string& name, const std::vector<std::string>& needed) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    CsvFile file;
    file.name = name;
    Diagnostics problems;
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (number > 1 && line.empty()) continue;
        CsvRow row{number, {}};
        if (!split_record(line, row.fields)) problems.error({name, number, 0}, "a quote is not closed on its line");
        if (number == 1) {
            file.columns = std::move(row.fields);
            check_columns(file, needed, problems);
            problems.throw_if_any();
            continue;
        }
        if (row.fields.size() != file.columns.size())
            problems.error({name, number, 0}, "{} fields; the first line names {}", row.fields.size(),
                           file.columns.size());
        throw_if_many(problems);
        file.rows.push_back(std::move(row));
    }
    if (number == 0) problems.error({name, 1, 0}, "the file is empty; a line of column names is wanted");
    problems.throw_if_any();
    return file;
}

CsvFile read_csv(const std::string& file, const std::vector<std::string>& needed) {
    return parse_csv(read_file(file, max_bytes), file, needed);
}

std::string csv_field(std::string_view text) {
    const std::string field = (is_formula(text) ? "'" : "") + std::string(text);
    if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
    std::string out = "\"";
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
    std::string out;
    for (const std::string& field : fields) {
        if (&field != fields.data()) out += ',';
        out += csv_field(field);
    }
    return out + '\n';
}

std::optional<double> parse_real(std::string_view text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

const std::string& CsvFields::text(std::string_view column) const {
    static const std::string empty;
    const auto found = std::find(file_.columns.begin(), file_.columns.end(), column);
    return found == file_.columns.end() ? empty : row_.fields[static_cast<std::size_t>(found - file_.columns.begin())];
}

std::int64_t CsvFields::size(const char* column, std::int64_t low, std::int64_t high,
                             std::optional<std::int64_t> otherwise) {
    const std::string& field = text(column);
    if (field.empty()) {
        if (!otherwise) error("'{}' is empty; an integer from {} is wanted", column, low);
        return otherwise.value_or(low);
    }
    const std::optional<double> value = parse_real(field);
    if (!value || *value != std::floor(*value) || *value < static_cast<double>(low) ||
        *value > static_cast<double>(high)) {
        error("'{}' is '{}'; an integer in {}..{} is wanted", column, field, low, high);
        return low;
    }
    return static_cast<std::int64_t>(*value);
}

std::optional<double> CsvFields::positive(const char* column) {
    const std::string& field = text(column);
    if (field.empty()) return {};
    const std::optional<double> value = parse_real(field);
    if (!value || *value <= 0) error("'{}' is '{}'; a number above 0 is wanted", column, field);
    return value;
}

std::size_t CsvFields::word(const char* column, const std::vector<std::string>& words) {
    const std::string field = to_lower(text(column));
    for (std::size_t i = 0; i < words.size(); ++i)
        if (field == to_lower(words[i])) return i;
    error("'{}' is '{}'{}; known: {}", column, text(column), did_you_mean(field, words), fmt::join(words, ", "));
    return 0;
}

}  // namespace ttsim::impl
