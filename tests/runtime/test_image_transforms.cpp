// What the host does to tensors as the record of another's image says: elementwise.
#include <catch2/catch.hpp>

#include "compiler/host/host_program.hpp"
#include "netlist/text/reader.hpp"
#include "runtime/image/host_part.hpp"
#include "runtime/image/host_shapes.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::image;
using ir::Literal;

namespace {

/// t slices of m x n tiles.
Queue queue_of(std::int64_t t, std::int64_t m, std::int64_t n, DataFormat df = DataFormat::Float32) {
    Queue queue;
    queue.name = "q";
    queue.df = df;
    queue.blocking = {1, 1, m, n, 1, 1, t, UblockOrder::Row};
    return queue;
}

/// Every element is its own number, from 1.
Literal counted(const Shape& dims, ir::DType dtype = ir::DType::F32) {
    Literal made(dtype, dims);
    for (std::int64_t i = 0; i < made.size(); ++i) made.set(i, static_cast<double>(i + 1));
    return made;
}

TensorTransform transform(const std::string& type, const Shape& original = {}) {
    TensorTransform made;
    made.type = type;
    made.original = original;
    return made;
}

/// A model with a queue from the host and queues from ops.
ir::CompiledModel model_of(const Queue& in, const std::vector<Queue>& outs) {
    ir::CompiledModel model;
    model.netlist.file = "n.yaml";
    model.netlist.queues.push_back(in);
    model.netlist.queues.back().input = "HOST";
    for (const Queue& out : outs) {
        model.netlist.queues.push_back(out);
        model.netlist.queues.back().input = "op";
    }
    return model;
}

}  // namespace

TEST_CASE("A strided picture becomes rows of the places in a square, columns of squares") {
    for (const std::int64_t kernel : {1, 2, 3})
        for (const std::int64_t width : {6, 7}) {
            const std::int64_t channels = 3, height = 5, stride = 2, w = std::min(kernel, stride);
            TensorTransform t = transform("Prestride", {1, channels, height, width});
            t.stride = stride;
            t.kernel = kernel;
            const HostShapes shapes = input_shapes(queue_of(1, 1, 1), t, nullptr, "x.tti");
            const std::int64_t across = (width + 1) / 2;
            REQUIRE(shapes.inside == Shape{w * w * channels, 3 * across});
            std::vector<std::int64_t> want(shapes.from.size(), HostShapes::zero);
            for (std::int64_t z = 0; z < channels; ++z)
                for (std::int64_t y = 0; y < height; ++y)
                    for (std::int64_t x = 0; x < width; ++x) {
                        if (y % stride >= w || x % stride >= w) continue;
                        const std::int64_t row = (y % stride * w + x % stride) * channels + z;
                        want.at(static_cast<std::size_t>(row * 3 * across + y / stride * across + x / stride)) =
                            (z * height + y) * width + x;
                    }
            CHECK(shapes.from == want);
        }
    CHECK_THROWS_WITH(input_shapes(queue_of(1, 2, 1), transform("Prestride", {1, 3, 5, 5}), nullptr, "x.tti"),
                      Catch::Contains("an entry of the queue has [1, 64, 32]"));
}

TEST_CASE("Indices of an embedding fill tiles one after the other, unused ones have all bits set") {
    const Queue queue = queue_of(1, 2, 1, DataFormat::RawUInt32);  // two rows of tiles
    DeviceRecord record;
    record.inputs = {"q"};
    record.input_transforms = {transform("EmbeddingIndex", {70})};
    ir::CompiledModel model = model_of(queue, {});
    add_host_part(model, record, "x.tti");
    const ir::HostRun run(model.host.program, {{"q", counted({70}, ir::DType::I32)}});
    const Literal made = run.device_inputs(1).at("q");
    REQUIRE(made.dims() == ir::Dims{64, 32});
    for (std::int64_t row = 0; row < 2; ++row)  // 96 with those that fill up, 48 in each row
        for (std::int64_t i = 0; i < 1024; ++i) {
            const std::int64_t index = row * 48 + i;
            CHECK(made.at(row * 1024 + i) == (i >= 48 ? 0 : index < 70 ? static_cast<double>(index + 1) : -1));
        }
}

TEST_CASE("Slices of an output are restacked, along rows or columns, and cut") {
    for (const bool row_major : {true, false}) {
        const HostStack stack{3, 2, row_major};
        const Queue queue = queue_of(12, 1, 1);
        const Shape cut{2, 50, 96};
        const HostShapes shapes = output_shapes(queue, {}, &stack, &cut, "x.tti");
        REQUIRE(shapes.outside == cut);
        REQUIRE(shapes.from.size() == 2 * 50 * 96);
        for (std::int64_t i = 0; i < 12; ++i) {  // where the vendor's runtime puts slice i
            const std::int64_t of_group = i % 6;
            const std::int64_t down = row_major ? of_group / 3 : of_group % 2,
                               across = row_major ? of_group % 3 : of_group / 2;
            for (const std::int64_t r : {0, 17})
                for (const std::int64_t c : {0, 31})
                    CHECK(shapes.from.at(static_cast<std::size_t>(((i / 6) * 50 + down * 32 + r) * 96 + across * 32 +
                                                                  c)) == (i * 32 + r) * 32 + c);
        }
    }
    const HostStack wrong{5, 1, true};
    CHECK_THROWS_WITH(output_shapes(queue_of(12, 1, 1), {}, &wrong, nullptr, "x.tti"),
                      Catch::Contains("5 x 1 slices are to be stacked, of 12"));
}

TEST_CASE("Outputs of a group are joined by their index") {
    Queue first = queue_of(1, 1, 1), second = first, third = first;
    first.name = "b";
    second.name = "a";
    third.name = "c";
    DeviceRecord record;
    record.outputs = {"b", "a", "c"};
    record.output_shapes = {{4, 5}, {4, 3}, {4, 2}};
    for (const std::int64_t index : {1, 0, 2}) {
        TensorTransform t = transform("Concatenate");
        t.group = 7;
        t.index = index;
        t.axis = -1;
        record.output_transforms.push_back(t);
    }
    ir::CompiledModel model = model_of(queue_of(1, 1, 1), {first, second, third});
    add_host_part(model, record, "x.tti");
    REQUIRE(model.host.program.graph.outputs.size() == 1);
    CHECK(model.host.program.graph.outputs.front().name == "a");
    ir::HostRun run(model.host.program, {});
    run.set_results(1, {{"b", counted({4, 5})}, {"a", counted({4, 3})}, {"c", counted({4, 2})}});
    const Literal made = run.outputs().at("a");
    REQUIRE(made.dims() == ir::Dims{4, 10});
    for (std::int64_t r = 0; r < 4; ++r)
        for (std::int64_t c = 0; c < 10; ++c)
            CHECK(made.at(r * 10 + c) == static_cast<double>(c < 3   ? r * 3 + c + 1
                                                             : c < 8 ? r * 5 + c - 3 + 1
                                                                     : r * 2 + c - 8 + 1));
    record.output_shapes[2] = {3, 2};
    ir::CompiledModel other = model_of(queue_of(1, 1, 1), {first, second, third});
    CHECK_THROWS_WITH(add_host_part(other, record, "x.tti"),
                      Catch::Contains("are to be joined along axis 1 and differ"));
}
