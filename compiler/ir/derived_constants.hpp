// A cache of large constants that are derived from others during a compilation. The compiler lowers a model several
// times to compare schedules, and each time transposes, reorders and tilizes its constants. A derived constant that is
// still in use is not computed again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/literal.hpp"

namespace ttsim::impl::ir {

/// Thread-safe.
class DerivedConstants {
public:
    /// The result of `make`, or a copy that shares the elements of an earlier result. `how` must name everything else
    /// the result depends on besides `of`. Large constants in `of` are identified by the address of their elements,
    /// small ones by their values; without constants `how` names everything. Small results and integers are always
    /// computed.
    /// `elements`: of the result, if known; a large one is kept though all of `of` are small.
    Literal get(const std::string& how, std::span<const Literal* const> of, const std::function<Literal()>& make,
                std::int64_t elements = 0);
    /// A result keeps its sources alive, so that it is found again. release() ends that and empties the cache.
    void release();

private:
    struct Entry {
        std::vector<std::weak_ptr<const void>> of;
        std::weak_ptr<Literal::CachedFloats> made;
        DType dtype = DType::F32;
        Dims dims;
    };
    std::mutex mutex_;
    std::map<std::pair<std::string, std::vector<const void*>>, Entry> entries_;
};

}  // namespace ttsim::impl::ir
