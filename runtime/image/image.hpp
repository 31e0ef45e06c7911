// A device image: one file with a compiled model, its weights and the machine it was compiled for (docs/tti.md).
// CompiledModel --write_image--> model.tti --read_image--> Image --> Model, ttsim run
// An image from another compiler has no host part of ttsim; the host steps are then derived from device.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/folder_lock.hpp"
#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"
#include "runtime/image/archive.hpp"
#include "runtime/image/device_record.hpp"
#include "runtime/image/member_list.hpp"
#include "runtime/image/tilized.hpp"

namespace ttsim::impl::image {

inline constexpr const char* image_extension = ".tti";
/// Whether the file name has the extension of an image.
bool is_image_name(const std::string& path);

/// .bin or .tbin files.
enum class TensorFormat : std::uint8_t { Backend, Tilized };

struct ImageOptions {
    TensorFormat format = TensorFormat::Backend;
    std::string release{};                ///< version of the program that writes it
    Tilizer tilizer{};                    ///< Tilized
    std::string netlist{};                ///< file name in the image; "" = netlist.yaml
    std::string device_type = "Silicon";  ///< recorded device type, one of device_types()
    std::string device_name = "tt0";
    std::map<std::string, std::string> host_files{};  ///< host computations of a Python program: is_host_file()
};

/// Writes a temporary file and renames it. Throws Error(Input) if it cannot be written, for an unknown device type, and
/// if the device is a user-defined chip, which an image cannot contain.
void write_image(const ir::CompiledModel& model, const std::string& file, const ImageOptions& options);

/// The same for a given machine.
void write_image(const ir::CompiledModel& model, const Machine& machine, const std::string& file,
                 const ImageOptions& options);

struct Image {
    ir::CompiledModel model;
    Machine machine;
    DeviceRecord record;
    std::map<std::string, SharedBytes> host_files;  ///< by name below module_files/
    std::vector<MemberSize> unread;
};
/// Reads an archive or an unpacked image. Throws Error(Input, Unsupported) at a member that is missing, damaged or
/// inconsistent.
Image read_image(const std::string& path);
/// The same for members in memory.
Image read_image(const Members& members);

/// The parts of an image for the device, without the host's handling of inputs and outputs.
struct DevicePart {
    DeviceRecord record;
    Machine machine;
    Netlist netlist;   ///< as read
    std::string text;  ///< of the netlist
    std::optional<OwnPart> own;
    std::vector<ir::QueueConstant> constants;
};
/// Throws as read_image() does.
DevicePart read_device_part(const Members& members);

/// Reads an archive or an unpacked image. Throws as read_archive() and read_tree() do.
Members read_members(const std::string& path);

/// Description of an image with verified members.
struct Summary {
    DeviceRecord record;
    std::string record_text;  ///< device.json
    HostFiles host;
    std::vector<MemberSize> unread;
};
/// Throws as read_image() does.
Summary read_summary(const std::string& path);

/// Unpacks an image into `folder`/unzipped_tti, with the SHA-256 of the archive in checksum.txt. Replaces only an
/// earlier unpacking. If other processes use that (base/folder_lock.hpp), it is kept if it is of the same image. No
/// other process replaces the folder during the lifetime of the result. Throws Error(Input).
FolderLockPtr extract_image(const std::string& file, const std::string& folder);
/// Packs such a folder, changed or not, into an image with new checksums. Throws Error(Input, Unsupported) if the
/// result would not be readable.
void pack_image(const std::string& folder, const std::string& file);

}  // namespace ttsim::impl::image
