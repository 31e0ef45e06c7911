#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "compiler/ir/graph.hpp"
#include "tools/ttsim-opt/reduce.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;
using ttsim::impl::cli::PassesRun;

namespace {

/// Layers of a matmul, a softmax by hand, a gate and a skip connection: 12 nodes each.
ir::Graph layers(int count) {
    std::string text = "%x0 = input : f32[8, 8]\n%one = constant [1] : f32[]\n";
    for (int n = 0; n < count; ++n) {
        const auto line = [&](const std::string& form) {
            text += fmt::format(fmt::runtime(form + "\n"), fmt::arg("n", n), fmt::arg("m", n + 1));
        };
        line("%w{n} = constant [0.25] : f32[8, 8]");
        line("%t{n} = transpose %x{n} {{perm = [1, 0]}}");
        line("%p{n} = matmul %t{n}, %w{n}");
        line("%m{n} = reduce_max %p{n} {{axis = 1}}");
        line("%s{n} = subtract %p{n}, %m{n}");
        line("%e{n} = exp %s{n}");
        line("%g{n} = sigmoid %e{n}");
        line("%a{n} = abs %p{n}");
        line("%q{n} = add %a{n}, %one");
        line("%r{n} = sqrt %q{n}");
        line("%k{n} = multiply %g{n}, %r{n}");
        line("%x{m} = add %k{n}, %x{n}");
    }
    return parse_graph(text + fmt::format("output \"y\" = %x{}\noutput \"z\" = %k0\n", count), "layers.tg");
}

enum class Harm { Refuse, Crash, Change };

/// A pass that fails on nodes of `op` whose first operand is of `operand`; it changes a value by making it an `other`.
struct Fault {
    OpId op, operand, other;
    Harm harm;
};

constexpr std::array faults{
    Fault{op::exp, op::subtract, op::sigmoid, Harm::Refuse},  Fault{op::exp, op::subtract, op::sigmoid, Harm::Crash},
    Fault{op::exp, op::subtract, op::sigmoid, Harm::Change},  Fault{op::sigmoid, op::exp, op::abs, Harm::Refuse},
    Fault{op::sigmoid, op::exp, op::abs, Harm::Crash},        Fault{op::sigmoid, op::exp, op::abs, Harm::Change},
    Fault{op::sqrt, op::add, op::exp, Harm::Refuse},          Fault{op::sqrt, op::add, op::exp, Harm::Crash},
    Fault{op::sqrt, op::add, op::exp, Harm::Change},          Fault{op::add, op::abs, op::multiply, Harm::Refuse},
    Fault{op::add, op::abs, op::subtract, Harm::Crash},       Fault{op::add, op::abs, op::subtract, Harm::Change},
    Fault{op::multiply, op::sigmoid, op::add, Harm::Refuse},  Fault{op::multiply, op::sigmoid, op::add, Harm::Change},
    Fault{op::matmul, op::transpose, op::add, Harm::Refuse},  Fault{op::matmul, op::transpose, op::add, Harm::Crash},
    Fault{op::subtract, op::matmul, op::add, Harm::Refuse},   Fault{op::subtract, op::matmul, op::add, Harm::Change},
    Fault{op::add, op::multiply, op::subtract, Harm::Refuse}, Fault{op::add, op::multiply, op::subtract, Harm::Change},
};

template <std::size_t n>
void fail_on(ir::Graph& graph, const PassOptions& /*options*/) {
    const Fault& fault = faults[n];
    for (Node& node : graph.nodes) {
        if (node.op != fault.op || graph.nodes[node.inputs[0].value].op != fault.operand) continue;
        if (fault.harm == Harm::Refuse) fail_unsupported(node.loc, "planted: '{}'", node.name);
        if (fault.harm == Harm::Crash) {
            (void)std::signal(SIGABRT, SIG_DFL);  // Catch reports it otherwise
            std::abort();
        }
        node.op = fault.other;
    }
}

template <std::size_t... n>
std::vector<Pass> planted(std::index_sequence<n...>) {
    return {Pass{.name = "planted", .summary = "fails on one pattern", .run = fail_on<n>}...};
}

}  // namespace

TEST_CASE("planted faults shrink to at most five nodes") {
    const std::vector<Pass> passes = planted(std::make_index_sequence<faults.size()>());
    REQUIRE(passes.size() == 20);
    const ir::Graph graph = layers(3);
    REQUIRE(graph.nodes.size() == 38);
    for (std::size_t n = 0; n < passes.size(); ++n) {
        INFO("fault " << n);
        const PassOptions options;
        PassesRun run;
        run.passes = {&passes[n]};
        run.options = &options;
        run.verify_values = faults[n].harm == Harm::Change;
        const cli::Reduced reduced = cli::reduce(graph, run);
        INFO(reduced.failure << "\n" << print_graph(reduced.graph, 4));
        CHECK(reduced.graph.nodes.size() <= 5);
        const char* const want = faults[n].harm == Harm::Refuse  ? "unsupported: planted"
                                 : faults[n].harm == Harm::Crash ? "signal 6"
                                                                 : "values changed by planted";
        CHECK_THAT(reduced.failure, Catch::Contains(want));
    }
}
