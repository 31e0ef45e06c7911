// A device image: one file with a compiled model, its weights and the machine it was compiled for (docs/tti.md).
//
//   CompiledModel --write_image--> model.tti --read_image--> Image --> Model, ttsim run
//
// An image of others holds no host part of ours; what the host does is then made of what device.json says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/folder_hold.hpp"
#include "compiler/model/compiled_model.hpp"
#include "netlist/device/device.hpp"
#include "runtime/image/archive.hpp"
#include "runtime/image/device_record.hpp"
#include "runtime/image/member_list.hpp"
#include "runtime/image/tilized.hpp"

namespace ttsim::impl::image {

inline constexpr const char* image_extension = ".tti";
/// Whether a name is that of an image.
bool is_image_name(const std::string& path);

/// .bin or .tbin files.
enum class TensorFormat : std::uint8_t { Backend, Tilized };

struct ImageOptions {
    TensorFormat format = TensorFormat::Backend;
    std::string release{};                ///< of the program that writes it
    Tilizer tilizer{};                    ///< Tilized
    std::string netlist{};                ///< file name in the image; "" = netlist.yaml
    std::string device_type = "Silicon";  ///< that the image is said to be for, of device_types()
    std::string device_name = "tt0";
    std::map<std::string, std::string> host_files{};  ///< what a program computes around the device: is_host_file()
};

/// Writes beside the file and renames. Throws Error(Input) when it cannot be written, for a type of device there is
/// not, and when its device is a chip of the user's own, which an image does not hold.
void write_image(const ir::CompiledModel& model, const std::string& file, const ImageOptions& options);

/// The same for a machine that is known.
void write_image(const ir::CompiledModel& model, const Machine& machine, const std::string& file,
                 const ImageOptions& options);

struct Image {
    ir::CompiledModel model;
    Machine machine;
    DeviceRecord record;
    std::map<std::string, SharedBytes> host_files;  ///< by their names below module_files/
    std::vector<MemberSize> unread;
};
/// Of an archive, or of the folder into which one was unpacked. Throws Error(Input, Unsupported) at the member that is
/// missing, damaged or does not fit the others.
Image read_image(const std::string& path);
/// The same of members that are in memory.
Image read_image(const Members& members);

/// What of an image the device needs, whatever the host does with its inputs and outputs.
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

/// Of an archive, or of the folder into which one was unpacked. Throws as read_archive() and read_tree() do.
Members read_members(const std::string& path);

/// Description of an image, its members checked.
struct Summary {
    DeviceRecord record;
    std::string record_text;  ///< device.json
    HostFiles host;
    std::vector<MemberSize> unread;
};
/// Throws as read_image() does.
Summary read_summary(const std::string& path);

/// Unpacks an image into `folder`/unzipped_tti, with the SHA-256 of the archive in checksum.txt there. Replaces an
/// earlier unpacking and nothing else; where other processes use one (a hold, base/folder_hold.hpp), it stays if it is
/// of the same image. As long as the result lives, no other process replaces the folder. Throws Error(Input).
FolderHoldPtr extract_image(const std::string& file, const std::string& folder);
/// An image of what lies in such a folder, changed or not, with new checksums. Throws Error(Input, Unsupported) when
/// that could not be read back.
void pack_image(const std::string& folder, const std::string& file);

}  // namespace ttsim::impl::image
