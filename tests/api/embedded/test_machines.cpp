// Names of enumerations, parameters of machines, descriptors and coordinates.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/api/embedded/identity.hpp"

using namespace embedded_test;

TEST_CASE("enumerations and their names") {
    CHECK(get_device_from_string("Golden") == DEVICE::Golden);
    CHECK(get_device_from_string("golden") == DEVICE::Invalid);
    CHECK(get_device_mode_from_string("RunOnly") == DEVICE_MODE::RunOnly);
    CHECK_THROWS_AS(get_device_mode_from_string("Run"), std::runtime_error);
    CHECK(get_format_from_string("Bfp8_b") == DataFormat::Bfp8_b);
    CHECK(get_format_from_string("Fp8_e4m3") == DataFormat::Invalid);
    CHECK(get_format_from_string("bfp8_b") == DataFormat::Invalid);
    CHECK(get_arch_from_string("Wormhole_b0") == ARCH::WORMHOLE_B0);
    CHECK_THROWS_WITH(get_arch_from_string("hole"),
                      "'hole' is not an arch; there are jawbridge, grayskull, wormhole, wormhole_b0, blackhole");
    CHECK(get_string(ARCH::GRAYSKULL) == "GRAYSKULL");
    CHECK(get_string_lowercase(ARCH::WORMHOLE_B0) == "wormhole_b0");
    std::ostringstream out;
    out << ARCH::BLACKHOLE << " " << DEVICE::Silicon << " " << DEVICE_STATUS_CODE::TimeoutError << " "
        << DataFormat::RawUInt16;
    CHECK(out.str() == "BLACKHOLE Silicon TimeoutError RawUInt16");
    CHECK(static_cast<int>(DataFormat::UInt8) == 30);
    CHECK(static_cast<int>(DataFormat::RawUInt32) == 0xf2);
    CHECK(tt_PytorchTensorDesc{}.dim == 4);
    CHECK(tt_backend_config{}.output_dir == "tt_build/test_out");
}

TEST_CASE("parameters of machines") {
    using backend::get_backend_param;
    CHECK(get_backend_param("grayskull-t6-grid_size") == "12-10");
    CHECK(get_backend_param("Wormhole_B0-T6-Grid_Size") == "8-10");
    CHECK(get_backend_param("wormhole_b0-dram-num_channels") == "6");
    CHECK(get_backend_param("grayskull-dram-num_channels") == "8");
    CHECK(get_backend_param("system-device-number_of_chips") == "1");
    CHECK_THROWS_WITH(get_backend_param("grayskull-t6-grid_siz"), Catch::Contains("grayskull-t6-grid_size"));
    CHECK(std::stoi(get_backend_param("*")) > 30);

    Folder folder;
    const param::DeviceDesc desc = backend::get_custom_device_desc(ARCH::GRAYSKULL, true, 6, {0, 0}, folder / "descs");
    CHECK(desc.mmio);
    CHECK(desc.harvesting_mask == 6);
    CHECK(get_backend_param("grayskull-t6-grid_size", desc.soc_desc_yaml) == "12-8");
    CHECK(get_backend_param("system-device0-harvesting_mask", desc.soc_desc_yaml) == "6");
    CHECK_THROWS_WITH(backend::get_custom_device_desc(ARCH::GRAYSKULL, true, 6, {12, 10}, folder / "descs"),
                      Catch::Contains("12 columns and 8 rows"));
    CHECK_THROWS_WITH(backend::get_custom_device_desc(ARCH::GRAYSKULL, true, 1, {0, 0}, folder / "descs"),
                      Catch::Contains("row 0"));

    CHECK(get_backend_param("grayskull-t6-grid_size", desc.soc_desc_yaml, "", folder / "saved.yaml", true) == "12-8");
    CHECK_THROWS_AS(get_backend_param("*", "", "", "", true), std::runtime_error);
    backend::clear_backend_param_cache_v2();
    CHECK(get_backend_param("grayskull-t6-grid_size", "", "", folder / "saved.yaml") == "12-8");
}

TEST_CASE("Blackhole and chips of configuration folders are devices") {
    ::setenv("TTSIM_DEVICE", "p150a", 1);
    CHECK(backend::detect_available_devices() == std::vector<ARCH>{ARCH::BLACKHOLE});
    CHECK(backend::get_tile_size_in_bytes(DataFormat::Float16_b, false) == 2048 + 64);
    CHECK(backend::get_io_size_in_bytes(DataFormat::Float16_b, false, 1, 1, 1, 1, 1, 2) == 2 * 2112 + 64);
    CHECK(backend::get_next_aligned_address(33) == 64);
    CHECK(backend::get_next_aligned_address(65) == 128);
    CHECK(backend::get_backend_param("blackhole-t6-grid_size") == "14-10");
    ::setenv("TTSIM_CONFIG_DIR", TTSIM_EXAMPLES "/own_chip", 1);
    ::setenv("TTSIM_DEVICE", "tiny", 1);
    CHECK(backend::detect_available_devices() == std::vector<ARCH>{ARCH::Invalid});  // not of the original
    backend::clear_backend_param_cache_v2();
    CHECK(backend::get_backend_param("tiny-t6-grid_size") == "5-4");
    ::unsetenv("TTSIM_CONFIG_DIR");
    ::unsetenv("TTSIM_DEVICE");
    backend::clear_backend_param_cache_v2();
    CHECK_THROWS_WITH(backend::get_custom_device_desc(ARCH::JAWBRIDGE, true, 0, {0, 0}, "descs"),
                      Catch::Contains("no chip 'jawbridge'") && Catch::Contains("known: blackhole, grayskull"));
}

TEST_CASE("devices that are there, simulated") {
    Folder folder;
    CHECK(backend::detect_available_devices() == std::vector<ARCH>{ARCH::WORMHOLE_B0});
    ::setenv("TTSIM_DEVICE", "wh_n300", 1);
    const auto descs = backend::get_device_descs_for_available_devices(folder / "descs");
    REQUIRE(descs.size() == 2);
    CHECK(descs[0].harvesting_mask == 2052);
    CHECK(descs[1].harvesting_mask == 2176);
    const std::string cluster = backend::get_device_cluster_yaml_v2(folder / "descs");
    CHECK(backend::get_backend_param("system-device-number_of_chips", "", cluster) == "2");
    CHECK(backend::get_backend_param("system-device-num_mmio_devices", "", cluster) == "1");
    ::setenv("TTSIM_DEVICE", "wh_n500", 1);
    CHECK_THROWS_WITH(backend::detect_available_devices(),
                      Catch::Contains("wh_n500") && Catch::Contains("products: gs_e75"));
    ::unsetenv("TTSIM_DEVICE");

    // a backend on such a descriptor
    Identity o;
    tt_backend_config config = config_for(DEVICE::Silicon, folder);
    config.soc_descriptor_path = descs[0].soc_desc_yaml;
    const auto device = tt_backend::create(folder.write("n.yaml", text_of(o)), config);
    CHECK(device->initialize() == Success);
}

TEST_CASE("places of cores") {
    Folder folder;
    const auto desc = backend::get_custom_device_desc(ARCH::WORMHOLE_B0, true, 0, {8, 10}, folder / "descs");
    const auto to_noc = [&](int x, int y) {
        return backend::translate_coord_logical_to_routing(desc.soc_desc_yaml, {x, y});
    };
    CHECK(to_noc(0, 0) == std::pair{1, 1});
    CHECK(to_noc(4, 1) == std::pair{6, 2});
    CHECK(to_noc(7, 9) == std::pair{9, 11});
    CHECK_THROWS_AS(to_noc(8, 0), std::runtime_error);
    CHECK(backend::translate_coord_routing_to_logical(desc.soc_desc_yaml, {6, 2}) == std::pair{4, 1});
    CHECK_THROWS_AS(backend::translate_coord_routing_to_logical(desc.soc_desc_yaml, {5, 2}), std::runtime_error);
    CHECK_THROWS_AS(backend::translate_coord_logical_to_routing(folder / "none.yaml", {0, 0}), std::runtime_error);
}
