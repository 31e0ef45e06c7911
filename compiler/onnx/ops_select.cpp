// ONNX ops that sort or select by value, losses, and ops that are refused.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "compiler/onnx/importer.hpp"

namespace ttsim::impl::ir {

namespace {

void top_k(Import& n) {
    const std::int64_t axis = n.axis(n.i("axis", -1), n.rank()), k = n.opset < 10 ? n.i("k", 0) : n.integer(1);
    const std::int64_t largest = n.opset < 11 ? 1 : n.i("largest", 1);
    n.add_output(n.b.add(op::top_k, {n.x(0)}, {attr::axis(axis), attr::k(k), attr::largest(largest)}));
    if (n.outputs() > 1) n.add_output(n.b.result(n.out.front(), 1));
}

/// The only length, if all are one constant.
std::optional<std::int64_t> common_length(Import& n) {
    const Literal* lengths = n.b.literal(n.x(1));
    if (!lengths || lengths->size() == 0) return std::nullopt;
    const auto length = static_cast<std::int64_t>(lengths->at(0));
    for (std::int64_t i = 1; i < lengths->size(); ++i)
        if (static_cast<std::int64_t>(lengths->at(i)) != length) return std::nullopt;
    return length;
}

/// With one length for all sequences a selection of rows.
void reverse_sequence(Import& n) {
    n.need_rank(2);
    const std::int64_t time = n.axis(n.i("time_axis", 0), n.rank()), size = n.dims()[static_cast<std::size_t>(time)];
    if (const auto length = common_length(n); length && *length >= 0 && *length <= size) {
        n.check_positions(size);
        std::vector<std::int64_t> rows(static_cast<std::size_t>(size));
        std::iota(rows.begin(), rows.end(), 0);
        std::reverse(rows.begin(), rows.begin() + *length);
        n.add_output(n.gather(n.x(0), time, rows));
        return;
    }
    n.add_output(n.b.add(op::reverse_sequence, {n.x(0), n.x(1)},
                         {attr::axis(time), attr::batch(n.axis(n.i("batch_axis", 1), n.rank()))}));
}

/// Operand 0 as a constant, because the size of the result depends on its values.
const Literal& constant_operand(Import& n) {
    if (const Literal* known = n.b.literal(n.x(0))) return *known;
    n.needs_value("its number of results depends on its values");
}

void non_zero(Import& n) {
    const Literal& x = constant_operand(n);
    const Dims d = x.dims(), steps = strides(d);
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < x.size(); ++i)
        if (x.at(i) != 0) found.push_back(i);
    Literal out(DType::I64, {std::ssize(d), std::ssize(found)});
    for (std::size_t a = 0; a < d.size(); ++a)
        for (std::size_t k = 0; k < found.size(); ++k)
            out.integer_elements()[a * found.size() + k] = found[k] / steps[a] % d[a];
    n.add_output(n.b.constant(std::move(out)));
}

/// Distinct slices along an axis (distinct elements without one), their first indices, inverse indices and counts.
void unique(Import& n) {
    const Literal& x = constant_operand(n);
    const bool by_axis = n.has_attribute("axis");
    const std::int64_t axis = by_axis ? n.axis(n.i("axis", 0), n.rank()) : 0;
    const Dims d = by_axis ? x.dims() : Dims{x.size()};
    const std::int64_t size = d[static_cast<std::size_t>(axis)], inner = strides(d)[static_cast<std::size_t>(axis)];
    const std::int64_t outer = size * inner == 0 ? 0 : x.size() / (size * inner);
    using Slice = std::vector<long double>;  // holds integers of 64 bits
    const auto element = [&](std::int64_t i) {
        if (is_float(x.dtype())) return static_cast<long double>(x.at(i));
        const std::int64_t integer = x.integer(i);
        return x.dtype() == DType::U64 ? static_cast<long double>(static_cast<std::uint64_t>(integer))
                                       : static_cast<long double>(integer);
    };
    std::vector<Slice> slices(static_cast<std::size_t>(size));
    for (std::int64_t k = 0; k < size; ++k)
        for (std::int64_t i = 0; i < outer * inner; ++i)
            slices[static_cast<std::size_t>(k)].push_back(element((i / inner * size + k) * inner + i % inner));
    std::map<Slice, std::int64_t> first;
    std::vector<std::int64_t> order, which, often;
    for (std::int64_t k = 0; k < size; ++k)
        if (first.emplace(slices[static_cast<std::size_t>(k)], k).second) order.push_back(k);
    if (n.i("sorted", 1) != 0) {
        order.clear();
        for (const auto& [unused, k] : first) order.push_back(k);
    }
    std::map<std::int64_t, std::int64_t> number;
    for (const std::int64_t k : order) number.emplace(k, std::ssize(number));
    often.assign(order.size(), 0);
    for (const auto& slice : slices) {
        which.push_back(number.at(first.at(slice)));
        ++often[static_cast<std::size_t>(which.back())];
    }
    const ValueId flat = by_axis ? n.x(0) : n.b.reshape(n.x(0), {x.size()});
    n.add_output(n.gather(flat, axis, order));
    for (const auto& list : {order, which, often}) n.add_output(n.b.constant(Literal::vector(list)));
}

void refuse_random(Import& n) {
    n.unsupported("it generates random numbers, which compiled models cannot; make them an input of the model");
}
void refuse_strings(Import& n) {
    n.unsupported(
        "it works on strings; do that in your program and cut the model behind it (onnx.utils.extract_model)");
}
/// Counts of n-grams of integers, with weights in some modes.
void tf_idf(Import& n) {
    if (!n.strings("pool_strings").empty()) return refuse_strings(n);
    const std::vector<std::int64_t> pool = n.ints("pool_int64s"), starts = n.ints("ngram_counts"),
                                    outputs = n.ints("ngram_indexes");
    const std::int64_t least = n.i("min_gram_length", 1), most = n.i("max_gram_length", 1);
    const std::int64_t skips = n.i("max_skip_count", 0), rank = n.rank();
    const std::vector<float> weights = n.floats("weights");
    if (least < 1 || most < least || skips < 0 || most > std::ssize(starts) || outputs.empty())
        n.wrong("runs of {} to {} items with {} skips; the pool has {} lengths", least, most, skips, starts.size());
    if (rank < 1 || rank > 2) n.wrong("{} is neither a row of numbers nor a table", to_string(n.b.type(n.x(0))));
    const auto [lowest, highest] = std::minmax_element(outputs.begin(), outputs.end());
    if (*lowest < 0 || *highest >= max_constant_elements)
        n.wrong("outputs {} to {} (ngram_indexes)", *lowest, *highest);
    const std::int64_t width = *highest + 1;
    check_element_count({std::ssize(outputs), most + 2});
    if (!weights.empty() && std::ssize(weights) != width) n.wrong("{} weights for {} outputs", weights.size(), width);
    std::vector<std::int64_t> runs;
    std::size_t run = 0;
    for (std::int64_t length = 1; length <= std::ssize(starts); ++length) {
        const auto k = static_cast<std::size_t>(length - 1);
        const std::int64_t end = length < std::ssize(starts) ? starts[k + 1] : std::ssize(pool);
        if (starts[k] < 0 || end > std::ssize(pool)) n.wrong("runs of {} from {} to {}", length, starts[k], end);
        for (std::int64_t at = starts[k]; at + length <= end; at += length, ++run) {
            if (run >= outputs.size()) n.wrong("{} outputs for more runs", outputs.size());
            if (length < least || length > most) continue;
            runs.insert(runs.end(), {outputs[run], length});
            for (std::int64_t i = 0; i < most; ++i)
                runs.push_back(i < length ? pool[static_cast<std::size_t>(at + i)] : 0);
        }
    }
    const Dims dims = n.dims();
    if (runs.empty()) n.wrong("its pool has no runs of {} to {} items", least, most);
    Literal table = Literal::vector(runs);
    table.reshape({std::ssize(runs) / (most + 2), most + 2});
    const ValueId rows = rank == 1 ? n.b.reshape(n.x(0), {1, dims[0]}) : n.x(0);
    ValueId y = n.b.add(op::count_runs, {rows, n.b.constant(std::move(table))},
                        {attr::outputs(width), attr::least(least), attr::skips(skips)});
    const std::string mode = n.get_string("mode", {"TF", "IDF", "TFIDF"});
    if (mode == "IDF") y = n.b.cast(n.binary(op::greater, y, n.b.scalar(0)), DType::F32);
    if (mode != "TF" && !weights.empty()) {
        Literal factors(DType::F32, {width});
        factors.floats() = weights;
        y = n.binary(op::multiply, y, n.b.constant(std::move(factors)));
    }
    n.add_output(rank == 1 ? n.b.reshape(y, {width}) : y);
}
void refuse_image_files(Import& n) {
    n.unsupported(
        "it reads image files; do that in your program and cut the model behind it "
        "(onnx.utils.extract_model)");
}

// --- losses -------------------------------------------------------------------------------------------------------

/// Negative log likelihood of the target classes, given logarithms [N, classes, ..], with class weights and
/// ignore_index.
ValueId class_loss(Import& n, ValueId logs, ValueId target) {
    const Dims d = n.b.dims(logs);
    if (d.size() < 2) n.wrong("{} has no axis of classes", to_string(n.b.type(logs)));
    if (n.b.dims(target).empty()) n.wrong("operand 1 is a scalar");
    const DType ids = n.b.type(target).dtype, type = n.b.type(logs).dtype;
    std::optional<ValueId> weight;
    if (n.has_attribute("ignore_index")) {
        const ValueId ignored =
            n.binary(op::equal, target, n.b.scalar(static_cast<double>(n.i("ignore_index", 0)), ids));
        target = n.b.add(op::where, {ignored, n.b.scalar(0, ids), target});
        weight = n.b.cast(n.unary(op::not_, ignored), type);
    }
    if (n.has(2)) {
        const ValueId own = n.b.add(op::take, {n.x(2), target}, {attr::axis(0)});
        weight = weight ? n.binary(op::multiply, own, *weight) : own;
    }
    Dims places = n.b.dims(target);
    places.insert(places.begin() + 1, 1);
    const ValueId found = n.b.add(op::gather_elements, {logs, n.b.reshape(target, places)}, {attr::axis(1)});
    ValueId loss = n.b.reshape(n.unary(op::neg, found), n.b.dims(target));
    if (weight) loss = n.binary(op::multiply, loss, *weight);
    const std::string reduction = n.get_string("reduction", {"mean", "sum", "none"});
    if (reduction == "none") return loss;
    const auto sum = [&](ValueId v) {
        const ValueId flat = n.b.reshape(v, {count(n.b.dims(v))});
        return n.b.reshape(n.b.reduce_sum(flat, 0), {});
    };
    if (reduction == "sum") return sum(loss);
    if (weight) return n.binary(op::divide, sum(loss), sum(*weight));
    return n.scaled(sum(loss), 1.0 / static_cast<double>(count(n.b.dims(target))));
}
void likelihood_loss(Import& n) { n.add_output(class_loss(n, n.x(0), n.x(1))); }
void cross_entropy_loss(Import& n) {
    n.need_rank(2);
    const ValueId logs = n.unary(op::log_softmax, n.x(0), {attr::axis(1)});
    n.add_output(class_loss(n, logs, n.x(1)));
    n.add_output(logs);
}

}  // namespace

const ImportRules& select_rules() {
    static const ImportRules rules{
        {"TopK", top_k},
        {"ReverseSequence", reverse_sequence},
        {"NonZero", non_zero},
        {"Unique", unique},
        {"NegativeLogLikelihoodLoss", likelihood_loss},
        {"SoftmaxCrossEntropyLoss", cross_entropy_loss},
        {"RandomNormal", refuse_random},
        {"RandomNormalLike", refuse_random},
        {"RandomUniform", refuse_random},
        {"RandomUniformLike", refuse_random},
        {"Bernoulli", refuse_random},
        {"Multinomial", refuse_random},
        {"StringConcat", refuse_strings},
        {"StringNormalizer", refuse_strings},
        {"StringSplit", refuse_strings},
        {"RegexFullMatch", refuse_strings},
        {"TfIdfVectorizer", tf_idf},
        {"ImageDecoder", refuse_image_files},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
