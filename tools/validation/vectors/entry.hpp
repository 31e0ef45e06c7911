// One entry of a vector index and its arrays, with errors that name both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "isa/data_format.hpp"
#include "isa/fidelity.hpp"
#include "tools/validation/vectors/vectors.hpp"

namespace ttsim::impl::vectors {

/// A little-endian .npy array of unsigned integers.
struct Array {
    std::vector<std::int64_t> shape;
    std::vector<std::uint32_t> data;
    /// The indices of an element: "[1][0][5]".
    std::string place(std::size_t index) const;
};
Array read_npy(const std::filesystem::path& file);

class Entry {
public:
    Entry(std::filesystem::path folder, const nlohmann::json& json);
    const std::string& id() const { return id_; }
    std::string text(const char* key) const;  ///< required
    std::string text(const char* key, const char* other) const;
    std::int64_t integer(const char* key, std::int64_t other) const;
    std::vector<std::string> words(const char* key) const;  ///< a required list of strings
    const nlohmann::json& list(const char* key) const;
    DataFormat format(const char* key) const;
    DataFormat tile_format(const char* key) const;  ///< one that can be unpacked
    Fidelity fidelity(const std::string& name) const;
    bool has(const std::string& array) const;
    /// Names of arrays that begin with `prefix`, in order.
    std::vector<std::string> arrays(const std::string& prefix) const;
    std::string meaning(const std::string& array) const;
    /// `multiple`: the number of elements must be a multiple of this.
    Array array(const std::string& name, std::size_t multiple = 1) const;
    template <class... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
        fail_text(fmt::format(text, std::forward<Args>(args)...));
    }

private:
    [[noreturn]] void fail_text(const std::string& text) const;
    const nlohmann::json& array_record(const std::string& array) const;

    std::filesystem::path folder_;
    const nlohmann::json& json_;
    std::string id_;
};

/// Compares computed elements with an entry's arrays and counts differences.
class Check {
public:
    Check(const Entry& entry, VectorResult& result) : entry_(entry), result_(result) {}
    const Entry& entry() const { return entry_; }
    /// Elements `at`, at+1, ... of the array must equal `got`. With `meaningful`, only elements for which it is true
    /// are compared.
    void expect(const std::string& name, std::size_t at, std::span<const std::uint32_t> got,
                bool (*meaningful)(std::size_t index, const std::string& what) = nullptr, const std::string& what = "");
    void expect_bytes(const std::string& name, std::size_t at, std::span<const std::uint8_t> got);

private:
    const Array& expected(const std::string& name);
    const Entry& entry_;
    VectorResult& result_;
    std::vector<std::pair<std::string, Array>> loaded_;
};

// One function per kind of entry.
void check_mvmul(Check& check);
void check_pool(Check& check);
void check_elementwise(Check& check);
void check_unpack(Check& check);
void check_pack(Check& check);
void check_sfpu(Check& check);
void check_tile_matmul(Check& check);
void check_tile_pairs(Check& check);
void check_tile_copy(Check& check);
void check_tile_reduce(Check& check);

}  // namespace ttsim::impl::vectors
