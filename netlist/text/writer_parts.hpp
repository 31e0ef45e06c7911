// Shared by the parts of the writer.
#pragma once

#include <string>
#include <vector>

#include "netlist/netlist.hpp"

namespace ttsim::impl::writing {

/// A YAML scalar: plain if possible, otherwise in double quotes.
std::string yaml_scalar(const std::string& text);
std::string number(double value);
std::string list(const std::vector<std::int64_t>& items);
std::string list(const std::vector<std::string>& items);

/// "{a: 1, b: 2}", built pair by pair.
class FlowMap {
public:
    void add(const std::string& key, const std::string& value) {
        text_ += (text_.empty() ? "" : ", ") + key + ": " + value;
    }
    void add(const std::string& key, std::int64_t value) { add(key, std::to_string(value)); }
    bool empty() const { return text_.empty(); }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

/// Attributes that differ from their defaults, those of the op type first.
FlowMap attributes(const OpAttributes& attr, std::string_view type);
std::string test_config(const TestConfig& test);
std::string performance_check(const std::vector<PerformanceCheck>& checks);

}  // namespace ttsim::impl::writing
