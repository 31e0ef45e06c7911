#include "api/embedded/api/backend_options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

namespace tt_backend_api {

namespace {

using tt::DEVICE;

bool is_there(DEVICE type) {
    return type == DEVICE::Golden || type == DEVICE::Silicon || type == DEVICE::Versim || type == DEVICE::Emulation ||
           type == DEVICE::Model;
}

bool to_number(const std::string& text, std::int64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

void take_arguments(const std::string& text, tt::bridge::DeviceOptions& options) {
    static const std::set<std::string> of_the_original{"--skip-io-init", "--skip-overlap-check", "--concurrent-mode",
                                                       "--skip-device-init", "--skip-device-shutdown"};
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (of_the_original.count(word)) continue;
        if (word == "--functional") {
            options.functional = true;
        } else if (word == "--exact") {
            options.exact = true;
        } else if (std::string value; word == "--threads" && words >> value) {
            std::int64_t number = 0;
            if (!to_number(value, number) || number < 0 || number > std::numeric_limits<unsigned>::max())
                throw std::runtime_error("runtime_args: --threads " + value + ": a number is wanted, 0 or more");
            options.threads = static_cast<unsigned>(number);
        } else {
            throw std::runtime_error("runtime_args: '" + word +
                                     "' is not known; there are --functional, --exact and --threads N");
        }
    }
}

}  // namespace

tt::bridge::DeviceOptions options_of(const tt::tt_backend_config& config) {
    if (!is_there(config.type))
        throw std::runtime_error(
            "backend type " + tt::get_string(config.type) +
            ": Not Supported Yet; there are Golden, and Silicon, Versim, Emulation and Model, which "
            "are simulated");
    if (config.optimization_level < 0 || config.optimization_level > 4)
        throw std::runtime_error("optimization_level " + std::to_string(config.optimization_level) + ": 0 to 4");
    tt::bridge::DeviceOptions options;
    options.golden = config.type == DEVICE::Golden;
    options.float32 = options.golden && config.ignore_data_format_precision;
    if (config.arch != tt::ARCH::Invalid) options.arch = tt::get_string_lowercase(config.arch);
    options.soc = config.soc_descriptor_path;
    options.cluster = config.cluster_descriptor_path;
    for (const auto& [chip, rows] : config.harvested_rows) options.harvested[chip] = rows;
    if (!config.perf_desc_args.empty()) options.trace_file = config.output_dir + "/perf.ttperf";
    take_arguments(config.runtime_args, options);
    return options;
}

std::map<std::string, std::int64_t> parameters_of(const std::string& program, const std::vector<std::string>& declared,
                                                  const std::map<std::string, std::string>& given) {
    std::map<std::string, std::int64_t> values;
    for (const std::string& name : declared) {
        const auto found = given.find(name);
        if (found == given.end())
            throw std::runtime_error("program '" + program + "' needs a value of its parameter " + name);
        const std::string& text = found->second;
        const bool is_true = text == "True" || text == "true", is_false = text == "False" || text == "false";
        if (!is_true && !is_false && !to_number(text, values[name]))
            throw std::runtime_error("program '" + program + "', parameter " + name + ": '" + text +
                                     "' is neither an integer nor True nor False");
        if (is_true || is_false) values[name] = is_true ? 1 : 0;
    }
    return values;
}

}  // namespace tt_backend_api
