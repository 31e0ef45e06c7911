#include "runtime/image/archive.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "base/folder_lock.hpp"
#include "base/new_file.hpp"
#include "base/read_file.hpp"
#include "runtime/image/libarchive.hpp"

namespace fs = std::filesystem;

namespace ttsim::impl::image {

std::uint64_t max_unpacked_bytes(std::uint64_t archive_bytes) {
    // text and headers compress far better than weights
    constexpr std::uint64_t base_limit = std::uint64_t{32} << 20, ratio = 10;
    return base_limit + std::min(archive_bytes, ~std::uint64_t{0} / ratio / 2) * ratio;
}

namespace {

constexpr std::size_t max_members = 100'000, max_name_bytes = 4096;
constexpr std::uint64_t max_file_bytes = std::uint64_t{16} << 30;

const LibarchiveFunctions& lib() { return libarchive(); }

struct CloseReader {
    void operator()(archive* a) const { lib().archive_read_free(a); }
};
using ReaderPtr = std::unique_ptr<archive, CloseReader>;

std::string problem(archive* a) {
    const char* text = lib().archive_error_string(a);
    return text ? text : "it is damaged";
}

/// Enables only formats that images use, so that other parsers are not reachable. All are built into the library; none
/// starts a program.
ReaderPtr open_archive(const std::string& file, std::string_view bytes) {
    ReaderPtr reader(lib().archive_read_new());
    if (!reader) throw std::bad_alloc();
    lib().archive_read_support_format_tar(reader.get());
    lib().archive_read_support_format_zip(reader.get());
    lib().archive_read_support_filter_gzip(reader.get());
    lib().archive_read_support_filter_bzip2(reader.get());
    lib().archive_read_support_filter_xz(reader.get());
    lib().archive_read_support_filter_zstd(reader.get());
    if (lib().archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        fail_input({file, 0, 0}, "it is not a device image: {}", problem(reader.get()));
    // the last filter is the archive itself
    if (lib().archive_filter_count(reader.get()) > 2)
        fail_input({file, 0, 0}, "it is not a device image: it is compressed more than once");
    return reader;
}

/// A tar ends with two blocks of zeros; libarchive accepts tars that were truncated between members.
void check_end(const std::string& file, archive* reader) {
    constexpr std::int64_t end = 1024;
    const bool tar = (lib().archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
    if (tar && lib().archive_filter_bytes(reader, 0) - lib().archive_read_header_position(reader) < end)
        fail_input({file, 0, 0}, "the archive is cut off: the end of a tar is missing; copy or write it again");
}

/// Escapes an untrusted name for messages.
std::string escaped_name(std::string_view name) {
    std::string text;
    for (const char c : name.substr(0, 200))
        text += c >= ' ' && c != 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return text;
}

/// The parts of a path; empty for ".".
std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, end - at);
        if (!part.empty() && part != ".") parts.push_back(part);
        at = end + 1;
    }
    return parts;
}

/// The normalized name below `unzipped_tti/`; "" for that folder itself.
std::string member_name(const std::string& file, archive_entry* entry) {
    const char* pathname = lib().archive_entry_pathname(entry);
    if (!pathname) fail_input({file, 0, 0}, "a member has no name that can be read");
    const std::string_view name = pathname;
    if (name.size() > max_name_bytes) fail_input({file, 0, 0}, "the name of a member has {} bytes", name.size());
    const std::vector<std::string_view> parts = parts_of(name);
    const bool invalid = name.starts_with('/') || std::any_of(name.begin(), name.end(), [](char c) {
                             return c == '\\' || c == 0x7f || (c >= 0 && c < ' ');
                         });
    const bool has_parent = std::find(parts.begin(), parts.end(), "..") != parts.end();
    if (invalid || has_parent || (!parts.empty() && parts.front() != image_folder))
        fail_input({file, 0, 0}, "member '{}' is refused: all members of an image must be below {}/",
                   escaped_name(name), image_folder);
    return parts.empty() ? "" : fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), "/"));
}

/// Throws if it is neither a file nor a folder.
void check_kind(const std::string& place, archive_entry* entry) {
    const bool link = lib().archive_entry_hardlink(entry) || lib().archive_entry_symlink(entry);
    const auto type = lib().archive_entry_filetype(entry);
    if (link || (type != AE_IFREG && type != AE_IFDIR))
        fail_input({place, 0, 0}, "the member is refused: an image has files and folders only, no links or devices");
    if (lib().archive_entry_sparse_count(entry) > 0)
        fail_input({place, 0, 0}, "the member is refused: it is a sparse file");
    if (type == AE_IFDIR && lib().archive_entry_size(entry) > 0)
        fail_input({place, 0, 0}, "the member is refused: it is a folder and has bytes");
}

/// Collects the blocks of a member. Refers to the archive's bytes if the member is contiguous there, as in a plain tar;
/// copies otherwise.
class MemberData {
public:
    explicit MemberData(const SharedBytes& archive) : archive_(archive) {}
    std::size_t size() const { return copied_ ? copy_.size() : in_place_.size(); }
    void add(std::string_view block) {
        const std::string_view all = archive_;
        const std::less_equal<> before;
        const bool inside =
            before(all.data(), block.data()) && before(block.data() + block.size(), all.data() + all.size());
        if (!copied_ && inside && in_place_.empty()) {
            in_place_ = block;
        } else if (!copied_ && inside && in_place_.data() + in_place_.size() == block.data()) {
            in_place_ = {in_place_.data(), in_place_.size() + block.size()};
        } else {
            if (!copied_) copy_ = in_place_;
            copied_ = true;
            copy_ += block;
        }
    }
    SharedBytes bytes() && { return copied_ ? SharedBytes(std::move(copy_)) : archive_.part(in_place_); }

private:
    const SharedBytes& archive_;
    std::string_view in_place_;
    bool copied_ = false;
    std::string copy_;
};

constexpr const char* use_plain_tar = "; if you trust it, convert it to a plain tar, which has no such limit";

/// The bytes of a member. Memory grows with the data read, not with the size in the header.
SharedBytes member_bytes(const std::string& place, archive* reader, archive_entry* entry, std::uint64_t most,
                         const SharedBytes& archive) {
    const bool sized = lib().archive_entry_size_is_set(entry) != 0;
    const auto header_size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, lib().archive_entry_size(entry)));
    if (sized && header_size > most)
        fail_input({place, 0, 0}, "has {} bytes; at most {} are read of this archive{}", header_size, most,
                   use_plain_tar);
    MemberData bytes(archive);
    for (;;) {
        const void* block = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int status = lib().archive_read_data_block(reader, &block, &size, &offset);
        if (status == ARCHIVE_EOF) break;
        if (status != ARCHIVE_OK) fail_input({place, 0, 0}, "cannot be read: {}", problem(reader));
        if (static_cast<std::uint64_t>(offset) != bytes.size())
            fail_input({place, 0, 0}, "the member is refused: it is a sparse file");
        if (size > most - bytes.size())
            fail_input({place, 0, 0}, "unpacks to more than the {} bytes that are read{}", most, use_plain_tar);
        bytes.add({static_cast<const char*>(block), size});
    }
    if (sized && bytes.size() != header_size)
        fail_input({place, 0, 0}, "has {} bytes; its header says {}", bytes.size(), header_size);
    return std::move(bytes).bytes();
}

/// Checks that no file has the name of a folder.
void check_file_folder_clash(const Members& read) {
    const auto refuse = [&](const std::string& name) {
        if (read.has(name)) fail_input({read.place(name), 0, 0}, "the member is a file and a folder");
    };
    for (const std::string& folder : read.folders) refuse(folder);
    for (const auto& [name, bytes_of_member] : read.bytes)
        for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
            refuse(name.substr(0, slash));
}

}  // namespace

Members read_archive(const std::string& file) {
    const SharedBytes bytes = read_bytes(file, max_file_bytes);
    const ReaderPtr reader = open_archive(file, bytes);
    Members read;
    read.file = file;
    std::uint64_t left = max_unpacked_bytes(bytes.size());
    std::size_t count = 0;
    archive_entry* entry = nullptr;
    for (;;) {
        const int status = lib().archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF) break;
        if (status != ARCHIVE_OK)
            fail_input({file, 0, 0}, "member {} cannot be read: {}", count + 1, problem(reader.get()));
        if (++count > max_members) fail_input({file, 0, 0}, "it has more than {} members", max_members);
        const std::string name = member_name(file, entry);
        check_kind(read.place(name), entry);
        if (lib().archive_entry_filetype(entry) == AE_IFDIR) {
            if (!name.empty()) read.folders.push_back(name);
            continue;
        }
        if (name.empty() || read.has(name)) fail_input({read.place(name), 0, 0}, "the member comes twice");
        SharedBytes data = member_bytes(read.place(name), reader.get(), entry, left, bytes);
        left -= data.size();
        read.bytes.emplace(name, std::move(data));
    }
    if (count > 0) check_end(file, reader.get());
    if (read.bytes.empty()) fail_input({file, 0, 0}, "it is not a device image: it has no members");
    check_file_folder_clash(read);
    return read;
}

/// Reads a file of an unpacked image; `place` is its name in messages. nullopt: it vanished.
static std::optional<SharedBytes> read_in_place(const fs::path& file, const std::string& place) {
    try {
        return read_bytes(file.string(), max_file_bytes);
    } catch (const Error&) {
        std::error_code failed;
        if (!fs::exists(file, failed)) return std::nullopt;
        fail_input({place, 0, 0}, "the file cannot be read, or has more than {} bytes", max_file_bytes);
    }
}

/// nullopt: a folder vanished during the read. `named`: the user's name of the folder `top`.
static std::optional<Members> read_tree_once(const fs::path& top, const fs::path& named) {
    std::error_code failed;
    Members read;
    read.file = named.string();
    read.unpacked = true;
    fs::recursive_directory_iterator at(top, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().lexically_relative(top).string();
        const fs::file_status status = at->symlink_status(failed);
        if (status.type() == fs::file_type::not_found) {  // a report that a run just renamed
            failed.clear();
            continue;
        }
        if (fs::is_directory(status)) {
            if (fs::is_empty(at->path(), failed)) read.folders.push_back(name);
            continue;
        }
        if (!fs::is_regular_file(status))
            fail_input({read.place(name), 0, 0}, "an image has files and folders only, no links or devices");
        if (read.bytes.size() >= max_members) fail_input({read.file, 0, 0}, "it has more than {} files", max_members);
        if (std::optional<SharedBytes> bytes = read_in_place(at->path(), read.place(name)))
            read.bytes.emplace(name, std::move(*bytes));
    }
    if (failed == std::errc::no_such_file_or_directory && fs::exists(top, failed)) return std::nullopt;
    if (failed) fail_input({read.file, 0, 0}, "the folder cannot be read: {}", failed.message());
    std::sort(read.folders.begin(), read.folders.end());
    return read;
}

Members read_tree(const std::string& folder) {
    std::error_code failed;
    const fs::path inner = fs::path(folder) / image_folder;
    const fs::path named = fs::is_directory(inner, failed) ? inner : fs::path(folder);
    // an unpacking that replaces the folder meanwhile waits, and creates another folder
    const FolderLockPtr hold = lock_folder(named.string());
    const fs::path top = hold && fs::is_directory(hold->path(), failed) ? fs::path(hold->path()) : named;
    constexpr int max_attempts = 100;  // runs write reports there
    for (int attempt = 0; attempt < max_attempts; ++attempt)
        if (std::optional<Members> read = read_tree_once(top, named)) return std::move(*read);
    fail_input({named.string(), 0, 0}, "the folder cannot be read: other processes change it");
}

SharedBytes Members::read(const std::string& name, std::uint64_t most) const {
    const auto found = bytes.find(name);
    if (found == bytes.end()) fail_input({file, 0, 0}, "the image has no '{}'", name);
    if (found->second.size() > most)
        fail_input({place(name), 0, 0}, "has {} bytes; at most {} are read", found->second.size(), most);
    return found->second;
}

// --- writing -------------------------------------------------------------------------------------------------------

struct ArchiveWriter::Impl {
    NewFile file;
    archive* writer;

    explicit Impl(const std::string& path) : file(path, FileKind::Image), writer(lib().archive_write_new()) {
        if (!writer) throw std::bad_alloc();
        lib().archive_write_set_format_gnutar(writer);
        lib().archive_write_set_bytes_in_last_block(writer, 1);
        if (lib().archive_write_open_filename(writer, file.temporary().c_str()) != ARCHIVE_OK) fail();
    }
    ~Impl() { lib().archive_write_free(writer); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[noreturn]] void fail() {
        const int error = lib().archive_errno(writer);
        fail_write(file.path(), error > 0 ? error : EIO);
    }
    /// No times and owners, so that equal contents give equal bytes.
    void header(const std::string& name, unsigned type, unsigned rights, std::size_t bytes) {
        const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(lib().archive_entry_new(),
                                                                             lib().archive_entry_free);
        lib().archive_entry_set_pathname(entry.get(), (std::string(image_folder) + "/" + name).c_str());
        lib().archive_entry_set_filetype(entry.get(), type);
        lib().archive_entry_set_perm(entry.get(), rights);
        lib().archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
        lib().archive_entry_set_mtime(entry.get(), 0, 0);
        if (lib().archive_write_header(writer, entry.get()) != ARCHIVE_OK) fail();
    }
};

ArchiveWriter::ArchiveWriter(const std::string& file) : impl_(std::make_unique<Impl>(file)) {
    impl_->header("", AE_IFDIR, 0755, 0);
}
ArchiveWriter::~ArchiveWriter() = default;

void ArchiveWriter::add(const std::string& name, std::string_view bytes) {
    impl_->header(name, AE_IFREG, 0644, bytes.size());
    if (bytes.empty()) return;
    const la_ssize_t written = lib().archive_write_data(impl_->writer, bytes.data(), bytes.size());
    if (written < 0 || static_cast<std::size_t>(written) != bytes.size()) impl_->fail();
}

void ArchiveWriter::add_folder(const std::string& name) { impl_->header(name + "/", AE_IFDIR, 0755, 0); }

void ArchiveWriter::commit() {
    if (lib().archive_write_close(impl_->writer) != ARCHIVE_OK) impl_->fail();
    impl_->file.commit();
}

}  // namespace ttsim::impl::image
