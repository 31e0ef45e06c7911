// --math fast against --math exact, op by op: they may differ by rounding alone. What rounding may do is worked out
// from the formats and the size of what an op adds up, elementwise.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>

#include "tests/kernels/product_ops.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

/// What data of models looks like, and what breaks arithmetic.
enum class Data : std::uint8_t {
    Uniform,
    Biased,     ///< activations without a sign
    LargeMean,  ///< small differences of large numbers
    Wide,       ///< 24 powers of two
    ZeroHeavy,
    Logits,    ///< a few large ones
    Huge,      ///< products leave the range
    Tiny,      ///< below the smallest normal number, as operands or as products
    Specials,  ///< infinities
    MinusZero,
};
constexpr std::array all_data{Data::Uniform, Data::Biased, Data::LargeMean, Data::Wide,     Data::ZeroHeavy,
                              Data::Logits,  Data::Huge,   Data::Tiny,      Data::Specials, Data::MinusZero};

bool short_exponent(DataFormat f) { return info(f).family == FormatFamily::A; }

Tensor draw(TileShape shape, Data kind, DataFormat format, std::mt19937& random) {
    Tensor t(shape, {});
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0, 1);
    const float huge = short_exponent(format) ? 3e4F : 1e38F, tiny = short_exponent(format) ? 1e-4F : 1e-37F;
    for (float& x : t.data) {
        const float n = normal(random), u = uniform(random);
        switch (kind) {
            case Data::Uniform:
                x = 2 * u - 1;
                break;
            case Data::Biased:
                x = u + 0.5F;
                break;
            case Data::LargeMean:
                x = 100 + n / 2;
                break;
            case Data::Wide:
                x = n * std::exp2(std::floor(u * 24 - 12));
                break;
            case Data::ZeroHeavy:
                x = u < 0.8F ? 0.0F : n;
                break;
            case Data::Logits:
                x = u < 0.05F ? 20 + n : n - 5;
                break;
            case Data::Huge:
                x = n * huge;
                break;
            case Data::Tiny:
                x = n * tiny;
                break;
            case Data::Specials:
                x = u < 0.02F ? std::copysign(std::numeric_limits<float>::infinity(), n) : u < 0.3F ? 0.0F : n;
                break;
            case Data::MinusZero:
                x = u < 0.5F ? -0.0F : n;
                break;
        }
    }
    convert(format, t);
    return t;
}

/// Distance of neighbours, relative to the number; of block floats to the largest of the block.
double spacing(DataFormat format) {
    if (is_block_float(format)) return std::exp2(1 - info(format).magnitude_bits);
    if (format == DataFormat::Float16_b) return 0x1p-7;
    if (format == DataFormat::Lf8) return 0x1p-2;
    if (format == DataFormat::Fp8_e4m3) return 0x1p-3;
    return 0x1p-10;  // operands have 11 bits
}

/// How often the matrix unit rounds an element to Dst on its way, and how many products it is made of.
struct Rounding {
    int into_dest = 1;
    int products = 1;
};

struct Distance {
    double worst = 0, sum = 0;
    std::int64_t elements = 0;
    std::string where;
    void note(double distance, const std::string& text) {
        ++elements;
        sum += distance;
        if (std::fabs(distance) <= worst) return;
        worst = std::fabs(distance);
        where = text;
    }
    double bias() const { return elements == 0 ? 0 : sum / static_cast<double>(elements); }
};

/// |fast - exact| as part of what rounding may do, with a sign: positive where fast is the larger in magnitude.
Distance compare(const OpConfig& op, const Tensor& fast, const Tensor& exact, const Tensor& sizes, Rounding rounding) {
    Distance found;
    // the smallest number that is not flushed
    const double least = op.out_df == DataFormat::Fp8_e4m3                        ? 0x1p-6
                         : short_exponent(op.acc_df) || short_exponent(op.out_df) ? 0x1p-14
                                                                                  : 0x1p-126;
    const double partial = op.intermed_df == op.acc_df ? 0 : spacing(op.intermed_df);
    const double relative = spacing(op.acc_df) * std::sqrt(rounding.into_dest) + partial + spacing(op.out_df);
    for (std::size_t i = 0; i < fast.data.size(); ++i) {
        const double a = fast.data[i], b = exact.data[i];
        double size = sizes.data[i];
        if (is_block_float(op.out_df))
            for (std::size_t k = i / 16 * 16; k < i / 16 * 16 + 16; ++k) size = std::max(size, double{sizes.data[k]});
        const std::string text = fmt::format("element {}: fast {} exact {} of size {}", i, a, b, size);
        // Where sums of several products leave the range, their order decides whether they come back.
        if (rounding.products > 1 && !std::isfinite(size)) continue;
        if (a == b || (std::isnan(a) && std::isnan(b))) {
            found.note(0, text);
        } else if (!std::isfinite(a) || !std::isfinite(b)) {
            found.note(std::numeric_limits<double>::infinity(), text);
        } else if (std::isfinite(size)) {
            found.note((std::fabs(a) - std::fabs(b)) / (relative * size + 4 * rounding.products * least), text);
        }
    }
    return found;
}

Tensor magnitudes(Tensor t) {
    for (float& x : t.data) x = std::fabs(x);
    return t;
}

/// Runs it both ways.
void check(OpConfig op, const std::vector<Tensor>& operands, Rounding rounding, const std::string& what) {
    std::vector<Tensor> sizes;
    std::vector<const Tensor*> in, in_sizes;
    sizes.reserve(operands.size());
    for (const Tensor& t : operands) {
        sizes.push_back(magnitudes(t));
        in.push_back(&t);
        in_sizes.push_back(&sizes.back());
    }
    op.loc = {"test.yaml", 3, 5};
    op.chip.fpu_minus_unit = false;  // what it changes is no rounding
    const std::string complaint =
        complaints(op, op.acc_df == DataFormat::Float32 ? wormhole_features() : grayskull_features());
    if (!complaint.empty()) return;
    const Tensor fast = run_block(op, in, Numerics::Real), exact = run_block(op, in, Numerics::Exact);
    OpConfig size_op = op;
    size_op.attr.relu_en = false;
    if (op.type == "subtract") size_op.type = "add";
    const Tensor size = magnitudes(run_block(size_op, in_sizes, Numerics::Float32));
    const Distance distance = compare(op, fast, exact, size, rounding);
    INFO(fmt::format("{} in_df {} acc_df {} intermed_df {} out_df {} {}, data {}", op.type, to_string(op.in_df[0]),
                     to_string(op.acc_df), to_string(op.intermed_df), to_string(op.out_df), to_string(op.fidelity),
                     what));
    INFO(distance.where << " bias " << distance.bias());
    CHECK(distance.worst <= 1);
}

struct Formats {
    DataFormat in, acc, out;
    /// What partial sums travel as.
    DataFormat intermediate() const { return is_block_float(out) ? out : acc; }
};

/// Every operand format with every Dst it may meet, and outputs of the same family.
template <class F>
void for_each_format(bool all, F f) {
    using enum DataFormat;
    const std::vector<DataFormat> b{Float16_b, Bfp8_b, Bfp4_b, Bfp2_b, Float32};
    const std::vector<DataFormat> a{Float16, Bfp8, Bfp4, Bfp2, Lf8, Fp8_e4m3, Float32};
    for (const DataFormat acc : {Float16_b, Float16, Float32})
        for (const auto* family : {&b, &a}) {
            if (acc != Float32 && (acc == Float16) != (family == &a)) continue;
            for (const DataFormat in : *family)
                for (const DataFormat out : *family)
                    if (all || out == in || out == family->front() || out == (*family)[1]) f(Formats{in, acc, out});
        }
}

OpConfig with(OpConfig op, const Formats& f) {
    op.in_df.assign(op.in_df.size(), f.in);
    op.acc_df = f.acc;
    op.intermed_df = f.intermediate();
    op.out_df = f.out;
    return op;
}

constexpr std::array all_fidelities{Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi2_B, Fidelity::HiFi3,
                                    Fidelity::HiFi4};

void check_eltwise(const Formats& f, Data data, std::mt19937& random) {
    const Tensor x = draw({1, 1, 1}, data, f.in, random), y = draw({1, 1, 1}, data, f.in, random);
    for (const ReluMode relu : {ReluMode::None, ReluMode::Min, ReluMode::Max})
        for (const char* type : {"nop", "add", "subtract"}) {
            OpConfig op = with(eltwise_config(type), f);
            op.attr.relu = relu;
            op.attr.relu_en = relu != ReluMode::None;
            op.attr.relu_threshold = relu == ReluMode::Max ? 0.3F : 0.0F;
            const bool one = op.type == "nop";
            check(op, one ? std::vector{x} : std::vector{x, y}, {}, fmt::format("relu {}", static_cast<int>(relu)));
        }
    for (const Fidelity fidelity : all_fidelities) {
        OpConfig op = with(eltwise_config("multiply"), f);
        op.fidelity = fidelity;
        check(op, {x, y}, {.into_dest = static_cast<int>(phases(fidelity).size())}, "");
    }
    for (const char* type : {"maximum", "sqrt", "reciprocal", "exp", "gelu", "abs"}) {
        const OpConfig op = with(eltwise_config(type), f);
        const bool one = op.in_df.size() == 1;
        check(op, one ? std::vector{x} : std::vector{x, y}, {}, "");
    }
}

void check_reduce(const Formats& f, Data data, std::mt19937& random) {
    for (const ReduceDim dim : {ReduceDim::R, ReduceDim::C, ReduceDim::RC}) {
        const Tensor x = draw({1, dim == ReduceDim::C ? 1 : 2, dim == ReduceDim::R ? 1 : 2}, data, f.in, random);
        OpConfig op = with(eltwise_config("reduce"), f);
        op.attr.reduce_dim = dim;
        op.attr.reduce_type = "max";
        op.attr.m_k = 1;
        op.attr.u_kt = 2;
        set_operands(op, {&x}, f.in);
        check(op, {x}, {}, fmt::format("dim {}", static_cast<int>(dim)));
    }
}

void check_product(OpConfig op, const Formats& f, std::vector<Tensor> operands, int k_tiles, const std::string& what) {
    std::vector<const Tensor*> in;
    for (const Tensor& t : operands) in.push_back(&t);
    op.name = "product";
    op.in_df.assign(in.size(), f.in);
    set_operands(op, in, f.in);
    op = with(op, f);
    if (op.attr.l1_acc) op.intermed_df = op.out_df;
    const int roundings = 2 * k_tiles * static_cast<int>(phases(op.fidelity).size());
    check(op, operands, {.into_dest = roundings + static_cast<int>(op.attr.m_k), .products = 32 * k_tiles}, what);
}

void check_products(const Formats& f, Data data, std::mt19937& random) {
    constexpr int k = 4;
    const Tensor in0 = draw({1, 1, k}, data, f.in, random), in1 = draw({1, k, 1}, data, f.in, random),
                 bias = draw({1, 1, 1}, data, f.in, random);
    for (const Fidelity fidelity : all_fidelities) {
        OpConfig op;
        op.type = "matmul";
        op.fidelity = fidelity;
        op.attr.m_k = 1;
        op.attr.u_kt = k;
        check_product(op, f, {in0, in1}, k, "one k-block");
        OpConfig with_bias = op;
        with_bias.attr.bias = true;
        check_product(with_bias, f, {in0, in1, bias}, k, "bias");
        op.attr.m_k = 2;
        op.attr.u_kt = k / 2;
        check_product(op, f, {in0, in1}, k, "two k-blocks");
        op.attr.l1_acc = true;
        check_product(op, f, {in0, in1}, k, "two k-blocks, l1_acc");
        op.attr.l1_acc = false;
        op.type = "depthwise";
        op.attr.m_k = k;
        op.attr.u_kt = 1;
        check_product(op, f, {in0, in1}, k, "");
    }
}

void sweep(std::uint32_t seed, bool all) {
    std::mt19937 random(seed);
    for_each_format(all, [&](const Formats& f) {
        for (const Data data : all_data) {
            check_eltwise(f, data, random);
            check_reduce(f, data, random);
            // the wrapped exponents of tiny block floats reach beyond infinity, where products are told apart by
            // exact math alone
            if (data != Data::Tiny || !is_block_float(f.in)) check_products(f, data, random);
        }
    });
}

}  // namespace

TEST_CASE("fast math differs from the matrix unit's bits by rounding only") { sweep(1, false); }

// Run by hand or at night: test_kernels "[nightly]"
TEST_CASE("fast math differs from the matrix unit's bits by rounding only, many draws", "[.][nightly]") {
    for (std::uint32_t seed = 2; seed < 12; ++seed) sweep(seed, true);
}

TEST_CASE("ops that fast math shares with exact math give the same bits") {
    std::mt19937 random(3);
    const auto same = [](const OpConfig& op, const std::vector<const Tensor*>& in) {
        const Tensor fast = run_block(op, in, Numerics::Real), exact = run_block(op, in, Numerics::Exact);
        INFO(op.type << " acc_df " << to_string(op.acc_df) << " out_df " << to_string(op.out_df));
        CHECK(std::memcmp(fast.data.data(), exact.data.data(), fast.data.size() * sizeof(float)) == 0);
    };
    for_each_format(true, [&](const Formats& f) {
        for (const Data data : all_data) {
            const Tensor x = draw({1, 2, 2}, data, f.in, random);
            OpConfig op = with(eltwise_config("nop", {.mblock_m = 2, .mblock_n = 2}), f);
            same(op, {&x});
            op.attr.relu_en = true;
            op.attr.relu = ReluMode::Min;
            op.attr.relu_threshold = 0.3F;
            same(op, {&x});
            OpConfig most = with(eltwise_config("reduce", {.mblock_m = 2}), f);
            most.attr.reduce_dim = ReduceDim::C;
            most.attr.reduce_type = "max";
            most.attr.m_k = 1;
            most.attr.u_kt = 2;
            set_operands(most, {&x}, f.in);
            same(most, {&x});
        }
    });
}

TEST_CASE("infinities are numbers to fast math too: a zero takes them out of a product") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    OpConfig op;
    op.type = "matmul";
    op.name = "mm";
    op.attr.m_k = op.attr.u_kt = 1;
    const Tensor in0 = filled({1, 1, 1}, {}, 1), zero = filled({1, 1, 1}, {}, 0);
    Tensor in1 = filled({1, 1, 1}, {}, 1);
    in1.data[0] = infinity;
    set_operands(op, {&zero, &in1}, DataFormat::Float16_b);
    for (const DataFormat acc : {DataFormat::Float16_b, DataFormat::Float32}) {
        op.acc_df = acc;
        CHECK(run_block(op, {&zero, &in1}, Numerics::Real).data == zero.data);
        const Tensor sums = run_block(op, {&in0, &in1}, Numerics::Real);
        CHECK(sums.data[0] == infinity);
        CHECK(sums.data[1] == 32);
    }
    OpConfig add = eltwise_config("add");
    const Tensor minus = filled({1, 1, 1}, {}, -infinity), plus = filled({1, 1, 1}, {}, infinity);
    CHECK(run_block(add, {&plus, &minus}, Numerics::Real).data == zero.data);
}

TEST_CASE("sums in L1 round to nearest even, not up") {
    // 1 + 3 * 2^-8 lies between two BF16 numbers: each of eight blocks adds half a unit in the last place.
    OpConfig op;
    op.type = "matmul";
    op.name = "mm";
    op.attr.m_k = 8;
    op.attr.u_kt = 1;
    op.attr.l1_acc = true;
    op.acc_df = DataFormat::Float32;
    Tensor in0(TileShape{1, 1, 8}, {}), in1(TileShape{1, 8, 1}, {});
    for (std::int64_t k = 0; k < 8; ++k) {
        in0.slice(0).at(0, 32 * k) = 1;
        in1.slice(0).at(32 * k, 0) = k == 0 ? 1.0F : 0x1p-8F;
    }
    set_operands(op, {&in0, &in1}, DataFormat::Float16_b);
    CHECK(run_block(op, {&in0, &in1}, Numerics::Real).data[0] == 1);
}
