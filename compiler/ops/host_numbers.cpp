// Ops on the bits of integers, and on small matrices, without a device form.
//
//   bit_and, bit_or, bit_xor, bit_not, shift_left, shift_right   of integers
//   bit_cast {dtype}                                             the bits of the operand as another type
//   det, inverse                                                 of the last two axes
#include <array>
#include <bit>
#include <cmath>

#include "compiler/ir/integers.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

void check_bits(const Node& node, std::span<const Type> in) {
    for (const Type& type : in)
        if (is_float(type.dtype)) fail_input(node.loc, "'{}' needs integers, not {}", node.name, to_string(type));
}
Type infer_bits(const Node& node, std::span<const Type> in) {
    check_bits(node, in);
    return infer_elementwise(node, in);
}

template <std::uint64_t (*F)(std::uint64_t, std::uint64_t, DType)>
Literal eval_bits(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const auto element = [&](const Literal& x, std::int64_t i) {  // broadcast
        std::int64_t at = 0, step = 1;
        for (std::size_t a = 0; a < x.dims().size(); ++a) {
            const std::size_t own = x.dims().size() - 1 - a, here = out.dims().size() - 1 - a;
            at += (x.dims()[own] == 1 ? 0 : i % out.dims()[here]) * step;
            i /= out.dims()[here];
            step *= x.dims()[own];
        }
        return static_cast<std::uint64_t>(x.integer_elements()[static_cast<std::size_t>(at)]);
    };
    for (std::int64_t i = 0; i < out.size(); ++i)
        out.integer_elements()[static_cast<std::size_t>(i)] =
            wrapped(F(element(*in[0], i), element(*in.back(), i), out.dtype()), out.dtype());
    return out;
}

template <std::uint64_t (*F)(std::uint64_t, std::uint64_t, DType)>
constexpr OpFunctions bit_op(OpId op) {
    return {op, infer_bits, eval_bits<F>};
}

/// Gauss elimination with partial pivoting. `right`: a second matrix that gets the same row operations. Returns the
/// determinant.
double eliminate(std::vector<double>& m, std::vector<double>* right, std::size_t n) {
    double det = 1;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t r = c + 1; r < n; ++r)
            if (std::fabs(m[r * n + c]) > std::fabs(m[best * n + c])) best = r;
        const double pivot = m[best * n + c];
        if (pivot == 0) return 0;
        if (best != c) det = -det;
        det *= pivot;
        for (std::vector<double>* part : {&m, right})
            for (std::size_t k = 0; part && best != c && k < n; ++k)
                std::swap((*part)[best * n + k], (*part)[c * n + k]);
        for (std::size_t r = 0; r < n; ++r) {
            const double factor = m[r * n + c] / pivot;
            if (r == c || factor == 0) continue;
            for (std::vector<double>* part : {&m, right})
                for (std::size_t k = 0; part && k < n; ++k) (*part)[r * n + k] -= factor * (*part)[c * n + k];
        }
    }
    for (std::size_t r = 0; right && r < n; ++r)
        for (std::size_t k = 0; k < n; ++k) (*right)[r * n + k] /= m[r * n + r];
    return det;
}

Type infer_inverse(const Node& node, std::span<const Type> in) {
    const Dims& d = in[0].dims;
    if (d.size() < 2 || d.back() != d[d.size() - 2])
        fail_input(node.loc, "'{}' takes square matrices; it has {}", node.name, to_string(in[0]));
    return in[0];
}
Type infer_det(const Node& node, std::span<const Type> in) {
    Type out = infer_inverse(node, in);
    out.dims.resize(out.dims.size() - 2);
    return out;
}

std::vector<double> matrix_at(const Literal& x, std::int64_t index, std::int64_t elements) {
    std::vector<double> m;
    for (std::int64_t k = 0; k < elements; ++k) m.push_back(x.at(index * elements + k));
    return m;
}
Literal eval_det(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t n = in[0]->dims().back();
    for (std::int64_t k = 0; k < out.size(); ++k) {
        std::vector<double> m = matrix_at(*in[0], k, n * n);
        out.set(k, eliminate(m, nullptr, static_cast<std::size_t>(n)));
    }
    return out;
}
Literal eval_inverse(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t n = in[0]->dims().back(), matrices = n == 0 ? 0 : out.size() / (n * n);
    for (std::int64_t k = 0; k < matrices; ++k) {
        std::vector<double> m = matrix_at(*in[0], k, n * n), right(m.size(), 0.0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) right[i * static_cast<std::size_t>(n) + i] = 1;
        if (eliminate(m, &right, static_cast<std::size_t>(n)) == 0)
            fail_input(node.loc, "'{}' inverts a matrix that has no inverse", node.name);
        for (std::int64_t i = 0; i < n * n; ++i) out.set(k * n * n + i, right[static_cast<std::size_t>(i)]);
    }
    return out;
}
std::int64_t work_matrix(const Node&, std::span<const Literal* const> in) {
    return count({in[0]->size(), in[0]->dims().back()});
}

std::int64_t width_of(DType type) {
    if (type == DType::F16 || type == DType::BF16) return 16;
    return type == DType::F32 ? 32 : bits_of(type);
}

DType cast_type(const Node& node) {
    const auto dtype = parse_dtype(node.get(attr::dtype));
    if (!dtype) fail_input(node.loc, "'{}' has no element type '{}'", node.name, node.get(attr::dtype));
    return *dtype;
}

Type infer_bit_cast(const Node& node, std::span<const Type> in) {
    const DType to = cast_type(node);
    if (width_of(in[0].dtype) != width_of(to))
        fail_input(node.loc, "'{}' takes the bits of {} for {}", node.name, to_string(in[0]), to_string(to));
    if (in[0].dtype != to && (in[0].dtype == DType::F16 || to == DType::F16))
        fail_unsupported(node.loc, "'{}' takes the bits of {} for {}; those of f16 are not known", node.name,
                         to_string(in[0]), to_string(to));
    return {to, in[0].dims, {}};
}

std::uint64_t bits_at(const Literal& x, std::int64_t i) {
    if (!is_float(x.dtype())) return static_cast<std::uint64_t>(x.integer_elements()[static_cast<std::size_t>(i)]);
    const float value = x.floats()[static_cast<std::size_t>(i)];
    if (x.dtype() == DType::F64) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    return std::bit_cast<std::uint32_t>(value) >> (x.dtype() == DType::BF16 ? 16 : 0);
}

Literal eval_bit_cast(const Node& node, std::span<const Literal* const> in) {
    Literal out(cast_type(node), in[0]->dims(), max_read_elements);
    const DType to = out.dtype();
    if (to == in[0]->dtype()) return *in[0];
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::uint64_t bits = bits_at(*in[0], i);
        const auto low = static_cast<std::uint32_t>(bits);
        if (to == DType::F64)
            out.set(i, std::bit_cast<double>(bits));
        else if (is_float(to))
            out.floats()[static_cast<std::size_t>(i)] = std::bit_cast<float>(to == DType::BF16 ? low << 16 : low);
        else
            out.integer_elements()[static_cast<std::size_t>(i)] =
                to == DType::Bool ? (bits & 255) != 0 : wrapped(bits, to);
    }
    return out;
}

constexpr std::array number_table{
    bit_op<([](std::uint64_t a, std::uint64_t b, DType) { return a & b; })>(op::bit_and),
    bit_op<([](std::uint64_t a, std::uint64_t b, DType) { return a | b; })>(op::bit_or),
    bit_op<([](std::uint64_t a, std::uint64_t b, DType) { return a ^ b; })>(op::bit_xor),
    bit_op<([](std::uint64_t a, std::uint64_t, DType) { return ~a; })>(op::bit_not),
    bit_op<([](std::uint64_t a, std::uint64_t b, DType) { return b < 64 ? a << b : 0; })>(op::shift_left),
    bit_op<([](std::uint64_t a, std::uint64_t b, DType type) {
        if (!has_sign(type)) return b < 64 ? a >> b : 0;
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b < 64 ? b : 63));
    })>(op::shift_right),
    OpFunctions{op::bit_cast, infer_bit_cast, eval_bit_cast},
    OpFunctions{op::det, infer_det, eval_det, work_matrix},
    OpFunctions{op::inverse, infer_inverse, eval_inverse, work_matrix},
};

}  // namespace

std::span<const OpFunctions> number_ops() { return number_table; }

}  // namespace ttsim::impl::ir
