// Enumerations of the embedded runtime and their names.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#define TT_BACKEND_API __attribute__((visibility("default")))

namespace tt {

/// Golden: whole tensors in float32, no clock. Silicon, Versim, Emulation and Model: the simulated chip.
enum class DEVICE : std::uint8_t {
    Model = 0,
    Versim = 1,
    Silicon = 2,
    Golden = 3,
    StaticAnalyzer = 4,
    Emulation = 5,
    Invalid = 0xFF
};
enum class DEVICE_MODE : std::uint8_t { CompileAndRun = 0, CompileOnly = 1, RunOnly = 2 };
/// TimeoutError: a positive timeout has expired. It counts real time in which the simulated device is blocked; time of
/// simulation does not count.
enum class DEVICE_STATUS_CODE : std::uint8_t { Success = 0, RuntimeError = 1, TimeoutError = 2 };
/// Owner of a tensor's memory. tt::backend::free_tensor() frees memory of the Backend.
enum class OWNERSHIP : std::uint8_t { Frontend = 0, Backend = 1 };
enum class IO_TYPE : std::uint8_t { Queue, RandomAccess, Invalid };
enum class IO_LAYOUT : std::uint8_t { Tilized, Flat, Invalid };
/// a formats: Float16, Bfp8, Bfp4, Bfp2 (5 exponent bits); b formats: Float16_b, Bfp8_b, Bfp4_b, Bfp2_b (8).
enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    Fp8_e4m3 = 0x1A,
    UInt8 = 30,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff
};
/// Rows x columns.
enum class TileDim : std::uint8_t {
    Dim32x32 = 0,
    Dim16x32 = 1,
    Dim32x16 = 2,
    Dim8x32 = 3,
    Dim4x32 = 4,
    Dim2x32 = 5,
    Dim1x32 = 6,
    Invalid = 0xff
};
enum class MemBarType : std::uint8_t { host_cluster, device_device, host_device_dram, host_device_l1 };
enum class COMPILE_FAILURE : std::uint32_t {
    BriscCompile = 0,
    EriscCompile = 1,
    NriscCompile = 2,
    Net2Pipe = 3,
    PipeGen = 4,
    BlobGen = 5,
    L1Size = 6,
    OverlaySize = 7,
    Firmware = 8,
    Invalid = 0xFFFF
};
enum class ARCH : std::uint8_t {
    JAWBRIDGE = 0,
    GRAYSKULL = 1,
    WORMHOLE = 2,
    WORMHOLE_B0 = 3,
    BLACKHOLE = 4,
    Invalid = 0xFF
};

/// Case-sensitive; Invalid for an unknown name.
TT_BACKEND_API DEVICE get_device_from_string(const std::string& name);
/// Case-sensitive; throws std::runtime_error for an unknown name.
TT_BACKEND_API DEVICE_MODE get_device_mode_from_string(const std::string& name);
/// Case-sensitive; Invalid for an unknown name, and for Fp8_e4m3.
TT_BACKEND_API DataFormat get_format_from_string(const std::string& name);
/// Case-insensitive; throws std::runtime_error for an unknown name.
TT_BACKEND_API ARCH get_arch_from_string(const std::string& name);
TT_BACKEND_API std::string get_string(DEVICE device);
TT_BACKEND_API std::string get_string(DEVICE_MODE mode);
TT_BACKEND_API std::string get_string(DEVICE_STATUS_CODE status);
TT_BACKEND_API std::string get_string(DataFormat format);
TT_BACKEND_API std::string get_string(COMPILE_FAILURE failure);
TT_BACKEND_API std::string get_string(ARCH arch);            ///< upper case
TT_BACKEND_API std::string get_string_lowercase(ARCH arch);  ///< lower case, as in netlists
TT_BACKEND_API std::ostream& operator<<(std::ostream& out, DEVICE device);
TT_BACKEND_API std::ostream& operator<<(std::ostream& out, DEVICE_STATUS_CODE status);
TT_BACKEND_API std::ostream& operator<<(std::ostream& out, DataFormat format);
TT_BACKEND_API std::ostream& operator<<(std::ostream& out, ARCH arch);

}  // namespace tt
