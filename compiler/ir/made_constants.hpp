// Large constants that are made of others while a model is compiled. It is lowered again and again, to compare what
// becomes of it, and each time its constants are transposed, put in another order, laid out in tiles. What is there
// already, because somebody holds it, is not made a second time.
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

/// Threads may use it at the same time.
class MadeConstants {
public:
    /// What `make` gives, or a copy that shares the elements of what it gave before. `how`: all that the result depends
    /// on besides `of`. Of these large ones are known by where their elements are, small ones, which are made each
    /// time, by what they are. Small results and integers are made each time.
    Literal get(const std::string& how, std::span<const Literal* const> of, const std::function<Literal()>& make);
    /// While a result is there, what it was made of stays as well, so that it is found again; from here on no more.
    void release();

private:
    struct Known {
        std::vector<std::weak_ptr<const void>> of;
        std::weak_ptr<Literal::Kept> made;
        DType dtype = DType::F32;
        Dims dims;
    };
    std::mutex mutex_;
    std::map<std::pair<std::string, std::vector<const void*>>, Known> known_;
};

}  // namespace ttsim::impl::ir
