// A set of files with relative names: in a folder, or as members of an archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/shared_bytes.hpp"

namespace ttsim::impl {

/// Resolves `name`, which may come from untrusted contents, to folder / name. Throws Error(Input) if the name or a
/// symbolic link leads out of the folder. The file need not exist.
std::string resolve_inside(const std::string& folder, const std::string& name);

class FileSet {
public:
    virtual ~FileSet() = default;
    /// The name of the file in messages.
    virtual std::string place(const std::string& name) const = 0;
    virtual bool has(const std::string& name) const = 0;
    /// Throws Error(Input) if the file is missing or has more than `most` bytes.
    virtual SharedBytes read(const std::string& name, std::uint64_t most) const = 0;
};

/// Files of a folder. Throws at names and links that lead out of the folder, as resolve_inside() does.
class FolderFiles final : public FileSet {
public:
    explicit FolderFiles(std::string folder) : folder_(std::move(folder)) {}
    std::string place(const std::string& name) const override;
    bool has(const std::string& name) const override;
    SharedBytes read(const std::string& name, std::uint64_t most) const override;

private:
    std::string folder_;
};

/// A subset of another file set: the files below `folder`, with names relative to it.
class SubfolderFiles final : public FileSet {
public:
    SubfolderFiles(const FileSet& all, const std::string& folder) : all_(all), folder_(folder + "/") {}
    std::string place(const std::string& name) const override { return all_.place(folder_ + name); }
    bool has(const std::string& name) const override { return all_.has(folder_ + name); }
    SharedBytes read(const std::string& name, std::uint64_t most) const override {
        return all_.read(folder_ + name, most);
    }

private:
    const FileSet& all_;
    std::string folder_;
};

/// Receives the files of a set.
using FileSink = std::function<void(const std::string& name, const std::string& bytes)>;

}  // namespace ttsim::impl
