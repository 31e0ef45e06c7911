// Weights of an ONNX file that stay where the file was read to while its message is parsed. A parser copies them into
// strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl::ir {

/// The bytes of a file, whose pages forget() gives back one by one. They are read and not mapped: a mapped file that
/// another process shortens ends this one.
class FileBytes {
public:
    /// Empty if there is no memory for it. Fewer bytes than asked for if the file has become shorter.
    FileBytes(int descriptor, std::uint64_t bytes);
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();
    std::string_view bytes() const { return {at_, size_}; }

private:
    char* at_ = nullptr;
    std::size_t mapped_ = 0, size_ = 0;
};

struct SplitModel {
    std::string message;                 ///< the model without these weights' data
    std::vector<std::string_view> data;  ///< per initializer of its graph; empty: the message has it
};

/// Takes large data of initializers out of the bytes of a ModelProto. nullopt: there is none, or the message is not
/// one that can be split.
std::optional<SplitModel> split_model(std::string_view model);

/// Gives back the pages of data that was read.
void forget(std::string_view data);

}  // namespace ttsim::impl::ir
