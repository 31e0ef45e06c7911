#include "analysis/report/compile_report.hpp"

#include "base/error.hpp"
#include "base/name_pattern.hpp"
#include "isa/arch.hpp"

namespace ttsim::impl::report {

CompileReport compile_report(const ir::ModelFiles& files, const ir::CompileOptions& options, ir::CompileReport made) {
    return {std::move(made),
            files.model,
            ir::device_name(options.device),
            std::string(ir::to_string(options.schedule.policy)),
            std::string(ir::to_string(options.schedule.self_cut)),
            files.out,
            options.schedule.explain,
            options.training.has_value(),
            is_chip_path(options.device) ? options.device : ""};
}

void keep_decisions(CompileReport& report, const std::string& pattern) {
    if (pattern.empty()) return;
    const NamePattern wanted(pattern, {}, "--explain-op");
    const std::size_t all = report.decisions.size();
    std::erase_if(report.decisions, [&](const ir::Decision& d) { return !wanted.matches(d.op); });
    if (report.decisions.empty()) fail_input({}, "--explain-op '{}' matches none of the {} ops", pattern, all);
}

}  // namespace ttsim::impl::report
