// Host ops for classical models: decision trees, key-value tables, n-gram counts, and pairwise coupling of classes.
//
//   tree_ensemble {targets, aggregate}   x [N, features]; nodes i64 [n, 5] (feature, mode, node if true, node if false,
//                                        whether NaN counts as true), their thresholds f32 [n]; leaves i64 [m, 2]
//                                        (node, target), their weights f32 [m]; roots i64 [trees]: [N, targets]
//   look_up                              x, keys [n], values [n], the value for other keys
//   count_runs {outputs, least, skips}   integers [N, C]; n-grams i64 [n, 2 + longest] (output index, length, items):
//                                        counts, f32 [N, outputs]. Counted are n-grams of at least `least` items.
//                                        Up to `skips` other items may be between two of them.
//   couple_pairs {classes}               [N, pairs], for classes i < j in order the probability of i of the two:
//                                        probabilities of the classes, [N, classes] (Wu, Lin and Weng 2004, computed
//                                        as in libsvm)
//
// mode: 0 leaf, 1 <=, 2 <, 3 >=, 4 >, 5 ==, 6 !=. aggregate: sum, average, min, max.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

namespace {

Type infer_trees(const Node& node, std::span<const Type> in) {
    const std::int64_t targets = node.get(attr::targets);
    const bool fits = in[0].dims.size() == 2 && in[1].dims.size() == 2 && in[1].dims[1] == 5 &&
                      in[2].dims == Dims{in[1].dims[0]} && in[3].dims.size() == 2 && in[3].dims[1] == 2 &&
                      in[4].dims == Dims{in[3].dims[0]} && in[5].dims.size() == 1 && targets >= 1 &&
                      !is_float(in[1].dtype) && !is_float(in[3].dtype) && !is_float(in[5].dtype);
    if (!fits)
        fail_input(node.loc, "'{}' decides {} by nodes {} and leaves {} for {} targets", node.name, to_string(in[0]),
                   to_string(in[1]), to_string(in[3]), targets);
    return {DType::F32, {in[0].dims[0], targets}, {}};
}

bool goes_true(std::int64_t mode, double x, double threshold) {
    switch (mode) {
        case 1:
            return x <= threshold;
        case 2:
            return x < threshold;
        case 3:
            return x >= threshold;
        case 4:
            return x > threshold;
        case 5:
            return x == threshold;
        default:
            return x != threshold;
    }
}

/// The leaf that a sample reaches.
std::int64_t leaf_of(const Node& node, std::span<const Literal* const> in, std::int64_t sample, std::int64_t root) {
    const auto& nodes = in[1]->integer_elements();
    const std::int64_t size = in[1]->dims()[0], features = in[0]->dims()[1];
    std::int64_t at = root;
    for (std::int64_t steps = 0; steps <= size; ++steps) {
        if (at < 0 || at >= size) fail_input(node.loc, "'{}' has no node {}", node.name, at);
        const std::int64_t* row = &nodes[static_cast<std::size_t>(at * 5)];
        if (row[1] == 0) return at;
        if (row[0] < 0 || row[0] >= features) fail_input(node.loc, "'{}' has no feature {}", node.name, row[0]);
        const double x = in[0]->at(sample * features + row[0]);
        const bool missing = x != x && row[4] != 0;
        at = missing || goes_true(row[1], x, in[2]->at(at)) ? row[2] : row[3];
    }
    fail_input(node.loc, "'{}' has a tree with a cycle", node.name);
}

Literal eval_trees(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t targets = out.dims()[1], entries = in[3]->dims()[0], trees = in[5]->size();
    const std::string how = node.get(attr::aggregate);
    const bool extreme = how == "min" || how == "max";
    std::vector<std::vector<std::int64_t>> of_node(static_cast<std::size_t>(in[1]->dims()[0]));
    for (std::int64_t k = 0; k < entries; ++k) {
        const auto leaf = in[3]->integer_elements()[static_cast<std::size_t>(2 * k)];
        const auto target = in[3]->integer_elements()[static_cast<std::size_t>(2 * k + 1)];
        if (leaf < 0 || leaf >= std::ssize(of_node) || target < 0 || target >= targets)
            fail_input(node.loc, "'{}' has a leaf of node {} for target {}", node.name, leaf, target);
        of_node[static_cast<std::size_t>(leaf)].push_back(k);
    }
    for (std::int64_t sample = 0; sample < out.dims()[0]; ++sample) {
        std::vector<double> sums(static_cast<std::size_t>(targets), how == "min" ? std::numeric_limits<float>::max()
                                                                    : how == "max"
                                                                        ? std::numeric_limits<float>::lowest()
                                                                        : 0);
        for (std::int64_t tree = 0; tree < trees; ++tree) {
            const std::int64_t leaf = leaf_of(node, in, sample, to_integer(in[5]->at(tree)));
            for (const std::int64_t k : of_node[static_cast<std::size_t>(leaf)]) {
                double& sum =
                    sums[static_cast<std::size_t>(in[3]->integer_elements()[static_cast<std::size_t>(2 * k + 1)])];
                const double weight = in[4]->at(k);
                sum = how == "min" ? std::min(sum, weight) : how == "max" ? std::max(sum, weight) : sum + weight;
            }
        }
        for (std::int64_t t = 0; t < targets; ++t)
            out.set(sample * targets + t, sums[static_cast<std::size_t>(t)] /
                                              (how == "average" && !extreme ? static_cast<double>(trees) : 1));
    }
    return out;
}

Type infer_look_up(const Node& node, std::span<const Type> in) {
    if (in[1].dims.size() != 1 || in[2].dims != in[1].dims || count(in[3].dims) != 1)
        fail_input(node.loc, "'{}' looks up {} in keys {} and values {}", node.name, to_string(in[0]), to_string(in[1]),
                   to_string(in[2]));
    return {in[2].dtype, in[0].dims, {}};
}
Literal eval_look_up(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const double x = in[0]->at(i);
        double value = in[3]->at(0);
        for (std::int64_t k = 0; k < in[1]->size(); ++k)
            if (const double key = in[1]->at(k); x == key || (x != x && key != key)) value = in[2]->at(k);
        out.set(i, value);
    }
    return out;
}

Type infer_runs(const Node& node, std::span<const Type> in) {
    const std::int64_t outputs = node.get(attr::outputs);
    if (in[0].dims.size() != 2 || is_float(in[0].dtype) || in[1].dims.size() != 2 || in[1].dims[1] < 3 ||
        is_float(in[1].dtype) || outputs < 1)
        fail_input(node.loc, "'{}' counts runs {} in {}", node.name, to_string(in[1]), to_string(in[0]));
    return {DType::F32, {in[0].dims[0], outputs}, {}};
}

/// Output indices of the n-grams, by their items.
std::map<std::vector<std::int64_t>, std::int64_t> known_runs(const Node& node, const Literal& runs,
                                                             std::int64_t outputs) {
    std::map<std::vector<std::int64_t>, std::int64_t> known;
    const std::int64_t width = runs.dims()[1];
    for (std::int64_t run = 0; run < runs.dims()[0]; ++run) {
        const auto row = runs.integer_elements().begin() + run * width;
        if (row[0] < 0 || row[0] >= outputs || row[1] < 1 || row[1] > width - 2)
            fail_input(node.loc, "'{}' has no output {} for a run of {}", node.name, row[0], row[1]);
        known.emplace(std::vector<std::int64_t>(row + 2, row + 2 + row[1]), row[0]);
    }
    return known;
}

Literal eval_runs(const Node& node, std::span<const Literal* const> in) {
    Literal out(node.type.dtype, node.type.dims, max_read_elements);
    const std::int64_t columns = in[0]->dims()[1], outputs = out.dims()[1], longest = in[1]->dims()[1] - 2;
    // at most all other elements of a row lie between two items
    const std::int64_t skips = std::min(node.get(attr::skips), columns);
    const auto known = known_runs(node, *in[1], outputs);
    const auto count = [&](std::int64_t row, std::int64_t first, std::int64_t step, std::int64_t least) {
        std::vector<std::int64_t> run;
        for (std::int64_t at = first; at < columns && std::ssize(run) < longest; at += step) {
            run.push_back(to_integer(in[0]->at(row * columns + at)));
            const auto found = known.find(run);
            if (std::ssize(run) < least || found == known.end()) continue;
            const std::int64_t to = row * outputs + found->second;
            out.set(to, out.at(to) + 1);
        }
    };
    for (std::int64_t row = 0; row < in[0]->dims()[0]; ++row)
        for (std::int64_t step = 1; step <= skips + 1; ++step) {
            // an n-gram of one item has no gaps: count it once
            const std::int64_t least = std::max<std::int64_t>(node.get(attr::least), step > 1 ? 2 : 1);
            for (std::int64_t first = 0; first < columns; ++first) count(row, first, step, least);
        }
    return out;
}

Type infer_couple(const Node& node, std::span<const Type> in) {
    const std::int64_t classes = node.get(attr::classes);
    if (in[0].dims.size() != 2 || classes < 2 || in[0].dims[1] != classes * (classes - 1) / 2)
        fail_input(node.loc, "'{}' couples {} for {} classes", node.name, to_string(in[0]), classes);
    return {DType::F32, {in[0].dims[0], classes}, {}};
}

/// Probabilities p that minimize the sum over pairs of (r_ji p_i - r_ij p_j)^2.
std::vector<double> coupled(const std::vector<std::vector<double>>& r) {
    const std::size_t classes = r.size();
    const double small = 0.005 / static_cast<double>(classes);
    std::vector<std::vector<double>> q(classes, std::vector<double>(classes, 0.0));
    for (std::size_t t = 0; t < classes; ++t)
        for (std::size_t j = 0; j < classes; ++j) {
            if (j == t) continue;
            q[t][t] += r[j][t] * r[j][t];
            q[t][j] = -r[j][t] * r[t][j];
        }
    std::vector<double> p(classes, 1.0 / static_cast<double>(classes)), qp(classes);
    for (std::size_t iteration = 0; iteration < std::max<std::size_t>(100, classes); ++iteration) {
        double pqp = 0, worst = 0;
        for (std::size_t t = 0; t < classes; ++t) {
            qp[t] = 0;
            for (std::size_t j = 0; j < classes; ++j) qp[t] += q[t][j] * p[j];
            pqp += p[t] * qp[t];
        }
        for (std::size_t t = 0; t < classes; ++t) worst = std::max(worst, std::fabs(qp[t] - pqp));
        if (worst < small) break;
        for (std::size_t t = 0; t < classes; ++t) {
            const double more = (pqp - qp[t]) / q[t][t];
            p[t] += more;
            pqp = (pqp + more * (more * q[t][t] + 2 * qp[t])) / (1 + more) / (1 + more);
            for (std::size_t j = 0; j < classes; ++j) {
                qp[j] = (qp[j] + more * q[t][j]) / (1 + more);
                p[j] /= 1 + more;
            }
        }
    }
    return p;
}

Literal eval_couple(const Node& node, std::span<const Literal* const> in) {
    const auto classes = static_cast<std::size_t>(node.get(attr::classes));
    Literal out(DType::F32, node.type.dims);
    std::int64_t from = 0, to = 0;
    for (std::int64_t sample = 0; sample < node.type.dims[0]; ++sample) {
        std::vector<std::vector<double>> r(classes, std::vector<double>(classes, 0.0));
        for (std::size_t i = 0; i < classes; ++i)
            for (std::size_t j = i + 1; j < classes; ++j) {
                r[i][j] = in[0]->at(from++);
                r[j][i] = 1 - r[i][j];
            }
        for (const double probability : coupled(r)) out.set(to++, probability);
    }
    return out;
}

constexpr std::array tree_table{
    OpFunctions{op::tree_ensemble, infer_trees, eval_trees},
    OpFunctions{op::look_up, infer_look_up, eval_look_up},
    OpFunctions{op::count_runs, infer_runs, eval_runs},
    OpFunctions{op::couple_pairs, infer_couple, eval_couple},
};

}  // namespace

std::span<const OpFunctions> tree_ops() { return tree_table; }

}  // namespace ttsim::impl::ir
