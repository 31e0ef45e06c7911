// Rules of mixed precision and overrides, in YAML and on the command line.
#include "compiler/ir/format_rules.hpp"
#include "compiler/ir/overrides.hpp"
#include "compiler/ir/pass.hpp"
#include "isa/arch.hpp"
#include "tests/fuzz/targets.hpp"

namespace ttsim::impl::fuzz {

void rules(const std::string& bytes) {
    answer([&] {
        ir::PassOptions options;
        options.rules = ir::parse_format_rules(bytes, "fuzz.yaml").rules;
        ir::Graph graph = ir::parse_graph(
            "%softmax_1 = input : Float16_b[1, 2, 2]\n"
            "%mul_2.dc = buda.multiply %softmax_1, %softmax_1 : Float16_b[1, 2, 2]\n"
            "%matmul_33 = buda.matmul %mul_2.dc, %softmax_1 : Float16_b[1, 2, 2]\n"
            "output \"y\" = %matmul_33\n",
            "graph");
        const ir::Pass* const passes[] = {ir::find_pass("mixed-precision")};
        ir::run_passes(graph, passes, options, true);
        check_formats(graph, chip("grayskull"));
    });
    ir::Overrides overrides;
    answer([&] { ir::parse_overrides(bytes, "fuzz.yaml", overrides); });
    answer([&] { ir::parse_override(bytes, overrides); });
    answer([&] { ir::check_overrides(overrides, {{"matmul_1", "add_2"}, {"matmul_1", "add_2"}, {"conv1"}}); });
}

}  // namespace ttsim::impl::fuzz
