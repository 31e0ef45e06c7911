#include "compiler/result_folder.hpp"

#include <fmt/ranges.h>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "compiler/lower/lowering.hpp"
#include "netlist/manifest.hpp"
#include "netlist/npy.hpp"
#include "netlist/writer.hpp"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace tt::ir {

namespace {

/// A folder that takes its final name when all is written, and vanishes otherwise.
class NewFolder {
public:
    explicit NewFolder(const std::string& name) : final_(name) {
        while (!final_.has_filename() && final_.has_parent_path()) final_ = final_.parent_path();  // "out/"
        made_ = final_;
        made_ += ".partial";
        std::error_code code;
        if (fs::exists(final_, code) && !fs::is_empty(final_, code) && !fs::exists(final_ / "host_steps.json", code))
            fail_input({name, 0, 0}, "the folder holds something else than an earlier result; it is left as it is");
        fs::remove_all(made_, code);
        if (!fs::create_directories(made_, code)) fail_input({name, 0, 0}, "the folder cannot be made");
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;
    ~NewFolder() {
        std::error_code code;
        if (!done_) fs::remove_all(made_, code);
    }
    const fs::path& path() const { return made_; }
    void finish() {
        std::error_code code;
        fs::remove_all(final_, code);
        fs::rename(made_, final_, code);
        if (code) fail_input({final_.string(), 0, 0}, "the folder cannot be written: {}", code.message());
        done_ = true;
    }

private:
    fs::path final_, made_;
    bool done_ = false;
};

void write_text(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) fail_input({file.string(), 0, 0}, "the file cannot be written");
}

void write_array(const fs::path& file, Tensor tensor, bool bits = false) {
    QueueArray array;
    array.integer = array.raw = bits;
    array.z = tensor.z;
    array.rows = tensor.rows;
    array.cols = tensor.cols;
    array.entries.push_back(std::move(tensor));
    write_npy(file.string(), array);
}

/// Values of an input nobody gave: small numbers, whole where the type is.
Literal generated(const Type& type, std::uint32_t seed) {
    Literal literal(type.dtype, type.dims);
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < literal.size(); ++i) {
        const double unit = static_cast<double>(random()) / 4294967296.0;
        literal.set(i, is_float(type.dtype)        ? 2 * unit - 1
                       : type.dtype == DType::Bool ? (unit < 0.5 ? 0 : 1)
                                                   : std::floor(unit * 10));
    }
    return literal;
}

/// The values as the input wants them: .npy files hold bf16 as the bits of u16.
Literal fitted(const Literal& given, const Type& type, const std::string& file, const std::string& name) {
    if (given.dims() != type.dims)
        fail_input({file, 0, 0}, "its shape is [{}]; input '{}' is {}", fmt::join(given.dims(), ", "), name,
                   to_string(type));
    const bool bits = type.dtype == DType::BF16 && given.dtype() == DType::U16;
    if (is_float(given.dtype()) != is_float(type.dtype) && !bits)
        fail_input({file, 0, 0}, "its elements are {}; input '{}' is {}", to_string(given.dtype()), name,
                   to_string(type));
    if (!bits) return given;
    Literal out(DType::BF16, type.dims);
    for (std::size_t i = 0; i < out.floats().size(); ++i)
        out.floats()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(given.whole()[i]) << 16);
    return out;
}

Tensor in_form(const Literal& literal) {
    const Form form = form_of(literal.dims());
    Tensor tensor(form.z, form.full_rows(), form.full_cols());
    for (std::int64_t z = 0; z < form.z; ++z)
        for (std::int64_t r = 0; r < form.rows; ++r)
            for (std::int64_t c = 0; c < form.cols; ++c)
                tensor.data[static_cast<std::size_t>((z * form.full_rows() + r) * form.full_cols() + c)] =
                    static_cast<float>(literal.at((z * form.rows + r) * form.cols + c));
    return tensor;
}

ordered_json steps_json(const BoundTensor& tensor, bool input) {
    const Form form = form_of(tensor.type.dims);
    ordered_json item;
    item["name"] = tensor.name;
    item["dtype"] = std::string(to_string(tensor.type.dtype));
    item["dims"] = tensor.type.dims;
    item["queue"] = tensor.queue;
    item["matrix"] = {form.z, form.rows, form.cols};
    item["steps"] = input ? std::vector<std::string>{"convert to float32", "fill up to tiles"}
                          : std::vector<std::string>{"cut to the matrix", "convert to the element type"};
    return item;
}

std::string step_text(const BoundTensor& tensor, bool input) {
    const Form form = form_of(tensor.type.dims);
    return fmt::format("{} '{}' {}: {} queue '{}' as {} x {} x {} datums {} whole tiles", input ? "input" : "output",
                       tensor.name, to_string(tensor.type), input ? "into" : "from", tensor.queue, form.z, form.rows,
                       form.cols, input ? "filled up to" : "cut from");
}

void write_inputs(const CompileOptions& options, const EmittedModel& model,
                  const std::map<std::string, Literal>& values, const fs::path& folder, Manifest& manifest) {
    std::uint32_t seed = options.seed;
    for (const BoundTensor& input : model.inputs) {
        const auto given = values.find(input.name);
        ++seed;
        const std::string file = npy_name(input.queue);
        write_array(folder / file, in_form(given == values.end() ? generated(input.type, seed)
                                                                 : fitted(given->second, input.type,
                                                                          options.inputs.at(input.name), input.name)));
        manifest.inputs.push_back({input.queue, file, 0});
    }
}

}  // namespace

std::vector<std::string> write_result(const CompileOptions& options, const EmittedModel& model,
                                      const std::map<std::string, Literal>& values) {
    NewFolder folder(options.out);
    Manifest manifest;
    manifest.netlist = "netlist.yaml";
    manifest.arch = model.netlist.archs.front();
    manifest.programs = {"run_fwd_0"};
    manifest.params = {{"$p_loop_count", 1}};
    write_inputs(options, model, values, folder.path(), manifest);
    for (const auto& [queue, literal, bits] : model.constants) {
        Tensor tensor;
        tensor.z = literal->dims()[0];
        tensor.rows = literal->dims()[1];
        tensor.cols = literal->dims()[2];
        tensor.data = literal->floats();
        const std::string file = npy_name(queue);
        write_array(folder.path() / file, std::move(tensor), bits);
        manifest.inputs.push_back({queue, file, 0});
    }
    write_manifest(folder.path().string(), manifest);
    write_text(folder.path() / "netlist.yaml", "# " + options.command + "\n" + write_netlist(model.netlist));

    ordered_json steps;
    std::vector<std::string> lines;
    steps["inputs"] = ordered_json::array();
    steps["outputs"] = ordered_json::array();
    for (const BoundTensor& input : model.inputs) {
        steps["inputs"].push_back(steps_json(input, true));
        lines.push_back(step_text(input, true));
    }
    for (const BoundTensor& output : model.outputs) {
        steps["outputs"].push_back(steps_json(output, false));
        lines.push_back(step_text(output, false));
    }
    write_text(folder.path() / "host_steps.json", steps.dump(1) + "\n");
    folder.finish();
    return lines;
}

}  // namespace tt::ir
