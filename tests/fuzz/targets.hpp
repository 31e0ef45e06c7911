// Fuzz targets: one function each, in target_NAME.cpp. A target reads any bytes; the only failures are a crash, a hang
// and an internal error, which is thrown. fuzz_main.cpp runs one of them under libFuzzer, test_replay.cpp all of
// them over their corpora, corpus/NAME/, without it.
#pragma once

#include <string>

#include "base/error.hpp"

namespace ttsim::impl::fuzz {

struct Target {
    const char* name;
    void (*run)(const std::string& bytes);
};

void netlist(const std::string& bytes);
void onnx(const std::string& bytes);
void onnx_file(const std::string& bytes);
void graph(const std::string& bytes);
void npy(const std::string& bytes);
void rules(const std::string& bytes);
void soc(const std::string& bytes);
void cluster(const std::string& bytes);
void noc_traffic(const std::string& bytes);
void trace(const std::string& bytes);
void tti(const std::string& bytes);
void tti_merge(const std::string& bytes);
void exports(const std::string& bytes);
void compiled(const std::string& bytes);
void server(const std::string& bytes);

inline constexpr Target targets[] = {
    {"netlist", netlist}, {"onnx", onnx},         {"onnx_file", onnx_file},
    {"graph", graph},     {"npy", npy},           {"rules", rules},
    {"soc", soc},         {"cluster", cluster},   {"noc_traffic", noc_traffic},
    {"trace", trace},     {"tti", tti},           {"tti_merge", tti_merge},
    {"exports", exports}, {"compiled", compiled}, {"server", server},
};

/// Does the work; refusing wrong or unsupported input is a valid outcome.
template <class Work>
void answer(Work work) {
    try {
        work();
    } catch (const Error& error) {
        if (error.fault() == Fault::Internal) throw;
    }
}

}  // namespace ttsim::impl::fuzz
