// Reports of the scheduler's decisions for an op and its edges, for --explain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ttsim::impl::ir {

/// One grid of an op.
struct CandidateReport {
    std::int64_t grid_r = 1, grid_c = 1;
    bool fits = true;  ///< if false, only the grid and `verdict` are set
    bool chosen = false;
    std::int64_t t = 1, ublock_rt = 1, ublock_ct = 1, mblock_m = 1, mblock_n = 1, u_kt = 1, m_k = 1;
    std::int64_t l1_bytes = 0;
    double kernel_cycles = 0, dram_cycles = 0, pipe_cycles = 0, filling_cycles = 0;  ///< per input
    std::string verdict;                                                             ///< reason for choice or rejection
    double cycles() const { return std::max({kernel_and_filling(), dram_cycles, pipe_cycles}); }
    const char* limited_by() const {
        return dram_cycles == cycles() && dram_cycles > kernel_and_filling()   ? "DRAM"
               : pipe_cycles == cycles() && pipe_cycles > kernel_and_filling() ? "pipes"
               : filling_cycles > kernel_cycles                                ? "filling"
                                                                               : "kernel";
    }

private:
    double kernel_and_filling() const { return kernel_cycles + filling_cycles; }
};

/// An operand that another op produces.
struct EdgeReport {
    std::string producer;
    std::size_t operand = 0;
    enum class Kind : std::uint8_t { Direct, ThroughDram, BetweenEpochs } kind = Kind::Direct;
    std::string why;                                ///< reason for a queue inside the epoch
    std::int64_t streams = 0, producer_phases = 0;  ///< from one core of the producer; only for direct edges
    std::int64_t consumer_phases = 0;               ///< into one core
    std::int64_t dram_buffers = 0;                  ///< DRAM buffers of queues that one core reads
};

struct Decision {
    std::string op, type;
    std::size_t epoch = 0;
    double target_cycles = 0;  ///< of the epoch; 0: none
    double link_cycles = 0;    ///< of the epoch's busiest NoC link, per input
    bool begins = false;
    std::int64_t usable_l1_bytes = 0;
    std::string why;                          ///< one sentence
    std::vector<CandidateReport> candidates;  ///< smallest grid first, then those that do not fit
    std::vector<EdgeReport> edges;
};

}  // namespace ttsim::impl::ir
