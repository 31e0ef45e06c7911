// Compensated updates need the old value of a parameter until its new one is stored, in every division into epochs.
#include <catch2/catch.hpp>

#include "compiler/model/residue.hpp"
#include "tests/runtime/training_models.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::testing;

namespace {

std::string layers(int count, int size) {
    std::string text = fmt::format("%x0 = input : f32[32, {}]\n", size);
    for (int i = 0; i < count; ++i) text += fmt::format("%w{} = constant [0.5] : f32[{}, {}]\n", i, size, size);
    for (int i = 0; i < count; ++i)
        text += fmt::format("%p{} = matmul %x{}, %w{}\n%x{} = tanh %p{}\n", i, i, i, i + 1, i);
    return text + fmt::format("output \"y\" = %x{}\n", count);
}

}  // namespace

TEST_CASE("no policy puts the replacement of a parameter before an epoch that reads the old value") {
    constexpr std::pair<int, int> shapes[] = {{3, 96}, {6, 64}, {6, 96}};
    std::size_t run = 0;  // each policy meets other shapes on the two devices
    for (const char* device : {"wh_n150", "gs_e150"})
        for (const ir::Policy policy : {ir::Policy::Balanced, ir::Policy::MinimizeGrid, ir::Policy::Nlp,
                                        ir::Policy::Random, ir::Policy::Ribbon}) {
            const auto [count, size] = shapes[run++ % std::size(shapes)];
            ir::CompileOptions options = options_for(DataFormat::Float16_b, device, ir::OptimizerKind::AdamW);
            options.training->optimizer.compensated = true;
            options.schedule.policy = policy;
            const ir::CompiledModel model = ir::compile(ir::parse_graph(layers(count, size), "test.tg"), options);
            INFO(device << " " << count << " layers of " << size << ", policy " << static_cast<int>(policy));
            REQUIRE(model.trained.size() == static_cast<std::size_t>(count));
            for (const ir::TrainedParameter& parameter : model.trained) CHECK(ir::residue_of(parameter));
            CHECK(ir::overwritten_before_read(model.netlist, model.trained) == nullptr);
        }
}
