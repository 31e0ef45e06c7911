// Implementation of tt_backend.
#pragma once

#include <mutex>
#include <tt_backend.hpp>

#include "api/embedded/api/registry.hpp"

struct tt_backend::Impl {
    tt::tt_backend_config config;
    std::shared_ptr<tt::tt_device_image> image;                    ///< null: created from a netlist
    std::shared_ptr<tt_backend_api::Record> record;                ///< null: eager, before the first netlist
    std::vector<std::shared_ptr<tt_backend_api::Record>> earlier;  ///< eager: records of earlier netlists
    bool eager = false, initialized = false, finished = false;
    std::vector<std::string> no_programs;
    std::mutex mutex;  ///< guards `descriptors`
    std::map<std::string, tt::tt_dram_io_desc> descriptors;

    tt::bridge::Device& device() const;
    void load_netlist(const std::string& netlist_path);
    void compile(tt::tt_compile_result* result);
    void open(tt::tt_compile_result* result);
    void run(const std::string& program, const std::map<std::string, std::string>& parameters);
    tt::tt_dram_io_desc describe(const std::string& queue) const;
    void finish();
};
