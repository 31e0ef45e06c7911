// An array of which few elements are used. Elements are created on first use and never move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ttsim::impl::noc {

template <class T>
class Sparse {
public:
    explicit Sparse(std::size_t size) : index_(size, 0) {}
    T& operator[](std::size_t i) {
        std::uint32_t& place = index_[i];
        if (place == 0) {
            if (created_ % block == 0) blocks_.push_back(std::make_unique<std::array<T, block>>());
            place = ++created_;
        }
        return (*blocks_[(place - 1) / block])[(place - 1) % block];
    }

private:
    static constexpr std::uint32_t block = 32;
    std::vector<std::uint32_t> index_;  ///< 1 + index among the created elements; 0: not created
    std::vector<std::unique_ptr<std::array<T, block>>> blocks_;
    std::uint32_t created_ = 0;
};

}  // namespace ttsim::impl::noc
