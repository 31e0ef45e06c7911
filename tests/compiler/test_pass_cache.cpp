// States between passes that lowerings of the same model share.
#include <catch2/catch.hpp>

#include <set>

#include "compiler/ir/builder.hpp"
#include "compiler/model/compile_caches.hpp"
#include "compiler/model/model_compiler.hpp"

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

TEST_CASE("choices that differ in any value or name have states of their own") {
    const auto fractured = [](const char* name, std::int64_t rows) {
        Overrides made;
        made[name].fracture = rows;
        return made;
    };
    const std::vector<Overrides> overrides{{}, fractured("a", 2), fractured("a", 3), fractured("b", 2)};
    std::vector<Tiling> tilings(11);
    tilings[1].padding = {{7, 8}};
    tilings[2].padding = {{7, 9}};
    tilings[3].padding = {{5, 8}};
    tilings[4].parts = {{{1, 2}, 2}};
    tilings[5].parts = {{{1, 2}, 4}};
    tilings[6].parts = {{{2, 1}, 2}};
    tilings[7].divided = {{"a", 2}};
    tilings[8].divided = {{"a", 3}};
    tilings[9].divided = {{"b", 2}};
    tilings[10].splices = false;
    std::vector<PassChoices> all;
    for (const Overrides& user : overrides)
        for (const Tiling& tiling : tilings)
            for (const bool broadcasts : {true, false}) all.push_back({user, tiling, broadcasts});
    for (std::size_t k = 0; k < all.size(); ++k) {
        PassCache cache;
        cache.keep("", all[k], state_of("kept"));
        for (std::size_t other = 0; other < all.size(); ++other)
            CHECK((cache.find("", all[other]) != nullptr) == (other == k));
    }
}

TEST_CASE("of overrides only fractures count: a compilation changes no others") {
    PassCache cache;
    Overrides none, placed;
    placed["a"].queued = {0};
    const Tiling tiling;
    cache.keep("", {none, tiling, true}, state_of("kept"));
    CHECK(cache.find("", {placed, tiling, true}));
}

TEST_CASE("a kept state is a copy, the first one stays, and the oldest are forgotten") {
    PassCache cache;
    const Overrides none;
    std::vector<Tiling> tilings(66);
    for (std::size_t k = 0; k < tilings.size(); ++k) tilings[k].padding = {{static_cast<std::int64_t>(k), 100}};
    PassCache::State state = state_of("first");
    cache.keep("", {none, tilings[0], true}, state);
    state.made.notes.front() = "changed";
    cache.keep("", {none, tilings[0], true}, state);
    CHECK(name_of(cache.find("", {none, tilings[0], true})) == "first");
    for (const Tiling& tiling : tilings) cache.keep("", {none, tiling, true}, state);
    CHECK_FALSE(cache.find("", {none, tilings[0], true}));
    CHECK(cache.find("", {none, tilings.back(), true}));
}

namespace {

/// Convolutions of 3 x 3, whose results are joined by channel and read by one of 1 x 1.
ir::Graph convolutions() {
    ir::Graph graph;
    Builder build(graph);
    const auto convolved = [&](ValueId x, std::int64_t to, std::int64_t kernel) {
        Literal weights(DType::F32, {to, build.dims(x)[1], kernel, kernel});
        for (std::size_t i = 0; i < weights.floats().size(); ++i) weights.floats()[i] = static_cast<float>(i % 13) / 16;
        const std::int64_t pad = kernel / 2;
        return build.add(op::relu, {build.add(op::conv, {x, build.model_constant(std::move(weights))},
                                              {attr::pads({pad, pad, pad, pad})})});
    };
    const ValueId x = convolved(build.input("x", {DType::F32, {1, 32, 12, 12}, {}}), 32, 3);
    const ValueId a = convolved(x, 64, 3), b = convolved(a, 32, 3);
    // 128 channels, of which the value has some from `first` on
    const auto placed = [&](ValueId value, std::int64_t first) {
        const std::int64_t channels = build.dims(value)[1], all = 128;
        Literal places(DType::F32, {all, channels});
        for (std::int64_t c = 0; c < channels; ++c) places.set((first + c) * channels + c, 1);
        return build.map_axis(value, 1, std::move(places));
    };
    const ValueId both = build.add(op::add, {placed(x, 0), placed(a, 32)});
    graph.outputs.push_back({"y", convolved(build.add(op::add, {both, placed(b, 96)}), 32, 1), {}});
    graph.verify();
    return graph;
}

struct Way {
    const char* what;
    CompileOptions options;
};

/// Options that a compilation tries one after the other.
std::vector<Way> ways() {
    std::vector<Way> all{
        {"plain", {}}, {"without splices", {}}, {"without broadcasts", {}}, {"fractured", {}}, {"plain again", {}}};
    all[1].options.splice_columns = false;
    all[2].options.use_kernel_broadcasts = false;
    std::vector<std::string> names = convolution_names(convolutions());
    names.pop_back();  // has no rows to divide
    for (const std::string& name : names) all[3].options.overrides[name].fracture = 3;
    return all;
}

}  // namespace

TEST_CASE("a lowering with the states of others is the same as one on its own") {
    const ir::Graph model = convolutions();
    const auto shared = std::make_shared<CompileCaches>();
    std::set<std::string> different;
    for (Way& way : ways()) {
        CAPTURE(way.what);
        const Lowered alone = ModelCompiler(way.options).lower(model);
        way.options.caches = shared;
        const Lowered made = ModelCompiler(way.options).lower(model);
        CHECK(print_graph(made.graph) == print_graph(alone.graph));
        CHECK(equal(made.graph, alone.graph));
        CHECK(equal(made.unfused, alone.unfused));
        CHECK(equal(made.model, alone.model));
        CHECK(made.unfused_ops == alone.unfused_ops);
        CHECK(made.tiling == alone.tiling);
        CHECK(made.notes == alone.notes);
        CHECK(equal(made.host.graph, alone.host.graph));
        CHECK(made.overrides.size() == alone.overrides.size());
        different.insert(print_graph(made.graph));
    }
    CHECK(different.size() >= 3);  // else the states would not matter
}

TEST_CASE("the states of large models are not kept") {
    ir::Graph graph;
    Builder build(graph);
    build.model_constant(Literal(DType::F32, {1 << 12, 1 << 10}));
    CHECK(PassCache::fits(graph));
    build.model_constant(Literal(DType::F32, {1 << 14, 1 << 12}));
    CHECK_FALSE(PassCache::fits(graph));
}
