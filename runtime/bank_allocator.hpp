// Addresses of interleaved buffers: every buffer occupies the same address range in all banks of a memory (the DRAM
// channels, or the L1 of the cores), as the vendor's lock-step allocator places them. First fit, lowest address first.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ttsim::impl::runtime {

class BankAllocator {
public:
    /// `name`: "DRAM" or "L1", for messages. `begin`, `end`: the usable addresses of each bank. `alignment`: bytes.
    BankAllocator(std::string name, std::int64_t banks, std::int64_t begin, std::int64_t end, std::int64_t alignment);

    /// The address of a new buffer of `pages` pages, dealt over the banks. Throws Error(Input) with the
    /// bytes asked, free and in the largest hole.
    std::int64_t allocate(std::int64_t pages, std::int64_t page_bytes);
    void free(std::int64_t address);

    std::int64_t banks() const { return banks_; }
    std::int64_t total() const { return (end_ - begin_) * banks_; }  ///< bytes in all banks
    std::int64_t used() const { return used_ * banks_; }
    std::int64_t peak() const { return peak_ * banks_; }
    std::int64_t largest_hole() const;  ///< bytes in all banks

private:
    std::string name_;
    std::int64_t banks_, begin_, end_, alignment_;
    std::map<std::int64_t, std::int64_t> holes_;    // address -> bytes of a bank
    std::map<std::int64_t, std::int64_t> buffers_;  // address -> bytes of a bank
    std::int64_t used_ = 0, peak_ = 0;              // bytes of a bank
};

}  // namespace ttsim::impl::runtime
