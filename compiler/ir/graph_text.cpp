// The text form of a graph, for tests and users (graph_print.cpp prints it):
//
//   %x = input : f32[2, 3]
//   %w = constant [1, 2.5, 0x7fc00000] : f32[3]      one value fills the tensor; long lists: hex "3f800000..."
//   %y = add %x, %w : f32[2, 3] from "node of the model" in "composite op it was part of"
//   %d = buda.matmul %a (hslice: 4), %b (transpose) {z = 4, kind = "x"} : Float32[1, 2, 3]
//   %v = top_k %x {axis = 1, k = 2} : f32[2, 2], i64[2, 2]      an op with several results; %v is the first
//   %i = result %v {index = 1} : i64[2, 2]                      the one after it
//   %p = parameter [1, 2] {state = "p"} : f32[2]                an input that stays on the device, with its initial
//   value;
//                                                               the output "p" replaces it
//   %n = subtract %p, %g : f32[2] for optimizer                 of the backward program or the optimizer
//   output "y" = %y
//
// In quotes, \" and \\ are these characters and \x0a is the character with that code.
// "//" starts a comment. The type of a result may be left out; it is then inferred.
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <sstream>
#include <unordered_map>

#include "base/text.hpp"
#include "compiler/ir/op_table.hpp"

namespace ttsim::impl::ir {

namespace {

/// A tokenizer for one line.
class Line {
public:
    Line(const std::string& text, const std::string& file, int number) : text_(text), file_(file), number_(number) {
        skip();
    }

    SourceLoc here() const { return {file_, number_, static_cast<int>(at_) + 1}; }
    bool done() const { return at_ >= text_.size(); }
    char peek() const { return done() ? '\0' : text_[at_]; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        skip();
        return true;
    }
    void expect(char c, const char* where) {
        if (!take(c)) fail_input(here(), "'{}' is wanted {}", c, where);
    }
    /// Letters, digits and the other characters of names and numbers.
    std::string word(const char* what) {
        const std::size_t start = at_;
        const auto part = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '+' ||
                   c == '/';
        };
        while (at_ < text_.size() && part(text_[at_]) && text_.compare(at_, 2, "//") != 0) ++at_;
        if (at_ == start) fail_input(here(), "{} is wanted", what);
        const std::string word = text_.substr(start, at_ - start);
        skip();
        return word;
    }
    bool take_word(const std::string& wanted) {
        const std::size_t end = at_ + wanted.size();
        if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
        if (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
            return false;
        at_ = end;
        skip();
        return true;
    }
    std::string string(const char* what) {
        if (peek() != '"') fail_input(here(), "{} in quotes is wanted", what);
        std::string out;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
            if (escaped) ++at_;
            out += escaped && text_[at_] == 'x' ? control_character() : text_[at_];
        }
        if (done()) fail_input(here(), "the text has no closing quote");
        ++at_;
        skip();
        return out;
    }
    template <class T>
    T number(const char* what) {
        const SourceLoc loc = here();
        const std::string text = word(what);
        return convert<T>(text, loc, what);
    }
    std::int64_t integer(const char* what) { return number<std::int64_t>(what); }

    template <class T>
    static T convert(const std::string& text, const SourceLoc& loc, const char* what) {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            fail_input(loc, "'{}' is not a number; {} is wanted", text, what);
        return value;
    }

private:
    /// "x0a" after a backslash: a control character.
    char control_character() {
        constexpr std::size_t digits = 2;
        unsigned char value = 0;
        const char* const from = text_.data() + at_ + 1;
        const char* const to = text_.data() + std::min(at_ + 1 + digits, text_.size());
        const auto [end, error] = std::from_chars(from, to, value, 16);
        if (error != std::errc() || end != from + digits)
            fail_input(here(), "two hexadecimal digits are wanted after '\\x'");
        at_ += digits;
        return static_cast<char>(value);
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        if (text_.compare(at_, 2, "//") == 0) at_ = text_.size();
    }
    std::string text_, file_;
    int number_;
    std::size_t at_ = 0;
};

class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    void line(const std::string& text, int number) {
        Line line(text, file_, number);
        if (line.done()) return;
        if (line.take_word("output")) return output(line);
        line.expect('%', "before the name of a value, or the word output");
        definition(line);
    }
    Graph take() { return std::move(graph_); }

private:
    void output(Line& line) {
        Output out;
        out.name = line.string("the name of the output");
        line.expect('=', "after the name of the output");
        out.value = value(line);
        if (line.take(':')) out.type = type(line);
        end(line);
        graph_.outputs.push_back(out);
    }

    ValueId value(Line& line) {
        line.expect('%', "before a value");
        const SourceLoc loc = line.here();
        const std::string name = line.word("the name of a value");
        const auto found = ids_.find(name);
        if (found == ids_.end()) fail_input(loc, "'%{}' is not defined above", name);
        return found->second;
    }

    void definition(Line& line) {
        Node node;
        node.loc = line.here();
        node.name = line.word("the name of a value");
        if (ids_.count(node.name)) fail_input(node.loc, "'%{}' is defined twice", node.name);
        line.expect('=', "after the value's name");
        node.loc = line.here();
        const std::string op = line.word("the name of an op");
        node.op = op_named(op);
        std::string values;
        const bool parameter = op == "parameter";
        if (parameter) node.op = op::input;
        if (node.op == op::constant || parameter) {
            read_values(line, values);
            if (parameter && line.take('{')) attributes(line, node);
        } else if (node.op == op::input) {
            if (line.take('{')) attributes(line, node);
        } else {
            check_op(node, op);
            while (line.peek() == '%') {
                operand(line, node);
                if (!line.take(',')) break;
            }
            if (line.take('{')) attributes(line, node);
        }
        const bool typed = line.take(':');
        if (typed) node.type = type(line);
        while (typed && line.take(',')) node.more_types.push_back(type(line));
        if (line.take_word("from")) node.origin = line.string("the name of a node of the model");
        if (line.take_word("in")) node.kind = line.string("the name of a composite op");
        if (line.take_word("for")) node.phase = phase(line);
        end(line);
        finish(node, typed, values);
        if (parameter) node.initial = literal(node, values);
        ids_[node.name] = graph_.nodes.size();
        graph_.nodes.push_back(std::move(node));
    }

    static void check_op(const Node& node, const std::string& name) {
        if (find_op(node.op)) return;
        std::vector<std::string> known{"input", "constant", "parameter"};
        for (const OpInfo* op : all_ops()) known.emplace_back(op->name);
        fail_input(node.loc, "no op is called '{}'{}", name, did_you_mean(name, known));
    }

    void finish(Node& node, bool typed, const std::string& values) {
        if (node.is_input() || node.is_constant()) {
            if (!typed) fail_input(node.loc, "'%{}' needs a type, such as f32[2, 3]", node.name);
            if (!node.more_types.empty()) fail_input(node.loc, "'%{}' has one result; give one type", node.name);
            if (node.is_constant()) node.literal = literal(node, values);
            check_attributes(node);
            return;
        }
        const Node given = node;
        infer_types(graph_, node);
        if (typed && (given.type != node.type || given.more_types != node.more_types))
            fail_input(node.loc, "the result of {} is {}, not {}", node.op, types_text(node), types_text(given));
    }

    void operand(Line& line, Node& node) {
        Edge edge{value(line), {}};
        if (line.take('(')) {
            do edge.tms.push_back(tm(line));
            while (line.take(','));
            line.expect(')', "after the TMs");
        }
        node.inputs.push_back(std::move(edge));
    }

    static Tm tm(Line& line) {
        Tm tm;
        const SourceLoc loc = line.here();
        const std::string name = line.word("a TM");
        if (name == "transpose") return tm;
        line.expect(':', "after the TM's name");
        if (name == "broadcast") {
            line.expect('{', "before the dimension");
            const std::string dim = line.word("r, c or z");
            line.expect(':', "after the dimension");
            if (dim != "r" && dim != "c" && dim != "z") fail_input(loc, "broadcast is along r, c or z, not '{}'", dim);
            tm.kind = dim == "r" ? Tm::Kind::BroadcastR : dim == "c" ? Tm::Kind::BroadcastC : Tm::Kind::BroadcastZ;
            tm.n = line.integer("a factor");
            line.expect('}', "after the factor");
        } else {
            const std::vector<std::string> names{"hslice", "hstack", "vslice", "vstack"};
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end()) fail_input(loc, "no TM is called '{}'{}", name, did_you_mean(name, names));
            tm.kind =
                static_cast<Tm::Kind>(static_cast<int>(Tm::Kind::HSlice) + static_cast<int>(found - names.begin()));
            tm.n = line.integer("a factor");
        }
        constexpr std::int64_t most = std::int64_t{1} << 31;
        const bool may_be_none = tm.kind == Tm::Kind::HStack || tm.kind == Tm::Kind::VStack;
        if (tm.n < (may_be_none ? 0 : 1) || tm.n > most)
            fail_input(loc, "the factor is {}; {} to {} are allowed", tm.n, may_be_none ? 0 : 1, most);
        return tm;
    }

    static Phase phase(Line& line) {
        const SourceLoc loc = line.here();
        const std::string name = line.word("forward, backward or optimizer");
        for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Optimizer})
            if (to_string(phase) == name) return phase;
        fail_input(loc, "no program is called '{}'; there are forward, backward and optimizer", name);
    }

    static std::vector<std::int64_t> list(Line& line) {
        std::vector<std::int64_t> values;
        line.expect('[', "before a list");
        if (line.take(']')) return values;
        do values.push_back(line.integer("an integer"));
        while (line.take(','));
        line.expect(']', "after a list");
        return values;
    }

    static void attributes(Line& line, Node& node) {
        if (line.take('}')) return;
        do {
            const SourceLoc loc = line.here();
            const std::string key = line.word("the name of an attribute");
            line.expect('=', "after the attribute's name");
            Attr value;
            if (line.peek() == '"') {
                value = line.string("a word");
            } else if (line.peek() == '[') {
                value = list(line);
            } else {
                const SourceLoc at = line.here();
                const std::string text = line.word("a value");
                const bool is_integer = text.find_first_of(".en") == std::string::npos;
                if (is_integer)
                    value = Line::convert<std::int64_t>(text, at, "an integer");
                else
                    value = Line::convert<double>(text, at, "a number");
            }
            if (!node.attrs.emplace(key, value).second) fail_input(loc, "attribute '{}' is given twice", key);
        } while (line.take(','));
        line.expect('}', "after the attributes");
    }

    static Type type(Line& line) {
        Type type;
        const SourceLoc loc = line.here();
        const std::string name = line.word("a type");
        if (const auto dtype = parse_dtype(name))
            type.dtype = *dtype;
        else
            type.format = parse_format(name);
        if (!parse_dtype(name) && !type.format) fail_input(loc, "no element type or data format is called '{}'", name);
        const SourceLoc at = line.here();
        type.dims = list(line);
        if (const std::int64_t elements = extent(type.dims); elements < 0 || elements > std::int64_t{1} << 40)
            fail_input(at, "the size {} cannot be right", to_string(type));
        if (type.format && type.dims.size() != 3)
            fail_input(at, "a device tensor has the three sizes z, rt, ct in tiles");
        if (type.format && (count(type.dims) < 1 || count(type.dims) > std::int64_t{1} << 31))
            fail_input(at, "a device tensor of {} x {} x {} tiles; 1 to 2^31 are allowed", type.dims[0], type.dims[1],
                       type.dims[2]);
        return type;
    }

    /// Reads the bracketed or hex values as text, since their type follows later in the line.
    static void read_values(Line& line, std::string& values) {
        if (line.take_word("hex")) {
            values = "hex " + line.string("the bits");
            return;
        }
        if (line.take_word("elided"))
            fail_input(line.here(), "the values of this constant were elided when it was printed");
        line.expect('[', "before the values");
        while (!line.take(']')) {
            values += line.word("a value") + " ";
            if (!line.take(',') && line.peek() != ']') fail_input(line.here(), "',' or ']' is wanted after a value");
        }
    }

    LiteralPtr literal(const Node& node, const std::string& values) {
        Dims dims = node.type.dims;
        if (node.type.format) dims = {dims[0], count({dims[1], tile_edge}), count({dims[2], tile_edge})};
        // one value of the text can fill many elements; -1: the count overflows
        const std::int64_t most = extent(dims);
        filled_ += most < 0 ? most_filled + 1 : std::min(most, most_filled + 1);
        if (filled_ > most_filled)
            fail_unsupported(node.loc, "constants of more than {} elements are not read", most_filled);
        const std::int64_t n = count(dims);
        const bool hex = values.starts_with("hex ");
        if (hex && (!is_float(node.type.dtype) || static_cast<std::int64_t>(values.size()) != 4 + 8 * n))
            fail_input(node.loc, "hex values are 8 digits for each of the {} floats", n);
        auto literal = std::make_shared<Literal>(node.type.dtype, dims, most_filled);
        if (hex) {
            for (std::int64_t i = 0; i < n; ++i)
                literal->floats()[static_cast<std::size_t>(i)] =
                    std::bit_cast<float>(bits(node, values.substr(static_cast<std::size_t>(4 + 8 * i), 8)));
            return literal;
        }
        std::istringstream words(values);
        std::vector<std::string> all;
        for (std::string word; words >> word;) all.push_back(word);
        if (static_cast<std::int64_t>(all.size()) != n && all.size() != 1)
            fail_input(node.loc, "{} values are given for {} elements; give all, or one that fills the tensor",
                       all.size(), n);
        for (std::size_t i = 0; i < std::min(all.size(), static_cast<std::size_t>(n)); ++i)
            set_value(node, *literal, i, all[i]);
        if (all.size() == 1) fill_with_first(*literal);
        return literal;
    }
    /// Fills the literal with its first element, so that the text of one value is parsed once.
    static void fill_with_first(Literal& literal) {
        const auto fill = [](auto&& elements) {
            if (!elements.empty()) std::fill(elements.begin() + 1, elements.end(), elements[0]);
        };
        if (is_float(literal.dtype()))
            fill(literal.floats());
        else
            fill(literal.integer_elements());
    }
    static void set_value(const Node& node, Literal& literal, std::size_t k, const std::string& text) {
        if (!is_float(literal.dtype()))
            literal.integer_elements()[k] = Line::convert<std::int64_t>(text, node.loc, "an integer");
        else if (text.starts_with("0x"))
            literal.floats()[k] = std::bit_cast<float>(bits(node, text.substr(2)));
        else
            literal.floats()[k] = Line::convert<float>(text, node.loc, "a number");
    }
    static std::uint32_t bits(const Node& node, const std::string& digits) {
        std::uint32_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc() || end != digits.data() + digits.size())
            fail_input(node.loc, "'{}' is not a 32-bit hexadecimal number", digits);
        return value;
    }

    static void end(Line& line) {
        if (!line.done()) fail_input(line.here(), "expected the end of the line");
    }

    std::string file_;
    Graph graph_;
    std::unordered_map<std::string, ValueId> ids_;
    static constexpr std::int64_t most_filled = 8 * max_constant_elements;
    std::int64_t filled_ = 0;  // elements of all constants so far
};

}  // namespace

Graph parse_graph(const std::string& text, const std::string& file) {
    Parser parser(file);
    Diagnostics problems;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        try {
            parser.line(line, ++number);
        } catch (const Error& error) {
            problems.add(error);
        }
    }
    problems.throw_if_any();
    Graph graph = parser.take();
    check_programs(graph, problems);
    problems.throw_if_any();
    return graph;
}

}  // namespace ttsim::impl::ir
