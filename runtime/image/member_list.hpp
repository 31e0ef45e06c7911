// Which members an image has: the list with sizes and checksums that ttsim writes into it (ttsim/model.json), and what
// of them ttsim reads.
//
// An image that ttsim wrote is recognized by its other members too. So one that was cut off, or from which members were
// taken, is refused instead of being read as an image of others.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/image/archive.hpp"
#include "runtime/image/device_record.hpp"

namespace ttsim::impl::image {

inline constexpr const char* record_file = "device.json";
inline constexpr const char* own_folder = "ttsim";          ///< what only ttsim reads
inline constexpr const char* archive_sum = "checksum.txt";  ///< only in unpacked images

/// Gives files to the archive and keeps their checksums for the last one.
class MemberSink {
public:
    explicit MemberSink(ArchiveWriter& archive);
    ~MemberSink();
    MemberSink(const MemberSink&) = delete;
    MemberSink& operator=(const MemberSink&) = delete;

    void add(const std::string& name, std::string_view bytes);
    FileSink below(const std::string& folder);
    /// The list of all that were added. Nothing is added behind it.
    void add_list(const std::string& device, std::int64_t clock_mhz);

private:
    ArchiveWriter& archive_;
    struct Sums;
    std::unique_ptr<Sums> sums_;
};

/// What ttsim wrote into an image besides.
struct OwnPart {
    std::string device;
    std::int64_t clock_mhz = 0;
};
/// None: the image was made by others. Throws Error(Input) at a member that is missing, was added, or is not what was
/// written.
std::optional<OwnPart> read_own(const Members& members);

/// New checksums of members that may have been changed; where all of ttsim/ was taken out, the image becomes one as
/// others make them. Throws Error(Input) where the list is damaged, or missing and other members of ttsim/ are there.
void renew_sums(Members& members);

/// Takes away what is no part of an unpacked image of ours: reports of runs below backend_build_binaries/.
void forget_reports(Members& members);

/// A member with its size.
struct MemberSize {
    std::string name;
    std::uint64_t bytes = 0;
};
/// What a Python program computes around the device: members that it reads.
struct HostFiles {
    std::vector<MemberSize> data, code;
};
HostFiles host_files(const Members& members);
/// Their names below module_files/.
bool is_host_file(const std::string& name);

/// Members that neither ttsim nor pybuda reads, and that the format has no use for here either (docs/tti.md).
std::vector<MemberSize> unread_members(const Members& members, const DeviceRecord& record);
/// One line for a user; "" when there are none.
std::string unread_note(const std::vector<MemberSize>& unread);

}  // namespace ttsim::impl::image
