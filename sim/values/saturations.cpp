#include "sim/values/saturations.hpp"

#include <fmt/format.h>

#include "kernels/formats/overflow.hpp"

namespace ttsim::impl::sim {

static std::string remedy(const std::string& op, DataFormat format) {
    if (info(format).family != FormatFamily::A && format != DataFormat::Lf8 && format != DataFormat::Fp8_e4m3)
        return "no format holds more; scale its operands down";
    return fmt::format(
        "a format of 8 exponent bits holds them: out_df Float16_b; of a model --default-df Float16_b, or "
        "the rule {{name_regex: \"{}\", output_df: Float16_b}}",
        op);
}

std::vector<std::string> Saturations::notes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> notes;
    for (const auto& [op, count] : counts_) {
        const bool infinite = info(count.format).family != FormatFamily::A;
        notes.push_back(fmt::format("op '{}': {} results are beyond {} (largest {:g}) and became {}; {}", op,
                                    count.saturated, to_string(count.format), largest_number(count.format),
                                    infinite ? "infinite" : "the largest", remedy(op, count.format)));
    }
    return notes;
}

}  // namespace ttsim::impl::sim
