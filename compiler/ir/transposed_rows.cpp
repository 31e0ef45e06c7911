#include "compiler/ir/transposed_rows.hpp"

namespace ttsim::impl::ir {

GatherMap transposed_rows(const Dims& dims, const std::vector<std::int64_t>& perm) {
    Dims moved;
    for (const std::int64_t axis : perm) moved.push_back(dims[static_cast<std::size_t>(axis)]);
    const Dims from = strides(dims), to = strides(moved);
    const std::int64_t columns = dims.back();
    GatherMap rows;
    for (std::int64_t i = 0; i < count(dims) / columns; ++i) {
        std::int64_t source = 0;
        for (std::size_t d = 0; d + 1 < moved.size(); ++d)
            source += i * columns / to[d] % moved[d] * from[static_cast<std::size_t>(perm[d])];
        rows.append(i, source / columns);
    }
    return rows;
}

}  // namespace ttsim::impl::ir
