// ai.onnx.ml ops of numbers. The host computes trees and table look-ups; all else becomes products and elementwise ops.
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/onnx/join.hpp"

namespace ttsim::impl::ir {

namespace {

ValueId numbers(Import& n, const std::vector<float>& values, Dims dims) {
    Literal out(DType::F32, std::move(dims));
    if (out.size() != std::ssize(values)) n.wrong("{} numbers instead of {}", values.size(), out.size());
    out.floats() = values;
    return n.b.constant(std::move(out));
}
ValueId as_float(Import& n, std::size_t k = 0) { return n.b.cast(n.x(k), DType::F32); }

/// Operand 0 as [samples, features]. A vector is one sample.
ValueId samples(Import& n) {
    if (n.rank() > 2 || n.rank() < 1) n.wrong("operand 0 has rank {}; it needs 1 or 2", n.rank());
    return n.rank() == 1 ? n.b.reshape(as_float(n), {1, n.dims()[0]}) : as_float(n);
}

ValueId transformed_scores(Import& n, ValueId x) {
    const std::string how = n.get_string("post_transform", {"NONE", "LOGISTIC", "SOFTMAX"});
    if (how == "LOGISTIC") return n.unary(op::sigmoid, x);
    return how == "SOFTMAX" ? n.unary(op::softmax, x, {attr::axis(1)}) : x;
}

/// The class of the largest score.
ValueId label_of(Import& n, ValueId scores, const std::vector<std::int64_t>& classes) {
    if (classes.empty())
        n.unsupported("its classes are strings; export it with integer classes, or use only its scores");
    const ValueId place = n.unary(op::arg_max, scores, {attr::axis(1)});
    const ValueId flat = n.b.reshape(place, {n.b.dims(scores)[0]});
    return n.b.add(op::take, {n.b.constant(Literal::vector(classes)), flat}, {attr::axis(0)});
}

// --- linear -------------------------------------------------------------------------------------------------------

ValueId linear(Import& n, std::int64_t results) {
    const ValueId x = samples(n);
    const std::int64_t features = n.b.dims(x)[1];
    const ValueId w = numbers(n, n.floats("coefficients"), {results, features});
    const ValueId y = n.binary(op::matmul, x, n.b.transpose(w, {1, 0}));
    return n.has_attribute("intercepts") ? n.binary(op::add, y, numbers(n, n.floats("intercepts"), {results})) : y;
}
void linear_regressor(Import& n) { n.add_output(transformed_scores(n, linear(n, n.i("targets", 1)))); }
void linear_classifier(Import& n) {
    const std::vector<std::int64_t> classes = n.ints("classlabels_ints");
    const std::int64_t features = n.b.dims(samples(n))[1];
    const std::int64_t results = std::ssize(n.floats("coefficients")) / std::max<std::int64_t>(features, 1);
    ValueId scores = linear(n, results);
    if (results == 1) scores = joined(n, n.unary(op::neg, scores), scores, 1);
    scores = transformed_scores(n, scores);
    n.add_output(label_of(n, scores, classes));
    n.add_output(scores);
}

ValueId kernel_of(Import& n, ValueId x, ValueId vectors) {
    const std::string kind = n.get_string("kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"});
    const std::vector<float> given = n.floats("kernel_params");
    const auto param = [&](std::size_t k) { return k < given.size() ? static_cast<double>(given[k]) : 0.0; };
    const ValueId products = n.binary(op::matmul, x, n.b.transpose(vectors, {1, 0}));
    if (kind == "LINEAR") return products;
    if (kind == "RBF") {  // |x|^2 + |v|^2 - 2 x v
        const auto size = [&](ValueId v) { return n.b.reduce_sum(n.unary(op::square, v), 1); };
        const ValueId both = n.binary(op::add, size(x), n.b.transpose(size(vectors), {1, 0}));
        return n.unary(op::exp, n.scaled(n.binary(op::subtract, both, n.scaled(products, 2)), -param(0)));
    }
    const ValueId line = n.binary(op::add, n.scaled(products, param(0)), n.b.scalar(param(1)));
    return kind == "SIGMOID" ? n.unary(op::tanh, line) : n.binary(op::power, line, n.b.scalar(param(2)));
}

void svm_regressor(Import& n) {
    const ValueId x = samples(n);
    const std::int64_t features = n.b.dims(x)[1], supports = n.i("n_supports", 0);
    const auto rho = n.floats("rho"), weights = n.floats("coefficients");
    if (rho.empty()) n.wrong("attribute rho is missing");
    const ValueId found =
        supports > 0
            ? n.binary(op::matmul, kernel_of(n, x, numbers(n, n.floats("support_vectors"), {supports, features})),
                       numbers(n, weights, {supports, 1}))
            : n.binary(op::matmul, x, numbers(n, weights, {features, 1}));
    ValueId y = n.binary(op::add, found, n.b.scalar(static_cast<double>(rho[0])));
    if (n.i("one_class", 0) != 0) {
        const ValueId above = n.b.cast(n.binary(op::greater, y, n.b.scalar(0)), DType::F32);
        y = n.binary(op::subtract, n.scaled(above, 2), n.b.scalar(1));
    }
    n.add_output(transformed_scores(n, y));
}

/// The weight of each support vector for each pair of classes: [vectors, pairs]. The vectors of a class have a row of
/// weights for each of the other classes.
ValueId pair_weights(Import& n, const std::vector<std::int64_t>& sizes, const std::vector<float>& weights) {
    const std::int64_t classes = std::ssize(sizes), pairs = classes * (classes - 1) / 2;
    std::vector<std::int64_t> starts{0};
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > std::ssize(weights)) n.wrong("a class has {} support vectors", size);
        starts.push_back(starts.back() + size);
    }
    const std::int64_t vectors = starts.back();
    if (classes < 2 || std::ssize(weights) != (classes - 1) * vectors)
        n.wrong("{} coefficients for {} support vectors of {} classes", weights.size(), vectors, classes);
    Literal out(DType::F32, {vectors, pairs});
    std::int64_t pair = 0;
    for (std::int64_t i = 0; i < classes; ++i)
        for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
            const auto copy = [&](std::int64_t of, std::int64_t row) {
                for (std::int64_t v = starts[static_cast<std::size_t>(of)];
                     v < starts[static_cast<std::size_t>(of) + 1]; ++v)
                    out.set(v * pairs + pair,
                            static_cast<double>(weights[static_cast<std::size_t>(row * vectors + v)]));
            };
            copy(i, j - 1);
            copy(j, i);
        }
    return n.b.constant(std::move(out));
}

/// For each class the number of pairwise comparisons that it wins.
ValueId votes_of(Import& n, ValueId scores, std::int64_t classes) {
    const std::int64_t pairs = n.b.dims(scores)[1];
    Literal first(DType::F32, {pairs, classes}), second(DType::F32, {pairs, classes});
    std::int64_t pair = 0;
    for (std::int64_t i = 0; i < classes; ++i)
        for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
            first.set(pair * classes + i, 1);
            second.set(pair * classes + j, 1);
        }
    const ValueId wins = n.b.cast(n.binary(op::greater, scores, n.b.scalar(0)), DType::F32);
    const ValueId losses = n.binary(op::subtract, n.b.scalar(1), wins);
    return n.binary(op::add, n.binary(op::matmul, wins, n.b.constant(std::move(first))),
                    n.binary(op::matmul, losses, n.b.constant(std::move(second))));
}

/// The probability of the first class of each pair.
ValueId pair_probabilities(Import& n, ValueId scores) {
    const std::int64_t pairs = n.b.dims(scores)[1];
    const ValueId line = n.binary(op::add, n.binary(op::multiply, scores, numbers(n, n.floats("prob_a"), {pairs})),
                                  numbers(n, n.floats("prob_b"), {pairs}));
    const ValueId probability = n.unary(op::sigmoid, n.unary(op::neg, line));
    return n.binary(op::minimum, n.binary(op::maximum, probability, n.b.scalar(1e-7)), n.b.scalar(1 - 1e-7));
}

/// With support vectors all pairs of classes are compared. Without them each class has a linear score.
void svm_classifier(Import& n) {
    const ValueId x = samples(n);
    const std::int64_t features = n.b.dims(x)[1];
    const auto labels = n.ints("classlabels_ints"), sizes = n.ints("vectors_per_class");
    const auto weights = n.floats("coefficients"), rho = n.floats("rho");
    if (rho.empty()) n.wrong("attribute rho is missing");
    if (sizes.empty()) {
        const std::int64_t classes = std::ssize(weights) / std::max<std::int64_t>(features, 1);
        const ValueId lines = kernel_of(n, x, numbers(n, weights, {classes, features}));
        const ValueId scores =
            transformed_scores(n, n.binary(op::add, lines, n.b.scalar(static_cast<double>(rho.front()))));
        n.add_output(label_of(n, scores, labels));
        return n.add_output(scores);
    }
    const auto classes = std::ssize(sizes);
    const ValueId against = pair_weights(n, sizes, weights);
    const ValueId kernel = kernel_of(n, x, numbers(n, n.floats("support_vectors"), {n.b.dims(against)[0], features}));
    ValueId scores =
        n.binary(op::add, n.binary(op::matmul, kernel, against), numbers(n, rho, {classes * (classes - 1) / 2}));
    n.add_output(label_of(n, votes_of(n, scores, classes), labels));
    if (n.has_attribute("prob_a"))
        scores = n.b.add(op::couple_pairs, {pair_probabilities(n, scores)}, {attr::classes(classes)});
    else if (classes == 2)
        scores = joined(n, n.unary(op::neg, scores), scores, 1);
    n.add_output(transformed_scores(n, scores));
}

// --- trees --------------------------------------------------------------------------------------------------------

std::int64_t mode_of(Import& n, const std::string& mode) {
    const std::vector<std::string> known{"LEAF",      "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                         "BRANCH_GT", "BRANCH_EQ",  "BRANCH_NEQ"};
    const auto found = std::find(known.begin(), known.end(), mode);
    if (found == known.end()) n.unsupported("a node of the mode '{}'", mode);
    return found - known.begin();
}

/// Sums the leaf weights of all trees by target. Leaf attributes begin with `prefix`. `together`: all leaves belong to
/// one target.
ValueId tree_sums(Import& n, const std::string& prefix, const std::string& ids, std::int64_t targets, bool together,
                  const std::string& aggregate) {
    const auto trees = n.ints("nodes_treeids"), nodes = n.ints("nodes_nodeids"), features = n.ints("nodes_featureids"),
               yes = n.ints("nodes_truenodeids"), no = n.ints("nodes_falsenodeids"),
               missing = n.ints("nodes_missing_value_tracks_true");
    const auto modes = n.strings("nodes_modes");
    const std::size_t size = nodes.size();
    for (const std::size_t other : {trees.size(), features.size(), yes.size(), no.size(), modes.size()})
        if (other != size) n.wrong("{} and {} nodes in its attributes", other, size);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> row;
    std::vector<std::int64_t> roots;
    for (std::size_t k = 0; k < size; ++k) {
        if (!row.emplace(std::pair(trees[k], nodes[k]), static_cast<std::int64_t>(k)).second)
            n.wrong("node {} of tree {} is there twice", nodes[k], trees[k]);
        if (std::find(trees.begin(), trees.begin() + static_cast<std::ptrdiff_t>(k), trees[k]) ==
            trees.begin() + static_cast<std::ptrdiff_t>(k))
            roots.push_back(static_cast<std::int64_t>(k));
    }
    const auto row_of = [&](std::int64_t tree, std::int64_t node) {
        const auto found = row.find({tree, node});
        if (found == row.end()) n.wrong("tree {} has no node {}", tree, node);
        return found->second;
    };
    Literal table(DType::I64, {static_cast<std::int64_t>(size), 5});
    for (std::size_t k = 0; k < size; ++k) {
        const std::int64_t mode = mode_of(n, modes[k]);
        const std::int64_t values[5] = {features[k], mode, mode == 0 ? 0 : row_of(trees[k], yes[k]),
                                        mode == 0 ? 0 : row_of(trees[k], no[k]), k < missing.size() ? missing[k] : 0};
        std::copy_n(values, 5, table.integer_elements().begin() + static_cast<std::ptrdiff_t>(5 * k));
    }
    const auto leaf_trees = n.ints(prefix + "_treeids"), leaf_nodes = n.ints(prefix + "_nodeids"),
               leaf_ids = n.ints(ids);
    if (leaf_nodes.size() != leaf_trees.size() || leaf_ids.size() != leaf_trees.size())
        n.wrong("{}, {} and {} leaves in its attributes", leaf_trees.size(), leaf_nodes.size(), leaf_ids.size());
    const auto leaves = static_cast<std::int64_t>(leaf_ids.size());
    Literal places(DType::I64, {leaves, 2});
    for (std::size_t k = 0; k < leaf_ids.size(); ++k) {
        places.integer_elements()[2 * k] = row_of(leaf_trees[k], leaf_nodes[k]);
        places.integer_elements()[2 * k + 1] = together ? 0 : leaf_ids[k];
    }
    return n.b.add(
        op::tree_ensemble,
        {samples(n), n.b.constant(std::move(table)),
         numbers(n, n.floats("nodes_values"), {static_cast<std::int64_t>(size)}), n.b.constant(std::move(places)),
         numbers(n, n.floats(prefix + "_weights"), {leaves}), n.b.constant(Literal::vector(roots))},
        {attr::targets(targets), attr::aggregate(aggregate)});
}

void refuse_float64_attributes(Import& n) {
    for (const char* name :
         {"nodes_values_as_tensor", "base_values_as_tensor", "class_weights_as_tensor", "target_weights_as_tensor"})
        if (n.has_attribute(name)) n.unsupported("attribute {}, of 64-bit floats; export it with 32-bit ones", name);
}

ValueId with_base(Import& n, ValueId x) {
    const auto base = n.floats("base_values");
    return base.empty() ? x : n.binary(op::add, x, numbers(n, base, {std::ssize(base)}));
}

void tree_regressor(Import& n) {
    refuse_float64_attributes(n);
    const std::string how = n.get_string("aggregate_function", {"SUM", "AVERAGE", "MIN", "MAX"});
    std::string aggregate = how;
    std::transform(how.begin(), how.end(), aggregate.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::int64_t targets = n.i("n_targets", 1);
    n.add_output(transformed_scores(n, with_base(n, tree_sums(n, "target", "target_ids", targets, false, aggregate))));
}

/// If only one class has weights, it is the second of two classes.
void tree_classifier(Import& n) {
    refuse_float64_attributes(n);
    const auto ids = n.ints("class_ids"), labels = n.ints("classlabels_int64s");
    const auto weights = n.floats("class_weights");
    const auto classes = std::max(std::ssize(labels), std::ssize(n.strings("classlabels_strings")));
    const bool single = classes <= 2 && std::all_of(ids.begin(), ids.end(), [&](auto id) { return id == ids[0]; });
    ValueId scores = tree_sums(n, "class", "class_ids", single ? 1 : classes, single, "sum");
    if (!single) {
        scores = transformed_scores(n, with_base(n, scores));
    } else {
        const auto base = n.floats("base_values");
        if (!base.empty()) scores = n.binary(op::add, scores, n.b.scalar(static_cast<double>(base.back())));
        const bool shares = std::all_of(weights.begin(), weights.end(), [](float w) { return w >= 0; });
        const ValueId other = shares ? n.binary(op::subtract, n.b.scalar(1), scores) : n.unary(op::neg, scores);
        scores = joined(n, other, scores, 1);
        if (!shares) scores = transformed_scores(n, scores);
    }
    n.add_output(
        label_of(n, scores, classes == 1 && !labels.empty() ? std::vector<std::int64_t>{0, labels.at(0)} : labels));
    n.add_output(scores);
}

// --- columns ------------------------------------------------------------------------------------------------------

void scaler(Import& n) {
    const auto offset = n.floats("offset"), scale = n.floats("scale");
    ValueId x = as_float(n);
    if (!offset.empty()) x = n.binary(op::subtract, x, numbers(n, offset, {std::ssize(offset)}));
    n.add_output(scale.empty() ? x : n.binary(op::multiply, x, numbers(n, scale, {std::ssize(scale)})));
}

void normalizer(Import& n) {
    n.need_rank(1);
    const std::string norm = n.get_string("norm", {"MAX", "L1", "L2"});
    const ValueId x = as_float(n), size = n.unary(op::abs, x);
    const std::int64_t last = n.rank() - 1;
    const ValueId by = norm == "MAX"  ? n.unary(op::reduce_max, size, {attr::axis(last)})
                       : norm == "L1" ? n.b.reduce_sum(size, last)
                                      : n.unary(op::sqrt, n.b.reduce_sum(n.unary(op::square, x), last));
    n.add_output(n.binary(op::divide, x, n.binary(op::maximum, by, n.b.scalar(1e-30))));
}

void binarizer(Import& n) {
    const ValueId above = n.binary(op::greater, n.x(0), n.number(n.f("threshold", 0), n.x(0)));
    n.add_output(n.b.cast(above, n.b.type(n.x(0)).dtype));
}

void imputer(Import& n) {
    const bool integers = n.is_integer(0);
    const double replaced =
        integers ? static_cast<double>(n.i("replaced_value_int64", 0)) : n.f("replaced_value_float", 0);
    std::vector<double> by;
    if (integers)
        for (const auto v : n.ints("imputed_value_int64s")) by.push_back(static_cast<double>(v));
    else
        for (const float v : n.floats("imputed_value_floats")) by.push_back(static_cast<double>(v));
    Literal values(n.b.type(n.x(0)).dtype, {std::ssize(by)});
    for (std::size_t k = 0; k < by.size(); ++k) values.set(static_cast<std::int64_t>(k), by[k]);
    if (by.empty()) n.wrong("it has no replacement values");
    const ValueId x = n.x(0);
    const ValueId hit = std::isnan(replaced) ? n.unary(op::not_, n.binary(op::equal, x, x))
                                             : n.binary(op::equal, x, n.number(replaced, x));
    n.add_output(n.b.add(op::where, {hit, n.b.constant(std::move(values)), x}));
}

void array_features(Import& n) {
    const ValueId ids = n.b.reshape(n.x(1), {count(n.dims(1))});
    const ValueId y = n.b.add(op::take, {n.x(0), ids}, {attr::axis(n.rank() - 1)});
    n.add_output(n.rank() == 1 ? n.b.reshape(y, {1, count(n.dims(1))}) : y);
}

void feature_vector(Import& n) {
    std::vector<ValueId> parts;
    for (std::size_t k = 0; k < n.in.size(); ++k) {
        const Dims d = n.dims(k);
        if (d.empty() || d[0] < 1) n.wrong("operand {} is {}", k, to_string(n.b.type(n.x(k))));
        parts.push_back(n.b.reshape(as_float(n, k), d.size() == 1 ? Dims{1, d[0]} : Dims{d[0], count(d) / d[0]}));
    }
    if (parts.empty()) n.wrong("it has no operands");
    n.add_output(joined(n, parts, 1));
}

void one_hot_encoder(Import& n) {
    const auto classes = n.ints("cats_int64s");
    if (classes.empty()) n.unsupported("its classes are strings; encode them in your program");
    if (n.i("zeros", 1) == 0) n.unsupported("zeros = 0: an unknown class is an error");
    Literal keys(DType::F32, {std::ssize(classes)});
    for (std::size_t k = 0; k < classes.size(); ++k)
        keys.set(static_cast<std::int64_t>(k), static_cast<double>(classes[k]));
    Dims dims = n.dims();
    dims.push_back(1);
    n.add_output(
        n.b.cast(n.binary(op::equal, n.b.reshape(as_float(n), dims), n.b.constant(std::move(keys))), DType::F32));
}

void label_encoder(Import& n) {
    if (n.has_attribute("keys_strings") || n.has_attribute("values_strings") || n.has_attribute("classes_strings"))
        n.unsupported(
            "its keys or values are strings; encode them in your program and cut the model "
            "(onnx.utils.extract_model)");
    const auto list = [&](const std::string& name) {
        if (n.has_attribute(name + "_tensor")) return n.tensor(name + "_tensor");
        if (n.has_attribute(name + "_int64s")) return Literal::vector(n.ints(name + "_int64s"));
        const auto values = n.floats(name + "_floats");
        Literal out(DType::F32, {std::ssize(values)});
        out.floats() = values;
        return out;
    };
    Literal keys = list("keys"), values = list("values");
    Literal other(values.dtype(), {1});
    other.set(0, n.has_attribute("default_tensor") ? n.tensor("default_tensor").at(0)
                 : is_float(values.dtype())        ? n.f("default_float", -0.0)
                                                   : static_cast<double>(n.i("default_int64", -1)));
    n.add_output(n.b.add(op::look_up, {n.x(0), n.b.constant(std::move(keys)), n.b.constant(std::move(values)),
                                       n.b.constant(std::move(other))}));
}

void refuse_maps(Import& n) { n.unsupported("it works on maps; convert them to tables in your program"); }
/// The columns of the operand have the information of the map from classes to numbers.
void zip_map(Import& n) { n.add_output(n.x(0)); }
void refuse_strings(Import& n) { n.unsupported("it works on strings; do that in your program"); }

}  // namespace

const ImportRules& ml_rules() {
    static const ImportRules rules{
        {"LinearRegressor", linear_regressor},
        {"LinearClassifier", linear_classifier},
        {"SVMRegressor", svm_regressor},
        {"SVMClassifier", svm_classifier},
        {"TreeEnsembleRegressor", tree_regressor},
        {"TreeEnsembleClassifier", tree_classifier},
        {"Scaler", scaler},
        {"Normalizer", normalizer},
        {"Binarizer", binarizer},
        {"Imputer", imputer},
        {"ArrayFeatureExtractor", array_features},
        {"FeatureVectorizer", feature_vector},
        {"OneHotEncoder", one_hot_encoder},
        {"LabelEncoder", label_encoder},
        {"ZipMap", zip_map},
        {"CastMap", refuse_maps},
        {"DictVectorizer", refuse_maps},
        {"CategoryMapper", refuse_strings},
    };
    return rules;
}

}  // namespace ttsim::impl::ir
