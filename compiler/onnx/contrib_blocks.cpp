// com.microsoft: products and gathers with block-quantized weights, as in small language models. The weights are
// dequantized while the model is read.
#include <array>
#include <cmath>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

/// Packed integer `at` of `bits` bits; the lowest bits of a byte come first.
std::int64_t packed_number(const Literal& bytes, std::int64_t at, std::int64_t bits) {
    const std::int64_t each = 8 / bits;
    return static_cast<std::int64_t>(bytes.at(at / each)) >> (at % each * bits) & ((1 << bits) - 1);
}

/// The block of each row of A, whose scale and zero point it has. Without g_idx the blocks are in order.
std::vector<std::int64_t> blocks_of_rows(Import& n, std::int64_t rows, std::int64_t block) {
    std::vector<std::int64_t> of;
    if (n.has(4)) of = n.integers(4);
    if (!n.has(4))
        for (std::int64_t row = 0; row < rows; ++row) of.push_back(row / block);
    const std::int64_t blocks = (rows + block - 1) / block;
    if (std::ssize(of) < rows) n.wrong("{} numbers of blocks for {} rows", of.size(), rows);
    for (const std::int64_t b : of)
        if (b < 0 || b >= blocks) n.wrong("block {} of {}", b, blocks);
    return of;
}

/// y = A * dequantized(B)^T with weights of `bits` bits in blocks along K. Operands: A, B [N, blocks, bytes], scales
/// [N * blocks], zero points (packed likewise, or floats), g_idx, bias.
void matmul_n_bits(Import& n) {
    const std::int64_t k = n.i("K", 0), cols = n.i("N", 0), bits = n.i("bits", 4), block = n.i("block_size", 0);
    if (k < 1 || cols < 1 || block < 1 || (bits != 2 && bits != 4 && bits != 8))
        n.wrong("K {}, N {}, bits {}, block_size {}", k, cols, bits, block);
    n.need_small({k, cols, block});
    if (block * bits % 8 != 0) n.wrong("blocks of {} bits, which is not a multiple of 8", block * bits);
    const std::int64_t blocks = (k + block - 1) / block, bytes = block * bits / 8, each = 8 / bits;
    const Literal &packed = n.literal(1), &scales = n.literal(2);
    if (is_float(packed.dtype())) n.wrong("its weights are {}; they must be integers", to_string(packed.dtype()));
    if (packed.size() != count({cols, blocks, bytes}) || scales.size() != count({cols, blocks}))
        n.wrong("{} bytes and {} scales for {} x {} blocks of {}", packed.size(), scales.size(), cols, blocks, block);
    const Literal* zeros = n.has(3) ? &n.literal(3) : nullptr;
    const std::int64_t row_bytes = (blocks * bits + 7) / 8;
    if (zeros && zeros->size() != cols * (is_float(zeros->dtype()) ? blocks : row_bytes))
        n.wrong("{} zero points for {} x {} blocks", zeros->size(), cols, blocks);
    const std::vector<std::int64_t> block_of = blocks_of_rows(n, k, block);
    Literal weights(DType::F32, {k, cols}, max_read_elements);
    for (std::int64_t col = 0; col < cols; ++col)
        for (std::int64_t row = 0; row < k; ++row) {
            const std::int64_t b = block_of[static_cast<std::size_t>(row)], at = col * blocks + b;
            const double zero = !zeros ? static_cast<double>(1 << (bits - 1))
                                : is_float(zeros->dtype())
                                    ? zeros->at(at)
                                    : static_cast<double>(packed_number(*zeros, col * row_bytes * each + b, bits));
            const auto q = static_cast<double>(packed_number(packed, col * blocks * bytes * each + row, bits));
            weights.set(row * cols + col, (q - zero) * scales.at(at));
        }
    const ValueId y = n.binary(op::matmul, n.x(0), n.b.model_constant(std::move(weights)));
    n.add_output(n.has(5) ? n.binary(op::add, y, n.x(5)) : y);
}

/// Values of 4-bit codes in bitsandbytes: FP4 floats, and NF4, the means of quantiles of a normal distribution.
constexpr std::array<double, 16> fp4{0,   1.0 / 192,  2.0 / 3,  1,  1.0 / 3,  0.5,  1.0 / 6,  0.25,
                                     -0., -1.0 / 192, -2.0 / 3, -1, -1.0 / 3, -0.5, -1.0 / 6, -0.25};
constexpr std::array<double, 16> nf4{-1,
                                     -0.6961928009986877,
                                     -0.5250730514526367,
                                     -0.39491748809814453,
                                     -0.28444138169288635,
                                     -0.18477343022823334,
                                     -0.09105003625154495,
                                     0,
                                     0.07958029955625534,
                                     0.16093020141124725,
                                     0.24611230194568634,
                                     0.33791524171829224,
                                     0.44070982933044434,
                                     0.5626170039176941,
                                     0.7229568362236023,
                                     1};

/// y = A * B^T. Operands: A, B [N * K / 2] with the higher bits first, the largest magnitude of each block.
void matmul_bnb4(Import& n) {
    const std::int64_t k = n.i("K", 0), cols = n.i("N", 0), block = n.i("block_size", 0), type = n.i("quant_type", 0);
    if (k < 1 || cols < 1 || block < 1 || type < 0 || type > 1)
        n.wrong("K {}, N {}, block_size {}, quant_type {}", k, cols, block, type);
    if (n.i("transB", 1) == 0) n.unsupported("weights that are not transposed (transB 0)");
    n.need_small({k, cols, block});
    const Literal &packed = n.literal(1), &most = n.literal(2);
    if (is_float(packed.dtype())) n.wrong("its weights are {}; they must be integers", to_string(packed.dtype()));
    if (packed.size() != (k * cols + 1) / 2 || most.size() != (k * cols + block - 1) / block)
        n.wrong("{} bytes and {} scales for {} x {} in blocks of {}", packed.size(), most.size(), cols, k, block);
    const std::array<double, 16>& numbers = type == 0 ? fp4 : nf4;
    Literal weights(DType::F32, {k, cols}, max_read_elements);
    for (std::int64_t at = 0; at < k * cols; ++at) {
        const auto q = static_cast<std::size_t>(packed_number(packed, at ^ 1, 4));
        weights.set(at % k * cols + at / k, numbers[q] * most.at(at / block));
    }
    n.add_output(n.binary(op::matmul, n.x(0), n.b.model_constant(std::move(weights))));
}

/// Gathers from a block-quantized table. Operands: data, indices, scales, zero points. A byte holds one or several
/// elements; 4-bit types are already unpacked.
void gather_block_quantized(Import& n) {
    const Literal &data = n.literal(0), &scales = n.literal(2);
    const std::int64_t bits = n.i("bits", 4), block = n.i("block_size", 128);
    if (block < 16 || (bits != 2 && bits != 4 && bits != 8)) n.wrong("bits {}, block_size {}", bits, block);
    const bool bytes = data.dtype() == DType::U8;
    const std::int64_t each = bytes ? 8 / bits : 1;
    Dims dims = data.dims();
    n.need_rank(1);
    dims.back() *= each;
    const std::int64_t axis = n.axis(n.i("quantize_axis", 1), n.rank());
    Dims in_blocks = dims;
    std::int64_t& along = in_blocks[static_cast<std::size_t>(axis)];
    along = (along + block - 1) / block;
    if (scales.dims() != in_blocks) n.wrong("scales of another shape than the table has blocks");
    const Literal* zeros = n.has(3) ? &n.literal(3) : nullptr;
    const std::int64_t zero_columns = bytes ? (in_blocks.back() + each - 1) / each : in_blocks.back();
    if (zeros && zeros->size() * in_blocks.back() != scales.size() * zero_columns)
        n.wrong("{} zero points for {} blocks", zeros->size(), scales.size());
    Literal table(DType::F32, dims, max_read_elements);
    const Dims steps = strides(dims), block_steps = strides(in_blocks);
    for (std::int64_t i = 0; i < table.size(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0, rest = static_cast<std::size_t>(i); d < dims.size(); ++d) {
            const auto step = static_cast<std::size_t>(steps[d]);
            const auto place = static_cast<std::int64_t>(rest / step);
            at += (static_cast<std::int64_t>(d) == axis ? place / block : place) * block_steps[d];
            rest %= step;
        }
        const std::int64_t zero_at = at / in_blocks.back() * zero_columns * each + at % in_blocks.back();
        const double zero = zeros   ? bytes ? static_cast<double>(packed_number(*zeros, zero_at, bits)) : zeros->at(at)
                              : bytes ? static_cast<double>(1 << (bits - 1))
                                    : 0.0;
        const double q = bytes ? static_cast<double>(packed_number(data, i, bits)) : data.at(i);
        table.set(i, (q - zero) * scales.at(at));
    }
    n.in[0] = n.b.model_constant(std::move(table));
    gather_along(n, n.axis(n.i("gather_axis", 0), n.rank()));
}

}  // namespace

const ImportRules& contrib_block_rules() {
    static const ImportRules rules{
        {"MatMulNBits", matmul_n_bits},
        {"MatMulBnb4", matmul_bnb4},
        {"GatherBlockQuantized", gather_block_quantized},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
