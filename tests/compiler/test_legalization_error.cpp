#include <catch2/catch.hpp>

#include "compiler/ir/legalization_error.hpp"
#include "compiler/model/host_fallback.hpp"

using namespace ttsim::impl;
using ir::LegalizationError;

TEST_CASE("a refusal repeated by the second try has the message of the first") {
    Diagnostics problems;
    problems.unsupported({}, "op 'a' fits nowhere");
    problems.unsupported({}, "op 'b' fits nowhere");
    std::optional<LegalizationError> first;
    try {
        problems.throw_if_any();
    } catch (const Error& lines) {
        first.emplace(lines, std::vector<std::string>{"a", "b"});
    }
    REQUIRE(first);
    const Error b_still(Fault::Unsupported, {}, "op 'b' fits nowhere still"), c(Fault::Unsupported, {}, "op 'c'");
    const LegalizationError both = first->after(LegalizationError({{"b", b_still}, {"c", c}}));
    CHECK(both.origins() == std::vector<std::string>{"b", "c"});
    CHECK(std::string(both.what()) == first->what());  // word for word
    CHECK(std::string(both.reason("c").what()) == c.what());
    CHECK(both.reason("b").message() == first->message());
    CHECK(first->after(LegalizationError(c, {})).message() == "op 'c'");
    CHECK(std::string(first->after(LegalizationError({{"c", c}})).what()) == c.what());
    CHECK_FALSE(both.is_on_any_grid());
    CHECK(first->after(LegalizationError::on_any_grid(b_still, {"b"})).is_on_any_grid());
}

TEST_CASE("a refusal names its ops for programs") {
    const Error own(make_problem(Fault::Unsupported, {{}, "no-fitting-grid", {"a_matmul"}}, "op 'a_matmul'"));
    CHECK(LegalizationError(Error(Fault::Unsupported, {}, "no"), {"a", "b"}).ops() ==
          std::vector<std::string>{"a", "b"});
    CHECK(LegalizationError(own, {"a"}).ops() == std::vector<std::string>{"a_matmul"});
    CHECK(LegalizationError(own, {"a"}).code() == "no-fitting-grid");
}

TEST_CASE("ops moved to the host for one reason are reported in one line") {
    ir::Graph model = ir::parse_graph(R"(%x = input : f32[4, 4]
%a = exp %x
%b = tanh %a
%c = relu %b
output "y" = %c
)",
                                      "given.tg");
    for (ir::Node& node : model.nodes) node.origin = node.name;
    const Error why(Fault::Unsupported, {}, "there is no room\nnor time"), other(Fault::Unsupported, {}, "no form");
    std::vector<ir::HostFallbackOps> given;
    const LegalizationError refusal({{"a", why}, {"b", why}, {"c", other}});
    CHECK_FALSE(ir::move_to_host(model, refusal, 1, given));  // more work than that
    CHECK_FALSE(ir::can_move_to_host(model, refusal, 1));
    CHECK(ir::can_move_to_host(model, refusal, 1e6));
    CHECK(ir::move_to_host(model, refusal, 1e6, given));
    CHECK_FALSE(ir::move_to_host(model, refusal, 1e6, given));  // they are the host's by now
    CHECK(ir::lines_of(given) ==
          std::vector<std::string>{"'a' (exp), 'b' (tanh) run on the host; the device refused them: there is no room",
                                   "'c' (relu) runs on the host; the device refused it: no form"});
}
