// Columns side by side without products (splice-columns), and operands of splices in one format (even-splices).
#include <catch2/catch.hpp>

#include "compiler/ir/derivation.hpp"
#include "compiler/ir/pass.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

constexpr std::int64_t side = 32;

/// Brings `count` tiles of columns from `first` on to `at`, each times `factor`.
Literal placing(std::int64_t rows, std::int64_t columns, std::int64_t first, std::int64_t at, std::int64_t count,
                double factor = 1) {
    Literal matrix(DType::F32, {1, rows * side, columns * side});
    for (std::int64_t i = 0; i < count * side; ++i)
        matrix.set((first * side + i) * columns * side + at * side + i, factor);
    return matrix;
}

/// Sums of products with constants, all read as y.
class Sum {
public:
    explicit Sum(std::int64_t columns) : columns_(columns), build_(graph_) {}

    Sum& add(std::int64_t tiles, Literal matrix) {
        const std::string name = "x" + std::to_string(terms_++);
        const ValueId x = build_.input(name, {DType::F32, {1, 2, tiles}, DataFormat::Float16_b});
        last_constant_ = build_.device_constant(std::move(matrix), DataFormat::Float16_b);
        const ValueId product =
            build_.add_edges(op::buda::matmul, {{x, {}}, {last_constant_, {}}}, {}, DataFormat::Float16_b);
        sum_ = sum_ ? build_.add(op::buda::add, {*sum_, product}) : product;
        return *this;
    }
    Sum& place(std::int64_t tiles, std::int64_t first, std::int64_t at, std::int64_t count, double factor = 1) {
        return add(tiles, placing(tiles, columns_, first, at, count, factor));
    }
    Node& last_constant() { return graph_.nodes[last_constant_]; }

    /// The op that gives y once the pass has run.
    Node spliced(const PassOptions& options = {}) {
        ir::Graph graph = graph_;
        graph.outputs.push_back({"y", *sum_, {}});
        find_pass("splice-columns")->run(graph, options);
        graph.verify();
        return graph.nodes[graph.outputs.at(0).value];
    }

private:
    std::int64_t columns_;
    ir::Graph graph_;
    Builder build_;
    std::optional<ValueId> sum_;
    ValueId last_constant_ = 0;
    int terms_ = 0;
};

using Whole = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("sums of columns that products put to their places are spliced") {
    // the second operand comes first, of the third a part is taken
    const Node splice = Sum(6).place(1, 0, 2, 1).place(2, 0, 0, 2).place(5, 1, 3, 3).spliced();
    CHECK(splice.op == op::buda::splice);
    CHECK(splice.inputs.size() == 3);
    CHECK(splice.get(attr::firsts) == Whole{0, 0, 1});
    CHECK(splice.get(attr::counts) == Whole{2, 1, 3});
    CHECK(splice.type.dims == Dims{1, 2, 6});
}

TEST_CASE("a sum of products that is not a splice of columns is left unchanged") {
    const auto stays = [](Sum& sum, const PassOptions& options = {}) {
        return sum.spliced(options).op == op::buda::add;
    };
    CHECK(stays(Sum(3).place(1, 0, 0, 1).place(1, 0, 1, 1)));     // nothing comes to the last column
    CHECK(stays(Sum(2).place(2, 0, 0, 2).place(1, 0, 1, 1)));     // two come to one
    CHECK(stays(Sum(2).place(1, 0, 0, 1).place(1, 0, 1, 1, 2)));  // a factor
    Literal shifted(DType::F32, {1, side, 2 * side});
    for (std::int64_t i = 0; i < side; ++i) shifted.set(i * 2 * side + side / 2 + i, 1);
    CHECK(stays(Sum(2).place(1, 0, 0, 1).add(1, std::move(shifted))));  // half a tile further
    Literal apart = placing(2, 3, 0, 0, 1);                             // two runs
    for (std::int64_t i = 0; i < side; ++i) apart.set((side + i) * 3 * side + 2 * side + i, 1);
    CHECK(stays(Sum(3).add(2, std::move(apart)).place(1, 0, 1, 1)));

    Sum many(9);
    for (std::int64_t n = 0; n < 8; ++n) many.place(1, 0, n, 1);
    CHECK(stays(many.place(1, 0, 8, 1)));  // a splice has 8 operands

    Sum replaced(2);
    replaced.place(1, 0, 0, 1).place(1, 0, 1, 1);
    CHECK_FALSE(stays(replaced));
    PassOptions options;
    options.l1_bytes = 16 * 1024;  // 4 times 2 tiles of Float16_b are more
    CHECK(stays(replaced, options));
    options = {};
    options.tiling.splices = false;
    CHECK(stays(replaced, options));
    replaced.last_constant().derivation = std::make_shared<Derivation>();
    CHECK(stays(replaced));
}

TEST_CASE("operands of a splice get the widest of their formats") {
    ir::Graph graph = parse_graph(
        "%x = input : Bfp8_b[1, 2, 1]\n%z = input : Float16_b[1, 2, 1]\n"
        "%once = buda.exp %x : Bfp8_b[1, 2, 1]\n%twice = buda.exp %x : Bfp8_b[1, 2, 1]\n"
        "%y = buda.splice %x, %z, %once, %twice : Bfp8_b[1, 2, 4]\n%e = buda.exp %twice : Bfp8_b[1, 2, 1]\n"
        "output \"y\" = %y\noutput \"e\" = %e\n",
        "splice.tg");
    find_pass("even-splices")->run(graph, {});
    graph.verify();
    const Node& splice = graph.nodes[graph.outputs.at(0).value];
    std::vector<OpId> from;
    for (const Edge& edge : splice.inputs) {
        CHECK(graph.type(edge.value).format == DataFormat::Float16_b);
        from.push_back(graph.nodes[edge.value].op);
    }
    CHECK(from == std::vector<OpId>{op::buda::nop, op::input, op::buda::exp, op::buda::nop});
    CHECK(splice.type.format == DataFormat::Bfp8_b);
    for (const Node& node : graph.nodes)
        if (node.name == "twice" || node.name == "x") CHECK(node.type.format == DataFormat::Bfp8_b);
}

TEST_CASE("a splice reports what it cannot take") {
    const auto refusal = [](const std::string& attributes) -> std::string {
        try {
            parse_graph("%x = input : Float16_b[1, 2, 3]\n%z = input : Float16_b[1, 2, 2]\n%y = buda.splice %x, %z {" +
                            attributes + "}\noutput \"y\" = %y\n",
                        "splice.tg");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refusal("firsts = [1, 0], counts = [2, 2]").empty());
    CHECK_THAT(refusal("firsts = [2, 0], counts = [2, 2]"),
               Catch::Contains("splices 2 tiles of columns from 2 on, in 1 runs, of Float16_b[1, 2, 3]"));
    CHECK_THAT(refusal("firsts = [0, 0], counts = [3, 0]"), Catch::Contains("splices 0 tiles of columns from 0 on"));
    CHECK_THAT(refusal("firsts = [0], counts = [3]"), Catch::Contains("as many firsts and counts as operands"));
    CHECK_THAT(refusal("firsts = [0, 0], counts = [2, 2], runs = 2"), Catch::Contains("and one run, or none of them"));
}

TEST_CASE("a splice goes in slices of rows that one column of cores has room for") {
    const auto slices = [](std::int64_t rows, std::int64_t stacked) {
        ir::Graph graph = parse_graph(
            fmt::format("%x = input : Float16_b[{0}, {1}, 8]\n%z = input : Float16_b[1, {2}, 8]\n"
                        "%y = buda.splice %x {3}, %z {{firsts = [0, 0], counts = [8, 8]}}\noutput \"y\" = %y\n",
                        stacked, rows / stacked, rows, stacked > 1 ? fmt::format("(vstack: {})", stacked) : ""),
            "rows.tg");
        PassOptions options;
        options.l1_bytes = 840 * 1024;
        find_pass("stream-slices")->run(graph, options);
        graph.verify();
        for (const Node& node : graph.nodes)
            if (node.op == op::buda::splice) return node.type.dims[0];
        return std::int64_t{0};
    };
    CHECK(slices(32, 1) == 1);
    CHECK(slices(128, 1) == 4);  // 4 rows of 16 tiles for each of 8 cores: 130 KB, a quarter of L1 is 210
    CHECK(slices(128, 2) == 4);
    CHECK(slices(128, 8) == 8);  // as the operand comes
    CHECK(slices(13, 1) == 1);   // single rows would be one core's
}
