#include "runtime/parameter_parts.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace ttsim::impl::runtime {

ParameterParts parts_of(const ir::CompiledModel& model, const std::string& name) {
    ParameterParts found;
    std::vector<std::string> names;
    for (const ir::TrainedParameter& parameter : model.trained) {
        if (parameter.name == name) found.push_back(&parameter);
        names.push_back(parameter.name);
    }
    if (found.empty())
        fail_input({model.netlist.file, 0, 0}, "no parameter '{}' is trained{}", name, did_you_mean(name, names));
    std::ranges::sort(found, {}, &ir::TrainedParameter::first_row);
    return found;
}

ir::Type whole_type(const ParameterParts& parts) {
    ir::Type type = parts.front()->type;
    for (std::size_t k = 1; k < parts.size(); ++k) type.dims[0] += parts[k]->row_count;
    return type;
}

ir::Literal joined_rows(std::vector<ir::Literal> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    ir::Dims dims = parts.front().dims();
    dims[0] = 0;
    std::vector<float> all;
    for (const ir::Literal& part : parts) {
        dims[0] += part.dims()[0];
        const std::vector<float> own = part.copied_floats();
        all.insert(all.end(), own.begin(), own.end());
    }
    return ir::Literal::of_floats(parts.front().dtype(), dims, std::move(all));
}

ir::Literal rows_of(const ir::Literal& whole, const ir::TrainedParameter& parameter) {
    if (parameter.row_count == 0) return whole;
    const std::vector<float> all = whole.copied_floats();
    const std::int64_t width = whole.size() / whole.dims()[0];
    const auto begin = all.begin() + parameter.first_row * width;
    return ir::Literal::of_floats(whole.dtype(), parameter.type.dims, {begin, begin + parameter.row_count * width});
}

}  // namespace ttsim::impl::runtime
