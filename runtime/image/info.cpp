#include "runtime/image/info.hpp"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace ttsim::impl::image {

namespace {

std::string list(const std::vector<std::int64_t>& all) { return fmt::format("[{}]", fmt::join(all, ", ")); }

std::string lists(const std::vector<Shape>& all) {
    std::vector<std::string> words;
    for (const Shape& shape : all) words.push_back(list(shape));
    return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string or_none(const std::string& text) { return text.empty() ? "None" : text; }

/// The shape of a microbatch: a leading 1 becomes its size.
std::vector<Shape> with_microbatch(std::vector<Shape> shapes, std::int64_t microbatch) {
    for (Shape& shape : shapes)
        if (!shape.empty() && shape.front() == 1) shape.front() = microbatch;
    return shapes;
}

}  // namespace

std::string info_text(const DeviceRecord& r) {
    return fmt::format(
        "Image Info...\n- Version Info:\n    - pybuda_version: {}\n    - pybuda_commit: {}\n    - buda_backend_commit: "
        "{}\n"
        "- Device Name: {}\n\nDevice Info...\n- arch: BackendDevice.{}\n- chip_ids: {}\n"
        "- backend device type: BackendType.{}\n- grid size: {}\n- harvested rows: {}\n\n"
        "Compilation Graph State...\n- training: {}\n- ordered input shapes: {}\n- ordered targets shapes: {}\n",
        or_none(r.release), or_none(r.commit), or_none(r.backend_commit), r.name, r.arch, list(r.chip_ids), r.devtype,
        list(r.grid_size), r.harvested_rows.empty() ? "None" : list(r.harvested_rows), r.training ? "True" : "False",
        lists(with_microbatch(r.input_shapes, r.microbatch)), lists(with_microbatch(r.target_shapes, r.microbatch)));
}

std::string info_text(const Summary& summary) {
    std::string text = info_text(summary.record);
    if (!summary.host.data.empty() || !summary.host.code.empty()) text += "\nHost Parts (computed by pybuda)...\n";
    for (const MemberSize& m : summary.host.data) text += fmt::format("- {}: data, {} bytes\n", m.name, m.bytes);
    for (const MemberSize& m : summary.host.code)
        text += fmt::format("- {}: code, {} bytes; pybuda runs it only with trust_host_parts=True\n", m.name, m.bytes);
    if (!summary.unread.empty()) text += "\nMembers That Are Not Read...\n";
    for (const MemberSize& m : summary.unread) text += fmt::format("- {}: {} bytes\n", m.name, m.bytes);
    return text;
}

std::string info_json(const Summary& summary) {
    using Json = nlohmann::ordered_json;
    const DeviceRecord& r = summary.record;
    const auto known = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    Json all;
    all["name"] = r.name;
    all["format_version"] = r.version;
    all["release"] = known(r.release);
    all["commit"] = known(r.commit);
    all["backend_commit"] = known(r.backend_commit);
    all["arch"] = r.arch;
    all["device_type"] = r.devtype;
    all["chip_ids"] = r.chip_ids;
    all["grid_size"] = r.grid_size;
    all["harvested_rows"] = r.harvested_rows;
    all["training"] = r.training;
    all["microbatch"] = r.microbatch;
    const auto tensors = [](const std::vector<std::string>& names, const std::vector<Shape>& shapes) {
        Json list = Json::array();
        for (std::size_t k = 0; k < names.size(); ++k)
            list.push_back({{"queue", names[k]}, {"shape", k < shapes.size() ? Json(shapes[k]) : Json(nullptr)}});
        return list;
    };
    all["inputs"] = tensors(r.inputs, r.input_shapes);
    all["outputs"] = tensors(r.outputs, r.output_shapes);
    all["targets"] = r.target_shapes;
    all["constants"] = r.constants.size();
    all["parameters"] = r.parameters.size();
    all["netlist"] = r.netlist;
    const auto members = [](const std::vector<MemberSize>& sizes) {
        Json list = Json::array();
        for (const MemberSize& m : sizes) list.push_back({{"member", m.name}, {"bytes", m.bytes}});
        return list;
    };
    all["host_parts"] = {{"data", members(summary.host.data)}, {"code", members(summary.host.code)}};
    all["not_read"] = members(summary.unread);
    return json_document(all);
}

}  // namespace ttsim::impl::image
