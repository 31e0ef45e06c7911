#include "tools/ttsim/page_of_run.hpp"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/image/image.hpp"
#include "tools/common/input_kind.hpp"

namespace ttsim::impl::cli {

static report::PageSource image_source(const std::string& file) {
    image::Image image = image::read_image(file);
    report::PageSource source;
    source.name = std::filesystem::path(file).filename().string();
    source.files = {file};
    source.options.netlist = file;
    source.options.mode = sim::Mode::Timing;
    for (const ir::ModelProgram& program : image.model.programs) {
        source.options.programs.push_back(program.name);
        if (!program.executes.empty()) source.options.params[program.executes] = 1;
    }
    source.options.value = std::make_shared<const Netlist>(std::move(image.model.netlist));
    source.options.machine = std::make_shared<const Machine>(std::move(image.machine));
    return source;
}

report::PageSource page_source_of(const std::string& file) {
    switch (kind_of(file)) {
        case InputKind::Trace:
            return report::trace_source(file);
        case InputKind::CompiledModel:
            return report::folder_source(file);
        case InputKind::Image:
            return image_source(file);
        case InputKind::Netlist:
        case InputKind::Unknown:
            return report::netlist_source(file);
        case InputKind::Model:
        case InputKind::Array:
        case InputKind::Folder:
            require_kind(InputKind::Trace, file, "ttsim report",
                         "a trace, a netlist, a device image or the folder of a compiled model");
    }
    return {};
}

void write_run_page(const OutputFile& out, const RunForPage& run) {
    const std::string page = report::page_template();
    report::PageSource source = report::trace_source(run.trace);
    if (kind_of(run.input) == InputKind::CompiledModel) {
        report::PageSource model = report::folder_source(run.input);
        source.passes = std::move(model.passes);
        source.host_steps = std::move(model.host_steps);
        source.notes = std::move(model.notes);
    }
    source.name = std::filesystem::path(run.input).lexically_normal().filename().string();
    source.files = {run.input};
    source.run_report = run.report;
    source.measure = true;
    out.write(report::page_html(page, report::page_data({source})));
}

void write_model_page(const OutputFile& out, const std::string& model) {
    out.write(report::page_html(report::page_template(), report::page_data({page_source_of(model)})));
}

}  // namespace ttsim::impl::cli
