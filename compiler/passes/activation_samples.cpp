#include "compiler/passes/activation_samples.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "compiler/ir/next_nonzero.hpp"
#include "compiler/ir/op_table.hpp"
#include "compiler/ops/device.hpp"
#include "kernels/instruction_set.hpp"

namespace ttsim::impl::ir {

namespace {

constexpr std::int64_t sample_rows = 64, tile = tile_edge;

Literal zeros(std::int64_t rows, std::int64_t columns) { return Literal(DType::F32, {rows, columns}); }

/// Applies the packer's relu to the result of an op.
void apply_relu(const Node& node, Literal& y) {
    const std::string relu = node.get(attr::relu);
    if (relu.empty()) return;
    const auto threshold = static_cast<float>(node.get(attr::threshold));
    for (float& v : y.floats()) {
        if (relu == "max")
            v = std::clamp(v, 0.0F, std::max(threshold, 0.0F));
        else
            v = v < threshold ? 0.0F : v;
    }
}

}  // namespace

ActivationSamples::ActivationSamples(const Graph& graph, unsigned threads,
                                     const std::map<std::string, Literal>* samples)
    : graph_(graph), threads_(threads), samples_(samples) {
    for (const Node& node : graph.nodes) rows_.push_back(evaluate(node));
}

std::optional<std::vector<double>> ActivationSamples::means(const Node& node, std::size_t k) {
    const Rows x = operand(node.inputs[k]);
    if (!x) return std::nullopt;
    const std::int64_t rows = x->dims()[0], columns = x->dims()[1];
    std::vector<double> sums(static_cast<std::size_t>(columns));
    const float* row = x->floats().data();
    for (std::int64_t r = 0; r < rows; ++r, row += columns)
        for (std::int64_t c = 0; c < columns; ++c) sums[static_cast<std::size_t>(c)] += static_cast<double>(row[c]);
    for (double& sum : sums) sum /= static_cast<double>(rows);
    return sums;
}

ActivationSamples::Rows ActivationSamples::evaluate(const Node& node) {
    if (node.is_input()) return input(node);
    if (!node.op.on_device()) return std::nullopt;  // operand() evaluates constants
    Rows y;
    if (node.op == op::buda::matmul || node.op == op::buda::depthwise)
        y = product(node);
    else if (node.op == op::buda::sparse)
        y = gathered(node, node.type.dims[0], 1);
    else if (const OpInfo* op = find_op(node.op); op && op->elementwise)
        y = elementwise(node);
    if (y) apply_relu(node, *y);
    return y;
}

ActivationSamples::Rows ActivationSamples::input(const Node& node) {
    const std::vector<std::int64_t> dims = node.get(attr::dims);
    if (!node.type.format || dims.empty() || node.get(attr::dtype) != "f32") return std::nullopt;
    if (samples_) {
        const auto given = samples_->find(node.origin);
        return given == samples_->end() ? std::nullopt : sampled_input(node, given->second);
    }
    const std::int64_t full = node.type.dims[2] * tile;
    Literal x = zeros(sample_rows, full);
    for (std::int64_t p = 0; p < sample_rows / 2; ++p)
        for (std::int64_t c = 0; c < dims.back(); ++c) {
            double sum = -6;  // sum of twelve uniform numbers: nearly normal
            for (int n = 0; n < 12; ++n) sum += static_cast<double>(random_()) / 4294967296.0;
            x.set(p * full + c, sum);
            x.set((p + sample_rows / 2) * full + c, -sum);
        }
    return x;
}

/// Rows at equal distances; if the sample has fewer rows, they are repeated.
ActivationSamples::Rows ActivationSamples::sampled_input(const Node& node, const Literal& sample) {
    const std::int64_t columns = node.get(attr::dims).back(), full = node.type.dims[2] * tile;
    if (columns < 1 || sample.size() < columns || sample.size() % columns != 0) return std::nullopt;
    const std::int64_t rows = sample.size() / columns;
    Literal x = zeros(sample_rows, full);
    for (std::int64_t p = 0; p < sample_rows; ++p) {
        const std::int64_t row = rows < sample_rows ? p % rows : p * rows / sample_rows;
        for (std::int64_t c = 0; c < columns; ++c) x.set(p * full + c, sample.at(row * columns + c));
    }
    return x;
}

ActivationSamples::Rows ActivationSamples::constant(const Node& node) const {
    if (!node.literal || !node.type.format || node.type.dims[0] != 1) return std::nullopt;
    const std::int64_t rows = node.type.dims[1] * tile, columns = node.type.dims[2] * tile;
    const std::vector<float>& values = node.literal->floats();
    if (node.literal->size() != rows * columns) return std::nullopt;
    const bool rows_are_equal = std::equal(values.begin() + columns, values.end(), values.begin());
    Literal x = zeros(rows_are_equal ? 1 : sample_rows, columns);
    for (std::int64_t p = 0; p < x.dims()[0]; ++p)
        std::copy_n(values.begin() + p * rows / x.dims()[0] * columns, columns, x.floats().begin() + p * columns);
    return x;
}

/// Concatenates `times` copies of the columns; each copy has its rows shuffled anew.
Literal ActivationSamples::concatenated(const Literal& x, std::int64_t times, std::int64_t rows) {
    const std::int64_t known = x.dims()[0], columns = x.dims()[1];
    Literal y = zeros(rows, times * columns);
    std::vector<std::int64_t> from(static_cast<std::size_t>(rows));
    for (std::int64_t p = 0; p < rows; ++p) from[static_cast<std::size_t>(p)] = p % known;
    for (std::int64_t part = 0; part < times; ++part) {
        for (std::size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random_() % i]);
        for (std::int64_t p = 0; p < rows; ++p)
            std::copy_n(x.floats().begin() + from[static_cast<std::size_t>(p)] * columns, columns,
                        y.floats().begin() + (p * times + part) * columns);
    }
    return y;
}

/// Rows gathered by a sparse product, with `times` of its `slices` of rows concatenated along columns. For result rows
/// at equal distances, a part has values if the map gathers a row for it, else zeros: most taps of a transposed
/// convolution are zeros.
ActivationSamples::Rows ActivationSamples::gathered(const Node& sparse, std::int64_t slices, std::int64_t times) {
    const LiteralPtr& index = graph_.nodes[sparse.inputs[1].value].literal;
    const Rows x = operand(sparse.inputs[0]);
    if (!x || sparse.inputs.size() != 2 || !index || index->dims().back() != 1) return std::nullopt;
    if (slices < times || slices % times != 0 || index->size() < slices || index->size() % slices != 0)
        return std::nullopt;
    const std::int64_t rows = index->size() / slices, all = rows * (slices / times), columns = x->dims()[1];
    const auto has = [&](std::int64_t row, std::int64_t part) {
        return index->at((row / rows * times + part) * rows + row % rows) >= 0;
    };
    Literal y = concatenated(*x, times, sample_rows);
    for (std::int64_t p = 0; p < sample_rows; ++p) {
        // rows that pad a tile have no parts: try others
        constexpr int tries = 8;
        std::vector<std::int64_t> zeros;
        for (int n = 0; n < tries; ++n) {
            zeros.clear();
            const std::int64_t any = static_cast<std::int64_t>(random_()) % all;
            const std::int64_t row = n == 0 ? (p * all + any) / sample_rows : any;
            for (std::int64_t part = 0; part < times; ++part)
                if (!has(row, part)) zeros.push_back(part);
            if (std::ssize(zeros) < times) break;
        }
        for (const std::int64_t part : zeros)
            std::fill_n(y.floats().begin() + (p * times + part) * columns, columns, 0.0F);
    }
    return y;
}

ActivationSamples::Rows ActivationSamples::operand(const Edge& edge) {
    const Node& node = graph_.nodes[edge.value];
    std::int64_t slices = node.type.format ? node.type.dims[0] : 1;
    Rows x = node.is_constant() ? constant(node) : rows_[edge.value];
    for (const Tm& tm : edge.tms) {
        if (!x) return std::nullopt;
        switch (tm.kind) {
            case Tm::Kind::BroadcastR:
            case Tm::Kind::BroadcastZ:
                break;  // the sample rows represent the repeated rows
            case Tm::Kind::VSlice:
                slices *= tm.n;
                break;
            case Tm::Kind::VStack:
                slices /= tm.n;
                break;
            case Tm::Kind::BroadcastC:
                if (!node.is_constant()) return std::nullopt;
                x = concatenated(*x, tm.n, x->dims()[0]);
                break;
            case Tm::Kind::HStack:
                if (node.op != op::buda::sparse || tm.n < 1) return std::nullopt;
                x = gathered(node, slices, tm.n);
                break;
            case Tm::Kind::HSlice:
            case Tm::Kind::Transpose:
            case Tm::Kind::Pad:
                return std::nullopt;
        }
    }
    return x;
}

/// Adds a row of a matrix times a factor. `columns`: of whole tiles.
static void add_scaled(float* __restrict to, const float* __restrict row, float factor, std::int64_t columns) {
    for (const float* const end = row + columns; row != end; row += tile, to += tile)
        for (std::int64_t i = 0; i < tile; ++i) to[i] += factor * row[i];  // a constant number: vector instructions
}

/// x * matrix
ActivationSamples::Rows ActivationSamples::times(const Literal& x, const Literal& matrix) const {
    const std::int64_t samples = x.dims()[0], inner = x.dims()[1], outer = matrix.dims()[2];
    if (matrix.dims()[0] != 1 || matrix.dims()[1] != inner || outer % tile != 0) return std::nullopt;
    Literal y = zeros(samples, outer);
    float* const to = y.floats().data();
    const float *const from = x.floats().data(), *const weights = matrix.floats().data();
    constexpr std::int64_t block = 8;  // sample rows for which a row of the matrix is read once
    parallel_for(threads_, static_cast<std::size_t>((samples + block - 1) / block), [&](std::size_t n) {
        const std::int64_t first = static_cast<std::int64_t>(n) * block, last = std::min(first + block, samples);
        with_vector_instructions([&] {
            for (std::int64_t k = 0; k < inner; ++k)
                for (std::int64_t p = first; p < last; ++p)
                    if (const float factor = from[p * inner + k]; factor != 0)
                        add_scaled(to + p * outer, weights + k * outer, factor, outer);
        });
    });
    return y;
}

/// x * matrix of a depthwise product: the matrix holds its diagonal tiles below each other.
ActivationSamples::Rows ActivationSamples::depthwise(const Literal& x, const Literal& matrix) const {
    const std::int64_t samples = x.dims()[0], outer = matrix.dims()[2], terms = matrix.dims()[1] / tile;
    if (matrix.dims()[0] != 1 || x.dims()[1] != terms * outer) return std::nullopt;
    Literal y = zeros(samples, outer);
    float* to = y.floats().data();
    const float *const from = x.floats().data(), *const weights = matrix.floats().data();
    // most elements are 0: the diagonal of each tile is used. 0 times infinity is NaN, so then all are multiplied.
    const bool all = std::any_of(from, from + x.size(), [](float v) { return !std::isfinite(v); });
    for (std::int64_t k = 0; k < terms * tile; ++k) {
        const float *const row = weights + k * outer, *const end = row + outer;
        const auto from_on = [&](const float* at) { return all ? at : next_nonzero(at, end); };
        for (const float* at = from_on(row); at != end; at = from_on(at + 1)) {
            const std::int64_t c = at - row, column = c / tile * tile + k % tile;
            for (std::int64_t p = 0; p < samples; ++p)
                to[p * outer + c] += from[(p * terms + k / tile) * outer + column] * *at;
        }
    }
    return y;
}

/// rows * x, such as a mean of rows: the mean of x times the mean sum of a row's weights.
ActivationSamples::Rows ActivationSamples::row_mixture(const Literal& rows, const Literal& x) const {
    const std::int64_t samples = x.dims()[0], columns = x.dims()[1], inner = rows.dims()[2];
    double weight = 0;
    std::int64_t used = 0;
    for (std::int64_t r = 0; r < rows.size() / inner; ++r) {
        double sum = 0;
        bool any = false;
        for (std::int64_t i = 0; i < inner; ++i) {
            const double value = rows.at(r * inner + i);
            sum += value;
            any = any || value != 0;
        }
        weight += sum;
        used += any ? 1 : 0;
    }
    Literal y = zeros(1, columns);
    if (used == 0) return y;
    for (std::int64_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (std::int64_t p = 0; p < samples; ++p) sum += x.at(p * columns + c);
        y.set(c, sum / static_cast<double>(samples) * weight / static_cast<double>(used));
    }
    return y;
}

ActivationSamples::Rows ActivationSamples::product(const Node& node) {
    const Node &left = graph_.nodes[node.inputs[0].value], &right = graph_.nodes[node.inputs[1].value];
    const auto has_elements = [](const Node& constant) {
        const Dims& tiles = constant.type.dims;
        return constant.literal && constant.literal->dims() == Dims{tiles[0], tiles[1] * tile, tiles[2] * tile};
    };
    Rows y;
    if (has_elements(right)) {
        const Rows x = operand(node.inputs[0]);
        if (x) y = node.op == op::buda::matmul ? times(*x, *right.literal) : depthwise(*x, *right.literal);
    } else if (has_elements(left)) {
        const Rows x = operand(node.inputs[1]);
        if (x) y = row_mixture(*left.literal, *x);
    }
    if (!y || node.inputs.size() == 2) return y;
    const Rows bias = operand(node.inputs[2]);
    if (!bias || bias->dims()[0] != 1 || bias->dims()[1] != y->dims()[1]) return std::nullopt;
    const std::vector<float>& added = bias->floats();
    std::vector<float>& sums = y->floats();
    for (std::size_t i = 0; i < sums.size(); i += added.size())
        for (std::size_t c = 0; c < added.size(); ++c) sums[i + c] += added[c];
    return y;
}

ActivationSamples::Rows ActivationSamples::elementwise(const Node& node) {
    const OpInfo* op = find_op(find_op(node.op)->counterpart);
    // a few rows do not represent an op that amplifies errors
    if (const OpDef* def = device_def(node.op); !op || !op->eval || !def || def->error_amplifying) return std::nullopt;
    std::vector<Literal> in;
    std::int64_t rows = 1, columns = 1;
    for (const Edge& edge : node.inputs) {
        Rows x = operand(edge);
        if (!x) return std::nullopt;
        rows = std::max(rows, x->dims()[0]);
        columns = std::max(columns, x->dims()[1]);
        in.push_back(std::move(*x));
    }
    std::vector<const Literal*> operands;
    for (const Literal& x : in) {
        if (x.dims()[1] != columns) return std::nullopt;
        operands.push_back(&x);
    }
    Node alone;
    alone.op = op->id;
    alone.name = node.name;
    alone.attrs = node.attrs;
    alone.type = {DType::F32, {rows, columns}, {}};
    return op->eval(alone, operands);
}

}  // namespace ttsim::impl::ir
