// The table of all op types. They are defined in kernels/ops/, one file per family; the build lists them
// (kernels/ops/sources.cmake).
#include <vector>

#include "generated/op_list.hpp"

namespace ttsim::impl {

static std::vector<const OpDef*>& table() {
    static std::vector<const OpDef*> ops(std::begin(found_ops), std::end(found_ops));
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
