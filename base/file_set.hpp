// Files that lie together under names relative to one place: in a folder, or as members of an archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/shared_bytes.hpp"

namespace ttsim::impl {

/// Where a file of a folder lies, that its own contents name: folder / name. Throws Error(Input) where the name or a
/// link leads out of the folder, which may come from anybody. Passes a file that is not there.
std::string place_inside(const std::string& folder, const std::string& name);

class FileSet {
public:
    virtual ~FileSet() = default;
    /// What messages call the file.
    virtual std::string place(const std::string& name) const = 0;
    virtual bool has(const std::string& name) const = 0;
    /// Throws Error(Input) at the file that is missing, or has more bytes than `most`.
    virtual SharedBytes read(const std::string& name, std::uint64_t most) const = 0;
};

/// Throws at names and links that lead out of the folder, as place_inside() does.
class FolderFiles final : public FileSet {
public:
    explicit FolderFiles(std::string folder) : folder_(std::move(folder)) {}
    std::string place(const std::string& name) const override;
    bool has(const std::string& name) const override;
    SharedBytes read(const std::string& name, std::uint64_t most) const override;

private:
    std::string folder_;
};

/// Those of others whose names begin with `folder` and a slash, under the rest of their names.
class FilesBelow final : public FileSet {
public:
    FilesBelow(const FileSet& all, const std::string& folder) : all_(all), folder_(folder + "/") {}
    std::string place(const std::string& name) const override { return all_.place(folder_ + name); }
    bool has(const std::string& name) const override { return all_.has(folder_ + name); }
    SharedBytes read(const std::string& name, std::uint64_t most) const override {
        return all_.read(folder_ + name, most);
    }

private:
    const FileSet& all_;
    std::string folder_;
};

/// Takes files that are to lie together.
using FileSink = std::function<void(const std::string& name, const std::string& bytes)>;

}  // namespace ttsim::impl
