// ONNX matrix products.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "compiler/onnx/importer.hpp"
#include "compiler/onnx/quantize.hpp"

namespace ttsim::impl::ir {

namespace {

ValueId numpy_matmul(Import& n, ValueId a, ValueId b) {
    const bool row = n.b.dims(a).size() == 1, column = n.b.dims(b).size() == 1;
    if (n.b.dims(a).empty() || n.b.dims(b).empty()) n.wrong("an operand is a scalar");
    if (row) a = n.b.reshape(a, {1, n.b.dims(a)[0]});
    if (column) b = n.b.reshape(b, {n.b.dims(b)[0], 1});
    const ValueId y = n.binary(op::matmul, a, b);
    Dims dims = n.b.dims(y);
    if (column) dims.pop_back();
    if (row) dims.erase(dims.end() - (column ? 1 : 2));
    return n.b.reshape(y, dims);
}

void matmul(Import& n) { n.add_output(numpy_matmul(n, n.x(0), n.x(1))); }

void gemm(Import& n) {
    ValueId a = n.x(0), b = n.x(1);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
        if (n.rank(k) != 2) n.wrong("operand {} has rank {}; it needs 2", k, n.rank(k));
    if (n.i("transA", 0) != 0) a = n.transpose(a, {1, 0});
    if (n.i("transB", 0) != 0) b = n.transpose(b, {1, 0});
    ValueId y = n.binary(op::matmul, a, b);
    if (n.f("alpha", 1) != 1) y = n.scaled(y, n.f("alpha", 1));
    if (n.has(2)) y = n.binary(op::add, y, n.f("beta", 1) == 1 ? n.x(2) : n.scaled(n.x(2), n.f("beta", 1)));
    n.add_output(y);
}

/// Operand minus its zero point. `along`: the axis of a zero point per row or column, counted from the end.
ValueId subtract_zero_point(Import& n, std::size_t k, std::size_t zero, std::size_t along) {
    const ValueId x = n.b.cast(n.x(k), DType::F32);
    if (!n.has(zero)) return x;
    ValueId z = n.b.cast(n.x(zero), DType::F32);
    if (count(n.b.dims(z)) == 1) {
        z = n.b.reshape(z, {});
    } else if (along == 2) {
        z = n.b.reshape(z, {count(n.b.dims(z)), 1});
    }
    return n.binary(op::subtract, x, z);
}

/// Computes with floats if they hold all sums exactly. Otherwise the host computes with integers, since the device
/// would round.
void matmul_integer(Import& n) {
    ValueId a = subtract_zero_point(n, 0, 2, 2), b = subtract_zero_point(n, 1, 3, 1);
    const Dims d = n.b.dims(b);
    const std::int64_t columns = d.size() < 2 ? 1 : d.back(), inner = d.size() < 2 ? count(d) : d[d.size() - 2];
    const auto sum_of = [&](std::int64_t i) { return i / (inner * columns) * columns + i % columns; };
    if (!is_exact_in_float32(n, {2, 3}, b, inner, sum_of)) {
        a = n.b.cast(a, DType::I32);
        b = n.b.cast(b, DType::I32);
    }
    n.add_output(n.b.cast(numpy_matmul(n, a, b), DType::I32));
}

ValueId requantized(Import& n, ValueId y, std::size_t zero) {
    const DType to = n.b.type(n.x(zero)).dtype;
    return quantize_to(n, y, n.b.reshape(n.b.cast(n.x(zero), DType::F32), {}), to);
}

/// An exact product of integers, then one factor for all scales.
void qlinear_matmul(Import& n) {
    const auto scale = [&](std::size_t k, bool rows) {
        const std::int64_t size = count(n.dims(k));
        if (size == 1) return n.b.reshape(n.x(k), {});
        return rows && n.rank(k) == 1 ? n.b.reshape(n.x(k), {size, 1}) : n.x(k);
    };
    const ValueId y = numpy_matmul(n, n.scaled(subtract_zero_point(n, 0, 2, 2), int8_scale),
                                   n.scaled(subtract_zero_point(n, 3, 5, 1), int8_scale));
    const auto factor = [&](std::size_t k, bool rows) { return n.scaled(scale(k, rows), 1 / int8_scale); };
    const ValueId all =
        n.binary(op::divide, n.binary(op::multiply, factor(1, true), factor(4, false)), n.b.reshape(n.x(6), {}));
    n.add_output(requantized(n, n.binary(op::multiply, y, all), 7));
}

// --- einsum -------------------------------------------------------------------------------------------------------

struct Equation {
    std::vector<std::string> in;
    std::string out;
};

/// Replaces each "..." by digits, one per axis; the last axis is 9.
void expand_ellipses(Import& n, std::string& text) {
    std::size_t most = 0;
    std::string spelt, term;
    std::size_t operand = 0;
    const auto finish = [&](bool result) {
        const std::size_t at = term.find("...");
        if (at != std::string::npos) {
            const std::size_t letters = term.size() - 3;
            const std::size_t rank = result ? most + letters : n.dims(std::min(operand, n.in.size() - 1)).size();
            if (rank < letters) n.wrong("an operand of rank {} has the term '{}'", rank, term);
            if (rank - letters > 10) n.unsupported("an ellipsis of {} axes", rank - letters);
            std::string axes;
            for (std::size_t k = 10 - (rank - letters); k < 10; ++k) axes += static_cast<char>('0' + k);
            most = std::max(most, rank - letters);
            term.replace(at, 3, axes);
        }
        spelt += term;
        term.clear();
        ++operand;
    };
    const std::size_t arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    for (const char c : left) {
        if (c != ',') {
            term += c;
            continue;
        }
        finish(false);
        spelt += ',';
    }
    finish(false);
    if (arrow != std::string::npos) {
        term = text.substr(arrow + 2);
        spelt += "->";
        finish(true);
    }
    for (const char c : spelt)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != ',' && c != '-' && c != '>')
            n.wrong("'{}' is not an equation", text);
    text = spelt;
}

Equation parse(Import& n) {
    std::string text = n.s("equation", "");
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    // digits are reserved for axes of "..."
    std::string terms = text;
    if (const std::size_t arrow = terms.find("->"); arrow != std::string::npos) terms.erase(arrow, 2);
    for (const char c : terms)
        if (!std::isalpha(static_cast<unsigned char>(c)) && c != ',' && c != '.')
            n.wrong("'{}' is not an equation", text);
    expand_ellipses(n, text);
    Equation e;
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow), term;
    for (const char c : left + ",") {
        if (c != ',') {
            term += c;
            continue;
        }
        e.in.push_back(term);
        term.clear();
    }
    if (arrow != std::string::npos) {
        e.out = text.substr(arrow + 2);
    } else {
        for (char c = '0'; c <= '9'; ++c)  // axes of an ellipsis come first
            if (left.find(c) != std::string::npos) e.out += c;
        for (char c = 'A'; c <= 'z'; ++c)
            if (std::count(left.begin(), left.end(), c) == 1) e.out += c;
    }
    if (e.in.size() != n.in.size()) n.wrong("'{}' has {} terms for {} operands", text, e.in.size(), n.in.size());
    for (const char c : e.out)
        if (left.find(c) == std::string::npos || std::count(e.out.begin(), e.out.end(), c) != 1)
            n.wrong("the result of '{}' has '{}' {} times, or its terms lack it", text, c,
                    std::count(e.out.begin(), e.out.end(), c));
    return e;
}

/// Transposes an operand to the letters `wanted`. Sums over other letters and takes diagonals of repeated ones.
ValueId arranged(Import& n, ValueId x, std::string letters, const std::string& wanted) {
    if (letters.size() != n.b.dims(x).size())
        n.wrong("an operand of rank {} has the letters '{}'", n.b.dims(x).size(), letters);
    for (std::size_t k = 0; k < letters.size(); ++k)
        if (const std::size_t first = letters.find(letters[k]); first < k) {
            // a diagonal: mask the rest, then sum one of the axes
            const std::int64_t size = n.b.dims(x)[k];
            Dims dims(letters.size(), 1);
            dims[first] = dims[k] = size;
            Literal mask = identity(size);
            mask.reshape(dims);
            x = n.b.reduce_sum(n.binary(op::multiply, x, n.b.constant(std::move(mask))), static_cast<std::int64_t>(k));
            Dims less = n.b.dims(x);
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
            x = n.b.reshape(x, less);
            letters.erase(k--, 1);
        }
    for (std::size_t k = 0; k < letters.size(); ++k)
        if (wanted.find(letters[k]) == std::string::npos) {
            x = n.b.reduce_sum(x, static_cast<std::int64_t>(k));
            Dims less = n.b.dims(x);
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
            x = n.b.reshape(x, less);
            letters.erase(k--, 1);
        }
    std::vector<std::int64_t> perm;
    for (const char c : wanted)
        if (const std::size_t at = letters.find(c); at != std::string::npos)
            perm.push_back(static_cast<std::int64_t>(at));
    return n.b.transpose(x, perm);
}

std::int64_t product(const Dims& dims, std::size_t from, std::size_t to) {
    std::int64_t size = 1;
    for (std::size_t k = from; k < to; ++k) size *= dims[k];
    return size;
}

struct Term {
    ValueId x;
    std::string letters;
};

/// The product of two terms with the result letters `out`; other letters are summed.
ValueId contracted(Import& n, Term p, Term q, const std::string& out) {
    // a letter of size 1 in one of them is broadcast
    for (const auto& [term, other] : {std::pair{&p, &q}, std::pair{&q, &p}}) {
        Dims dims = n.b.dims(term->x);
        if (dims.size() != term->letters.size())
            n.wrong("an operand of rank {} has the letters '{}'", dims.size(), term->letters);
        for (std::size_t k = 0; k < dims.size(); ++k)
            if (const std::size_t at = other->letters.find(term->letters[k]);
                dims[k] == 1 && at != std::string::npos && at < n.b.dims(other->x).size())
                dims[k] = n.b.dims(other->x)[at];
        term->x = n.b.broadcast_to(term->x, dims);
    }
    std::string batch, left, right, inner;
    for (const char c : std::set<char>(p.letters.begin(), p.letters.end())) {
        const bool other = q.letters.find(c) != std::string::npos, kept = out.find(c) != std::string::npos;
        if (other)
            (kept ? batch : inner) += c;
        else if (kept)
            left += c;
    }
    for (const char c : std::set<char>(q.letters.begin(), q.letters.end()))
        if (p.letters.find(c) == std::string::npos && out.find(c) != std::string::npos) right += c;
    const ValueId a = arranged(n, p.x, p.letters, batch + left + inner),
                  b = arranged(n, q.x, q.letters, batch + inner + right);
    const Dims da = n.b.dims(a), db = n.b.dims(b);
    const std::size_t nb = batch.size();
    const std::int64_t m = product(da, nb, nb + left.size()), k = product(da, nb + left.size(), da.size());
    const std::int64_t cols = product(db, nb + inner.size(), db.size()), z = product(da, 0, nb);
    const ValueId y = n.binary(op::matmul, n.b.reshape(a, {z, m, k}), n.b.reshape(b, {z, k, cols}));
    Dims dims(da.begin(), da.begin() + static_cast<std::ptrdiff_t>(nb + left.size()));
    dims.insert(dims.end(), db.begin() + static_cast<std::ptrdiff_t>(nb + inner.size()), db.end());
    return arranged(n, n.b.reshape(y, dims), batch + left + right, out);
}

void einsum(Import& n) {
    const Equation e = parse(n);
    Term sum{n.x(0), e.in[0]};
    if (e.in.size() == 1) return n.add_output(arranged(n, sum.x, sum.letters, e.out));
    for (std::size_t k = 1; k < e.in.size(); ++k) {
        // keep letters that the result or a later operand needs
        std::string needed = e.out, kept;
        for (std::size_t later = k + 1; later < e.in.size(); ++later) needed += e.in[later];
        for (const char c : sum.letters + e.in[k])
            if (needed.find(c) != std::string::npos && kept.find(c) == std::string::npos) kept += c;
        if (k + 1 == e.in.size()) kept = e.out;
        sum = {contracted(n, sum, {n.x(k), e.in[k]}, kept), kept};
    }
    n.add_output(sum.x);
}

}  // namespace

const ImportRules& product_rules() {
    static const ImportRules rules{
        {"MatMul", matmul}, {"Gemm", gemm}, {"MatMulInteger", matmul_integer}, {"QLinearMatMul", qlinear_matmul},
        {"Einsum", einsum},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
