#include "analysis/exports/visualizer_tables.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "analysis/exports/text_files.hpp"
#include "base/error.hpp"
#include "netlist/device/descriptor_text.hpp"

namespace ttsim::impl::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* visualizer_schema = R"(
CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
  worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,
  address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int,
  total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int,
  total_l1_for_sharded_buffers int, cb_limit int);
CREATE TABLE operations (operation_id int UNIQUE, name text, duration float);
CREATE TABLE operation_arguments (operation_id int, name text, value text);
CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int,
  address int, buffer_type int);
CREATE TABLE device_tensors (tensor_id int, device_id int, address int);
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,
  buffer_layout int);
CREATE TABLE buffer_pages (operation_id int, device_id int, address int, core_y int, core_x int, bank_id int,
  page_index int, page_address int, page_size int, buffer_type int);
CREATE TABLE captured_graph (operation_id int, captured_graph text);
CREATE TABLE nodes (operation_id int, unique_id int, node_operation_id int, name text);
CREATE TABLE edges (operation_id int, source_unique_id int, sink_unique_id int, source_output_index int,
  sink_input_index int, key int);
CREATE TABLE stack_traces (operation_id int, stack_trace text);
CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,
  timestamp text);
CREATE TABLE report_metadata (key text UNIQUE, value text);
CREATE TABLE local_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches int, desired_pcc float,
  actual_pcc float);
CREATE TABLE global_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches int, desired_pcc float,
  actual_pcc float);
)";

}  // namespace

VisualizerTables::VisualizerTables(const std::string& file) : database_(file, file, trace::Database::Open::Write) {
    database_.run(visualizer_schema);
    database_.run("BEGIN");
}

void VisualizerTables::insert(const std::string& table, const Json& row) {
    auto& statement = inserts_[table];
    if (!statement) {
        std::string marks = "?";
        for (std::size_t n = 1; n < row.size(); ++n) marks += ",?";
        statement =
            std::make_unique<trace::Statement>(database_, fmt::format("INSERT INTO {} VALUES ({})", table, marks));
    }
    std::vector<std::string> texts;
    texts.reserve(row.size());
    for (std::size_t n = 0; n < row.size(); ++n) {
        const int at = static_cast<int>(n) + 1;
        if (row[n].is_null())
            statement->bind_null(at);
        else if (row[n].is_number_float())
            statement->bind(at, row[n].get<double>());
        else if (row[n].is_number())
            statement->bind(at, row[n].get<std::int64_t>());
        else
            statement->bind(at, std::string_view(texts.emplace_back(row[n].get<std::string>())));
    }
    statement->run();
}

void VisualizerTables::close() {
    inserts_.clear();
    database_.run("COMMIT");
    database_.close();
}

std::string captured_graph(const std::string& device_operation, std::size_t inputs) {
    const auto node = [](int counter, const char* type, const Json& params, const Json& next, int level) {
        return Json{{"counter", counter},
                    {"node_type", type},
                    {"params", params},
                    {"connections", next},
                    {"stacking_level", level}};
    };
    const std::string count = fmt::format("{}", inputs);
    return Json::array({node(0, "capture_start", Json::object(), {1, 3}, 0),
                        node(1, "function_start", {{"name", device_operation}, {"inputs", count}}, {2}, 1),
                        node(2, "function_end", {{"name", device_operation}}, {3}, 1),
                        node(3, "capture_end", Json::object(), Json::array(), 0)})
        .dump();
}

void write_cluster(const std::string& folder, const Machine& machine) {
    write_text(folder, "cluster_descriptor.yaml", cluster_descriptor_text(machine));
}

/// The machine of a report: its product, with as many chips as its devices need.
static Machine machine_of(const Json& report) {
    const Json& config = report.at("config");
    MachineOptions options{.device = config.value("device", "")};
    if (const auto devices = report.at("tables").find("devices"); devices != report.at("tables").end())
        for (const Json& row : *devices) options.chips = std::max(options.chips, row.at(0).get<std::int64_t>() + 1);
    return make_machine(config.value("arch", ""), options);
}

void write_visualizer(const std::string& folder, const Json& report) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) fail_input({folder}, "cannot be created: {}", failed.message());
    const std::filesystem::path file = std::filesystem::path(folder) / "db.sqlite";
    std::filesystem::remove(file, failed);
    VisualizerTables tables(file.string());
    for (const auto& [table, rows] : report.at("tables").items())
        for (const Json& row : rows) tables.insert(table, row);
    if (const auto launched = report.find("device_operations"); launched != report.end())
        for (const Json& row : *launched)
            tables.insert("captured_graph",
                          {row.at(0), captured_graph(row.at(1).get<std::string>(), row.at(2).get<std::size_t>())});
    tables.close();
    write_json(folder, "config.json", report.at("config"));
    write_cluster(folder, machine_of(report));
}

}  // namespace ttsim::impl::report
