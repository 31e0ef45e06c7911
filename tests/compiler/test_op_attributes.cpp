#include <catch2/catch.hpp>

#include "compiler/ir/builder.hpp"
#include "compiler/ops/device.hpp"
#include "generated/op_attributes.hpp"

using namespace ttsim::impl;
using namespace ttsim::impl::ir;

TEST_CASE("every op has an id that names it, and one record") {
    for (const OpInfo* op : ir::all_ops()) {
        CAPTURE(op->name);
        CHECK(op->id.name() == op->name);
        CHECK(op_named(op->name) == op->id);
        CHECK(find_op(op->id) == op);
        CHECK(op->id.on_device() == op->name.starts_with(device_prefix));
    }
    CHECK(op_named("no op") == OpId{});
    CHECK(op::input.name() == "input");
    CHECK(find_op(op::constant) == nullptr);
    CHECK(find_op(op::buda::exp)->counterpart == op::exp);
    CHECK(find_op(op::exp)->counterpart == op::buda::exp);
    CHECK(device_def(op::buda::exp)->name == "exp");
    CHECK(counterpart_def(op::exp) == device_def(op::buda::exp));
    CHECK(device_def(op::buda::sparse) == nullptr);
}

TEST_CASE("attributes have the defaults of the op table") {
    Node node;
    node.op = op::softmax;
    CHECK(node.get(attr::axis) == -1);
    node.op = op::reduce_max;
    CHECK(node.get(attr::axis) == 0);
    node.op = op::grid_sample;
    CHECK(attributes<GridSampleAttributes>(node).mode == "linear");
    CHECK(attributes<GridSampleAttributes>(node).padding == GridSampleAttributes{}.padding);
    node.op = op::deform_conv;
    CHECK(node.get(attr::strides) == std::vector<std::int64_t>{1, 1});
    node.op = op::buda::lrelu;
    CHECK(node.get(attr::slope) == 0.01);
    node.op = op::buda::nop;
    CHECK(node.get(attr::threshold) == 0);
    node.op = op::relu_max;
    CHECK(node.get(attr::threshold) == 1);
}

TEST_CASE("defaults that compiler code has for attributes of device records are those of the records") {
    Node node;
    node.op = op::buda::lrelu;
    OpAttributes record;
    read_attributes(node, *device_def(node.op), record);
    CHECK(node.get(attr::slope) == record.slope);
    CHECK(node.get(attr::zero_point) == record.zero_point);
}

TEST_CASE("a struct of attributes is written and read back") {
    const RoiAlignAttributes given{.height = 3, .scale = 0.25, .half_pixel = true, .max = true};
    Node node;
    node.op = op::roi_align;
    node.name = "y";
    node.attrs = attrs_of(given);
    check_attributes(node);
    const auto read = attributes<RoiAlignAttributes>(node);
    CHECK(read.height == 3);
    CHECK(read.width == 1);
    CHECK(read.scale == 0.25);
    CHECK(read.half_pixel);
    CHECK(read.max);
    CHECK(node.attrs.at("half_pixel") == Attr{std::int64_t{1}});
    node.set(attr::ratio, 7);
    CHECK(node.get(attr::ratio) == 7);
    node.erase(attr::ratio);
    CHECK_FALSE(node.has(attr::ratio));
}
