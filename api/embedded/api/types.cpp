// Names of the enumerations.
#include <algorithm>
#include <cctype>
#include <ostream>
#include <tt_backend_api_types.hpp>

#include "api/embedded/api/names.hpp"

namespace tt {

namespace {

template <class T>
struct Name {
    T value;
    const char* text;
};

constexpr Name<DEVICE> devices[] = {{DEVICE::Model, "Model"},
                                    {DEVICE::Versim, "Versim"},
                                    {DEVICE::Silicon, "Silicon"},
                                    {DEVICE::Golden, "Golden"},
                                    {DEVICE::StaticAnalyzer, "StaticAnalyzer"},
                                    {DEVICE::Emulation, "Emulation"},
                                    {DEVICE::Invalid, "Invalid"}};
constexpr Name<DEVICE_MODE> modes[] = {{DEVICE_MODE::CompileAndRun, "CompileAndRun"},
                                       {DEVICE_MODE::CompileOnly, "CompileOnly"},
                                       {DEVICE_MODE::RunOnly, "RunOnly"}};
constexpr Name<DEVICE_STATUS_CODE> codes[] = {{DEVICE_STATUS_CODE::Success, "Success"},
                                              {DEVICE_STATUS_CODE::RuntimeError, "RuntimeError"},
                                              {DEVICE_STATUS_CODE::TimeoutError, "TimeoutError"}};
constexpr Name<DataFormat> formats[] = {
    {DataFormat::Float32, "Float32"},     {DataFormat::Float16, "Float16"},   {DataFormat::Bfp8, "Bfp8"},
    {DataFormat::Bfp4, "Bfp4"},           {DataFormat::Tf32, "Tf32"},         {DataFormat::Float16_b, "Float16_b"},
    {DataFormat::Bfp8_b, "Bfp8_b"},       {DataFormat::Bfp4_b, "Bfp4_b"},     {DataFormat::Int32, "Int32"},
    {DataFormat::UInt16, "UInt16"},       {DataFormat::Lf8, "Lf8"},           {DataFormat::Bfp2, "Bfp2"},
    {DataFormat::Int8, "Int8"},           {DataFormat::Bfp2_b, "Bfp2_b"},     {DataFormat::Fp8_e4m3, "Fp8_e4m3"},
    {DataFormat::UInt8, "UInt8"},         {DataFormat::RawUInt8, "RawUInt8"}, {DataFormat::RawUInt16, "RawUInt16"},
    {DataFormat::RawUInt32, "RawUInt32"}, {DataFormat::Invalid, "Invalid"}};
constexpr Name<COMPILE_FAILURE> failures[] = {{COMPILE_FAILURE::BriscCompile, "BriscCompile"},
                                              {COMPILE_FAILURE::EriscCompile, "EriscCompile"},
                                              {COMPILE_FAILURE::NriscCompile, "NriscCompile"},
                                              {COMPILE_FAILURE::Net2Pipe, "Net2Pipe"},
                                              {COMPILE_FAILURE::PipeGen, "PipeGen"},
                                              {COMPILE_FAILURE::BlobGen, "BlobGen"},
                                              {COMPILE_FAILURE::L1Size, "L1Size"},
                                              {COMPILE_FAILURE::OverlaySize, "OverlaySize"},
                                              {COMPILE_FAILURE::Firmware, "Firmware"},
                                              {COMPILE_FAILURE::Invalid, "Invalid"}};
constexpr Name<ARCH> archs[] = {{ARCH::JAWBRIDGE, "JAWBRIDGE"}, {ARCH::GRAYSKULL, "GRAYSKULL"},
                                {ARCH::WORMHOLE, "WORMHOLE"},   {ARCH::WORMHOLE_B0, "WORMHOLE_B0"},
                                {ARCH::BLACKHOLE, "BLACKHOLE"}, {ARCH::Invalid, "Invalid"}};

template <class T, std::size_t N>
const char* text_of(const Name<T> (&names)[N], T value) {
    for (const Name<T>& name : names)
        if (name.value == value) return name.text;
    return "Invalid";
}
template <class T, std::size_t N>
const T* value_of(const Name<T> (&names)[N], const std::string& text) {
    for (const Name<T>& name : names)
        if (text == name.text) return &name.value;
    return nullptr;
}

}  // namespace

DEVICE get_device_from_string(const std::string& name) {
    const DEVICE* found = value_of(devices, name);
    return found ? *found : DEVICE::Invalid;
}

DEVICE_MODE get_device_mode_from_string(const std::string& name) {
    if (const DEVICE_MODE* found = value_of(modes, name)) return *found;
    throw std::runtime_error("'" + name + "' is not a device mode; there are CompileAndRun, CompileOnly, RunOnly");
}

DataFormat get_format_from_string(const std::string& name) {
    const DataFormat* found = value_of(formats, name);
    return found && *found != DataFormat::Fp8_e4m3 ? *found : DataFormat::Invalid;
}

ARCH get_arch_from_string(const std::string& name) {
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    if (upper == "INVALID") return ARCH::Invalid;
    if (const ARCH* found = value_of(archs, upper)) return *found;
    std::string known;
    for (const Name<ARCH>& arch : archs)
        if (arch.value != ARCH::Invalid) known += (known.empty() ? "" : ", ") + get_string_lowercase(arch.value);
    throw std::runtime_error("'" + name + "' is not an arch; there are " + known);
}

std::string get_string(DEVICE device) { return text_of(devices, device); }
std::string get_string(DEVICE_MODE mode) { return text_of(modes, mode); }
std::string get_string(DEVICE_STATUS_CODE status) { return text_of(codes, status); }
std::string get_string(DataFormat format) { return text_of(formats, format); }
std::string get_string(COMPILE_FAILURE failure) { return text_of(failures, failure); }
std::string get_string(ARCH arch) { return text_of(archs, arch); }
std::string get_string_lowercase(ARCH arch) {
    std::string text = get_string(arch);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::ostream& operator<<(std::ostream& out, DEVICE device) { return out << get_string(device); }
std::ostream& operator<<(std::ostream& out, DEVICE_STATUS_CODE status) { return out << get_string(status); }
std::ostream& operator<<(std::ostream& out, DataFormat format) { return out << get_string(format); }
std::ostream& operator<<(std::ostream& out, ARCH arch) { return out << get_string(arch); }

}  // namespace tt

tt::ARCH tt_backend_api::arch_of_chip(const std::string& chip) {
    for (const auto& arch : tt::archs)
        if (tt::get_string_lowercase(arch.value) == chip) return arch.value;
    return tt::ARCH::Invalid;
}

tt::DataFormat tt_backend_api::format_named(const std::string& name) {
    if (const tt::DataFormat* found = tt::value_of(tt::formats, name)) return *found;
    throw std::runtime_error("'" + name + "' is not a data format");
}
