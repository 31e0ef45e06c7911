// ONNX matrix products.
#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/onnx/importer.hpp"

namespace tt::ir {

namespace {

ValueId numpy_matmul(Import& n, ValueId a, ValueId b) {
    const bool row = n.b.dims(a).size() == 1, column = n.b.dims(b).size() == 1;
    if (n.b.dims(a).empty() || n.b.dims(b).empty()) n.wrong("an operand is a scalar");
    if (row) a = n.b.reshape(a, {1, n.b.dims(a)[0]});
    if (column) b = n.b.reshape(b, {n.b.dims(b)[0], 1});
    const ValueId y = n.two("matmul", a, b);
    Dims dims = n.b.dims(y);
    if (column) dims.pop_back();
    if (row) dims.erase(dims.end() - (column ? 1 : 2));
    return n.b.reshape(y, dims);
}

void matmul(Import& n) { n.give(numpy_matmul(n, n.x(0), n.x(1))); }

void gemm(Import& n) {
    ValueId a = n.x(0), b = n.x(1);
    if (n.i("transA", 0) != 0) a = n.b.transpose(a, {1, 0});
    if (n.i("transB", 0) != 0) b = n.b.transpose(b, {1, 0});
    ValueId y = n.two("matmul", a, b);
    if (n.f("alpha", 1) != 1) y = n.scaled(y, n.f("alpha", 1));
    if (n.has(2)) y = n.two("add", y, n.f("beta", 1) == 1 ? n.x(2) : n.scaled(n.x(2), n.f("beta", 1)));
    n.give(y);
}

/// Operand less its zero point; `along`: the axis a zero point per row or column goes along, counted from the end.
ValueId centred(Import& n, std::size_t k, std::size_t zero, std::size_t along) {
    const ValueId x = n.b.cast(n.x(k), DType::F32);
    if (!n.has(zero)) return x;
    ValueId z = n.b.cast(n.x(zero), DType::F32);
    if (count(n.b.dims(z)) == 1) {
        z = n.b.reshape(z, {});
    } else if (along == 2) {
        z = n.b.reshape(z, {count(n.b.dims(z)), 1});
    }
    return n.two("subtract", x, z);
}

void matmul_integer(Import& n) {
    n.give(n.b.cast(numpy_matmul(n, centred(n, 0, 2, 2), centred(n, 1, 3, 1)), DType::I32));
}

ValueId requantized(Import& n, ValueId y, std::size_t scale, std::size_t zero) {
    const DType to = n.b.type(n.x(zero)).dtype;
    const bool is_signed = to == DType::I8;
    const ValueId z = n.b.reshape(n.b.cast(n.x(zero), DType::F32), {});
    y = n.two("add", n.one("round", n.two("divide", y, n.b.reshape(n.x(scale), {}))), z);
    y = n.two("minimum", n.two("maximum", y, n.b.scalar(is_signed ? -128 : 0)), n.b.scalar(is_signed ? 127 : 255));
    return n.b.cast(y, to);
}

void qlinear_matmul(Import& n) {
    const auto real = [&](std::size_t k) {
        const ValueId scale = count(n.dims(k + 1)) == 1 ? n.b.reshape(n.x(k + 1), {}) : n.x(k + 1);
        return n.two("multiply", centred(n, k, k + 2, k == 0 ? 2 : 1), scale);
    };
    n.give(requantized(n, numpy_matmul(n, real(0), real(3)), 6, 7));
}

// --- einsum -------------------------------------------------------------------------------------------------------

struct Equation {
    std::vector<std::string> in;
    std::string out;
};

Equation parse(Import& n) {
    std::string text = n.s("equation", "");
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    if (text.find('.') != std::string::npos) n.unsupported("an ellipsis in '{}'", text);
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
        for (char c = 'A'; c <= 'z'; ++c)
            if (std::count(left.begin(), left.end(), c) == 1) e.out += c;
    }
    if (e.in.size() != n.in.size() || e.in.size() > 2) n.unsupported("'{}' with {} operands", text, n.in.size());
    return e;
}

/// Brings an operand to its distinct letters in the order wanted, summing those that nobody else has.
ValueId arranged(Import& n, ValueId x, std::string letters, const std::string& wanted) {
    if (letters.size() != n.b.dims(x).size())
        n.wrong("an operand of rank {} has the letters '{}'", n.b.dims(x).size(), letters);
    for (std::size_t k = 0; k < letters.size(); ++k)
        if (const std::size_t first = letters.find(letters[k]); first < k) {
            // a diagonal: keep what lies on it, then sum one of the axes
            const std::int64_t size = n.b.dims(x)[k];
            Dims dims(letters.size(), 1);
            dims[first] = dims[k] = size;
            Literal mask = identity(size);
            mask.reshape(dims);
            x = n.b.reduce_sum(n.two("multiply", x, n.b.constant(std::move(mask))), static_cast<std::int64_t>(k));
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

void einsum(Import& n) {
    const Equation e = parse(n);
    if (e.in.size() == 1) return n.give(arranged(n, n.x(0), e.in[0], e.out));
    std::string batch, left, right, inner;
    for (const char c : std::set<char>(e.in[0].begin(), e.in[0].end())) {
        const bool other = e.in[1].find(c) != std::string::npos, kept = e.out.find(c) != std::string::npos;
        if (other)
            (kept ? batch : inner) += c;
        else if (kept)
            left += c;
    }
    for (const char c : std::set<char>(e.in[1].begin(), e.in[1].end()))
        if (e.in[0].find(c) == std::string::npos && e.out.find(c) != std::string::npos) right += c;
    ValueId a = arranged(n, n.x(0), e.in[0], batch + left + inner),
            b = arranged(n, n.x(1), e.in[1], batch + inner + right);
    const Dims da = n.b.dims(a), db = n.b.dims(b);
    const std::size_t nb = batch.size();
    const std::int64_t m = product(da, nb, nb + left.size()), k = product(da, nb + left.size(), da.size());
    const std::int64_t p = product(db, nb + inner.size(), db.size()), z = product(da, 0, nb);
    const ValueId y = n.two("matmul", n.b.reshape(a, {z, m, k}), n.b.reshape(b, {z, k, p}));
    Dims dims(da.begin(), da.begin() + static_cast<std::ptrdiff_t>(nb + left.size()));
    dims.insert(dims.end(), db.begin() + static_cast<std::ptrdiff_t>(nb + inner.size()), db.end());
    n.give(arranged(n, n.b.reshape(y, dims), batch + left + right, e.out));
}

}  // namespace

const ImportRules& product_rules() {
    static const ImportRules rules{
        {"MatMul", matmul}, {"Gemm", gemm}, {"MatMulInteger", matmul_integer}, {"QLinearMatMul", qlinear_matmul},
        {"Einsum", einsum},
    };
    return rules;
}

}  // namespace tt::ir
