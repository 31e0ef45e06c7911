// States between passes that lowerings of the same model share.
#include <catch2/catch.hpp>

#include "compiler/ir/builder.hpp"
#include "compiler/model/pass_cache.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

namespace {

PassCache::State state_of(const std::string& name) {
    PassCache::State state{};
    state.made.notes.push_back(name);
    return state;
}

const std::string& name_of(const PassCache::State* state) {
    REQUIRE(state);
    return state->made.notes.front();
}

}  // namespace

TEST_CASE("a state is found with the choices that the passes before it read") {
    PassCache cache;
    Overrides whole, cut;
    cut["conv"].fracture = 3;
    Tiling plain, padded = plain, spliced = plain, split = plain, divided = plain;
    padded.padding = {{7, 8}};
    spliced.splices = false;
    split.parts = {{{1, 2}, 2}};
    divided.divided = {{"weights", 2}};
    const PassChoices first{whole, plain, true};
    for (const char* const pass : {"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu", ""})
        cache.keep(pass, first, state_of(pass));

    struct Case {
        const char* what;
        PassChoices choices;
        std::vector<std::string> found;  ///< passes before which the state is the same
    };
    const std::vector<Case> cases{
        {"the same", first, {"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu", ""}},
        {"fractured", {cut, plain, true}, {"host-windows"}},
        {"padded", {whole, padded, true}, {"host-windows", "lower-to-buda"}},
        {"without splices", {whole, spliced, true}, {"host-windows", "lower-to-buda", "splice-columns"}},
        {"without broadcasts", {whole, plain, false}, {"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu"}},
        {"split", {whole, split, true}, {"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu"}},
        {"divided", {whole, divided, true}, {}},
    };
    for (const Case& one : cases)
        for (const std::string pass : {"host-windows", "lower-to-buda", "splice-columns", "fuse-gelu", ""}) {
            INFO(one.what << ", before '" << pass << "'");
            const bool there = std::count(one.found.begin(), one.found.end(), pass) > 0;
            const PassCache::State* const state = cache.find(pass, one.choices);
            CHECK((state != nullptr) == there);
            if (there) CHECK(name_of(state) == pass);
        }
    CHECK_FALSE(cache.find("fuse-ops", first));
    cache.clear();
    CHECK_FALSE(cache.find("host-windows", first));
}

TEST_CASE("the states of large models are not kept") {
    ir::Graph graph;
    Builder build(graph);
    build.model_constant(Literal(DType::F32, {1 << 12, 1 << 10}));
    CHECK(PassCache::fits(graph));
    build.model_constant(Literal(DType::F32, {1 << 14, 1 << 12}));
    CHECK_FALSE(PassCache::fits(graph));
}
