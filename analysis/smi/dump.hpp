// Readings over time as tables: the columns of the TT-SMI guide, then additional columns of the simulator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/smi/sample.hpp"

namespace ttsim::impl::smi {

using Cell = std::optional<double>;  ///< no value: N/A

class Dump {
public:
    /// Adds one row per chip. `timestamp`: seconds, in the first column.
    void add(double timestamp, const Sample& sample);
    std::size_t rows() const { return rows_.size(); }
    std::string csv() const;
    /// Writes the table as a workbook. Throws Error(Input) when the file cannot be written.
    void write_xlsx(const std::string& file) const;

private:
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace ttsim::impl::smi
