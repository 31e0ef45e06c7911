// The list of all op types. They are defined in kernels/ops/, one file per family.
#include <vector>

#include "kernels/ops/op_def.hpp"

namespace ttsim::impl {

extern const OpDef op_nop, op_datacopy, op_ethernet_datacopy;
extern const OpDef op_exp, op_log, op_sqrt, op_reciprocal, op_sigmoid, op_tanh, op_sine, op_cosine, op_abs, op_square,
    op_power, op_gelu, op_gelu_derivative, op_lrelu, op_dropout;
extern const OpDef op_add, op_subtract, op_multiply, op_maximum;
extern const OpDef op_quantization, op_requantization, op_dequantization;
extern const OpDef op_matmul, op_depthwise, op_reduce, op_fused_op;
extern const OpDef op_tilizer, op_splice, op_embedding, op_topk;

static std::vector<const OpDef*>& table() {
    static std::vector<const OpDef*> ops{
        &op_nop,
        &op_datacopy,
        &op_ethernet_datacopy,  // copies
        &op_exp,
        &op_log,
        &op_sqrt,  // SFPU, one operand
        &op_reciprocal,
        &op_sigmoid,
        &op_tanh,
        &op_sine,
        &op_cosine,
        &op_abs,
        &op_square,
        &op_power,
        &op_gelu,
        &op_gelu_derivative,
        &op_lrelu,
        &op_dropout,
        &op_add,
        &op_subtract,
        &op_multiply,
        &op_maximum,  // two operands
        &op_quantization,
        &op_requantization,
        &op_dequantization,
        &op_matmul,
        &op_depthwise,
        &op_reduce,
        &op_fused_op,  // matrix unit and fused
        &op_tilizer,
        &op_splice,
        &op_embedding,
        &op_topk,  // data movement
    };
    return ops;
}

std::span<const OpDef* const> all_ops() { return table(); }

const OpDef* find_op(std::string_view name) {
    for (const OpDef* op : table()) {
        if (op->name == name) return op;
    }
    return nullptr;
}

void add_op(const OpDef& op) {
    TT_CHECK(find_op(op.name) == nullptr, "there are two ops '{}'", op.name);
    table().push_back(&op);
}

}  // namespace ttsim::impl
