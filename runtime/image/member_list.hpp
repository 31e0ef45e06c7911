// The member list of an image, with sizes and checksums, which ttsim writes (ttsim/model.json), and the members that
// ttsim reads.
// Images written by ttsim are also recognized by other members. So a truncated image, or one with removed members, is
// refused instead of being read as an image of another compiler.
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
inline constexpr const char* own_folder = "ttsim";                    ///< members that only ttsim reads
inline constexpr const char* archive_checksum_file = "checksum.txt";  ///< only in unpacked images

/// Adds files to the archive and collects their checksums for the list.
class MemberSink {
public:
    explicit MemberSink(ArchiveWriter& archive);
    ~MemberSink();
    MemberSink(const MemberSink&) = delete;
    MemberSink& operator=(const MemberSink&) = delete;

    void add(const std::string& name, std::string_view bytes);
    FileSink below(const std::string& folder);
    /// Adds the list of all added members; must be last.
    void add_list(const std::string& device, std::int64_t clock_mhz);

private:
    ArchiveWriter& archive_;
    struct Sums;
    std::unique_ptr<Sums> sums_;
};

/// Data of images written by ttsim.
struct OwnPart {
    std::string device;
    std::int64_t clock_mhz = 0;
};
/// nullopt: the image was not written by ttsim. Throws Error(Input) at a member that is missing, was added, or was
/// changed.
std::optional<OwnPart> read_own_part(const Members& members);

/// Updates checksums of members that may have changed. If all of ttsim/ was removed, the image becomes one without
/// ttsim data. Throws Error(Input) if the list is damaged, or missing while other members of ttsim/ exist.
void update_checksums(Members& members);

/// Removes reports of runs below backend_build_binaries/ of an unpacked image.
void remove_run_reports(Members& members);

/// A member with its size.
struct MemberSize {
    std::string name;
    std::uint64_t bytes = 0;
};
/// Host computations of a Python program: members that it reads.
struct HostFiles {
    std::vector<MemberSize> data, code;
};
HostFiles host_files(const Members& members);
/// Whether this is such a name below module_files/.
bool is_host_file(const std::string& name);

/// Members that neither ttsim nor pybuda reads and that have no use in the format (docs/tti.md).
std::vector<MemberSize> unread_members(const Members& members, const DeviceRecord& record);
/// One line for the user; "" if there are none.
std::string unread_note(const std::vector<MemberSize>& unread);

}  // namespace ttsim::impl::image
