#include <catch2/catch.hpp>

#include "compiler/ir/no_device_form.hpp"

using namespace tt;
using ir::NoDeviceForm;

TEST_CASE("what a second try refuses too is said as the first said it") {
    Diagnostics problems;
    problems.unsupported({}, "op 'a' fits nowhere");
    problems.unsupported({}, "op 'b' fits nowhere");
    std::optional<NoDeviceForm> first;
    try {
        problems.throw_if_any();
    } catch (const Error& lines) {
        first.emplace(lines, std::vector<std::string>{"a", "b"});
    }
    REQUIRE(first);
    const Error b_still(Fault::Unsupported, {}, "op 'b' fits nowhere still"), c(Fault::Unsupported, {}, "op 'c'");
    const NoDeviceForm both = first->after(NoDeviceForm({{"b", b_still}, {"c", c}}));
    CHECK(both.origins() == std::vector<std::string>{"b", "c"});
    CHECK(std::string(both.what()) == first->what());  // word for word
    CHECK(std::string(both.reason("c").what()) == c.what());
    CHECK(both.reason("b").message() == first->message());
    CHECK(first->after(NoDeviceForm(c, {})).message() == "op 'c'");
    CHECK(std::string(first->after(NoDeviceForm({{"c", c}})).what()) == c.what());
}
