// Weights of an ONNX file that stay in the file while its message is parsed. A parser copies them into strings, whose
// memory costs as much as that of the weights themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ttsim::impl::ir {

/// The file in memory, as the system's cache has it.
class MappedFile {
public:
    /// Empty if the system cannot map it.
    MappedFile(int descriptor, std::uint64_t bytes);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    std::string_view bytes() const { return {at_, size_}; }

private:
    const char* at_ = nullptr;
    std::size_t size_ = 0;
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
