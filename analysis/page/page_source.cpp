#include "analysis/page/page_source.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file_set.hpp"
#include "base/json_object.hpp"
#include "base/read_file.hpp"
#include "compiler/files/result_folder.hpp"
#include "netlist/device/device.hpp"
#include "netlist/text/reader.hpp"
#include "trace/reader.hpp"

namespace ttsim::impl::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_netlist_bytes = std::uint64_t{1} << 30;

PageSource named_source(const std::string& file) {
    PageSource source;
    fs::path clean = fs::path(file).lexically_normal();
    if (!clean.has_filename()) clean = clean.parent_path();
    source.name = clean.filename().string();
    source.files = {file};
    return source;
}

bool is_product(const std::string& name) {
    const std::vector<ProductInfo> known = products();
    return std::any_of(known.begin(), known.end(), [&](const ProductInfo& p) { return p.name == name; });
}

std::string one_text(trace::Database& database, const std::string& sql) {
    trace::Statement query(database, sql);
    std::string text = query.step() ? query.text(0) : "";
    query.run();
    return text;
}

/// Sets programs and parameters from the trace, so that epochs are those of the run.
void read_calls(trace::Database& database, sim::RunOptions& options) {
    std::set<std::string> seen;
    trace::Statement programs(database, "SELECT name FROM program ORDER BY id");
    while (programs.step())
        if (seen.insert(programs.text(0)).second) options.programs.push_back(programs.text(0));
    trace::Statement params(database, "SELECT name, value FROM parameter");
    while (params.step()) options.params[params.text(0)] = params.integer(1);
}

std::vector<int> harvested(trace::Database& database) {
    const std::string text = one_text(database, "SELECT harvested_rows FROM chip ORDER BY id LIMIT 1");
    std::vector<int> rows;
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (list.is_array())
        for (const auto& row : list)
            if (row.is_number_integer()) rows.push_back(row.get<int>());
    return rows;
}

/// The graphs of passes/, in the order of their numbers.
std::vector<PassText> kept_passes(const std::string& folder) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (fs::directory_iterator at(fs::path(folder) / "passes", missing), end; !missing && at != end;
         at.increment(missing))
        if (at->path().extension() == ".json") files.push_back(at->path());
    std::sort(files.begin(), files.end());
    std::vector<PassText> passes;
    passes.reserve(files.size());
    for (const fs::path& file : files)
        passes.push_back(
            {file.stem().string(),
             read_file(resolve_inside(folder, (fs::path("passes") / file.filename()).string()), most_netlist_bytes)});
    return passes;
}

}  // namespace

PageSource trace_source(const std::string& file) {
    PageSource source = named_source(file);
    source.trace = file;
    trace::Reader reader(file);
    source.netlist_text = one_text(reader.database(), "SELECT text FROM file WHERE kind = 'netlist' LIMIT 1");
    sim::RunOptions& options = source.options;
    options.netlist = reader.run().netlist;
    options.mode = sim::Mode::Timing;
    if (!source.netlist_text.empty())
        options.value = std::make_shared<const Netlist>(read_netlist_text(source.netlist_text, options.netlist));
    options.arch = reader.run().arch;
    options.inputs_count = reader.run().inputs_count;
    // a product already defines its harvested rows
    if (is_product(reader.run().device))
        options.device = reader.run().device;
    else
        options.harvested_rows = harvested(reader.database());
    read_calls(reader.database(), options);
    return source;
}

PageSource netlist_source(const std::string& file) {
    PageSource source = named_source(file);
    source.options.netlist = file;
    source.options.mode = sim::Mode::Timing;
    source.netlist_text = read_file(file, most_netlist_bytes);
    return source;
}

PageSource folder_source(const std::string& folder) {
    PageSource source = named_source(folder);
    const ir::CompiledModel model = ir::read_without_constants(folder);
    source.netlist_text = read_file(resolve_inside(folder, "netlist.yaml"), most_netlist_bytes);
    sim::RunOptions& options = source.options;
    options.netlist = (fs::path(folder) / "netlist.yaml").string();
    options.value = std::make_shared<const Netlist>(model.netlist);
    options.mode = sim::Mode::Timing;
    options.inputs_dir = folder;
    options.device = model.host.device;
    source.host_steps = ir::host_step_lines(model.host);
    source.passes = kept_passes(folder);
    if (source.passes.empty())
        source.notes.push_back("the passes of the compiler are not in the folder: compile with --keep-passes");
    return source;
}

std::vector<PageSource> joined(std::vector<PageSource> sources) {
    std::vector<PageSource> runs;
    for (PageSource& source : sources) {
        const auto other = std::find_if(runs.begin(), runs.end(), [&](const PageSource& run) {
            return !source.netlist_text.empty() && run.netlist_text == source.netlist_text &&
                   run.trace.empty() != source.trace.empty();
        });
        if (other == runs.end()) {
            runs.push_back(std::move(source));
            continue;
        }
        // parameters come from the trace, compiler passes from the other source
        PageSource& kept = *other;
        if (kept.trace.empty()) kept.options = std::move(source.options);
        kept.trace += source.trace;
        kept.run_report += source.run_report;
        kept.measure = kept.measure || source.measure;
        kept.host_steps.insert(kept.host_steps.end(), source.host_steps.begin(), source.host_steps.end());
        kept.name += " + " + source.name;
        kept.files.insert(kept.files.end(), source.files.begin(), source.files.end());
        kept.passes.insert(kept.passes.end(), source.passes.begin(), source.passes.end());
        kept.notes.insert(kept.notes.end(), source.notes.begin(), source.notes.end());
    }
    return runs;
}

}  // namespace ttsim::impl::report
