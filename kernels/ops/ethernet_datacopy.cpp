// ethernet_datacopy: copies a tensor unchanged to the chip dest_device. No Tensix core is involved, so nothing is
// rounded.
#include "kernels/ops/eltwise.hpp"
#include "kernels/ops/golden_eltwise.hpp"

namespace ttsim::impl {

static void ethernet_datacopy_check(const OpConfig& op, const ChipFeatures& chip, Diagnostics& out) {
    if (!chip.cross_graph_ops) {
        out.error(op.loc,
                  "'{}' is an ethernet_datacopy, but this chip has no Ethernet; pass the tensor through a queue",
                  op.name);
    }
    if (op.attr.dest_device < 0) {
        out.error(op.loc, "'{}' needs the attribute dest_device, the chip that receives the tensor", op.name);
    }
    if (!operands_complete(op)) return;
    check_eltwise_shapes(op, out);
    if (op.in_df[0] != op.out_df) {
        out.error(op.loc, "'{}' has in_df {} and out_df {}; Ethernet moves tiles unchanged, so they must be equal",
                  op.name, to_string(op.in_df[0]), to_string(op.out_df));
    }
    if (op.in_tile[0] != op.tile) {
        out.error(op.loc, "'{}' has tile_dim {} and its input {}; they must be equal", op.name, op.tile, op.in_tile[0]);
    }
}

static void ethernet_datacopy_prepare(const OpConfig&, int, Numerics, MatrixView) {}

static void ethernet_datacopy_block(const BlockArgs& args) {
    copy_tiles(args.in[0].slices[0], operand_tile(args.op, 0), args.out, args.op.tile);
}

static constexpr AttrDef ethernet_datacopy_attributes[] = {
    {.name = "ingress_channels",
     .kind = AttrKind::List,
     .default_text = "[]",
     .meaning = "Ethernet channels of the source chip, one per core of the grid",
     .place = &at<&OpAttributes::ingress_channels>},
    {.name = "egress_channels",
     .kind = AttrKind::List,
     .default_text = "[]",
     .meaning = "Ethernet channels of the destination chip, one per core of the grid",
     .place = &at<&OpAttributes::egress_channels>},
    {.name = "dest_device",
     .kind = AttrKind::Integer,
     .default_text = "-1",
     .meaning = "chip that receives the tensor (required)",
     .place = &at<&OpAttributes::dest_device>},
};

extern const OpDef op_ethernet_datacopy{.name = "ethernet_datacopy",
                                        .summary = "Copies a tensor to another chip through Ethernet cores",
                                        .op_class = OpClass::Ethernet,
                                        .attributes = ethernet_datacopy_attributes,
                                        .check = ethernet_datacopy_check,
                                        .golden = golden_copy,
                                        .use = use_eltwise,
                                        .prepare = ethernet_datacopy_prepare,
                                        .block = ethernet_datacopy_block,
                                        .by_slice = true,
                                        .integer_capable = true,
                                        .bit_true = true,
                                        .keeps_sign = true};

}  // namespace ttsim::impl
