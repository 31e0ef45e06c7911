// Computes where a value of a model is NaN or infinite, as bool values derived from the model's masks. The device holds
// neither and computes with finite numbers in their place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

/// Which sources of NaN and infinities are considered.
enum class NonfiniteFrom : std::uint8_t {
    Constants,  ///< constants of the model, and softmax of rows that they mask completely
    All,        ///< also inputs, and ops without finite result: x / 0, log 0, roots and logarithms of negative numbers
};

class Nonfinite {
public:
    /// Bool values that are in the graph already are reused.
    Nonfinite(Builder& build, NonfiniteFrom from) : b_(build), from_(from) {}

    /// Bool values that broadcast to the value's dims; none: nowhere.
    struct Masks {
        std::optional<ValueId> nan, positive_infinity, negative_infinity;
        bool is_finite() const { return !nan && !positive_infinity && !negative_infinity; }
    };
    const Masks& of(ValueId id);

    // Logic on bool values; none means constant false.
    std::optional<ValueId> logical_or(std::optional<ValueId> a, std::optional<ValueId> b);
    std::optional<ValueId> logical_and(std::optional<ValueId> a, std::optional<ValueId> b);
    ValueId logical_not(ValueId a);

private:
    using Maybe = std::optional<ValueId>;
    void index_nodes();
    ValueId reused_or_added(OpId op, const std::vector<ValueId>& in, Attrs attrs = {});
    std::string key(OpId op, const std::vector<ValueId>& in, const Attrs& attrs) const;
    std::vector<ValueId> sources(ValueId id) const;
    Maybe simplified(ValueId a);
    bool are_opposite(ValueId a, ValueId b) const;
    ValueId true_constant();
    Maybe without(ValueId condition, Maybe a);  ///< `a` where the condition is false
    Maybe any_along(Maybe a, std::int64_t from_end);
    Maybe all_along(Maybe a, std::int64_t from_end, const Dims& full_dims);
    ValueId compared(OpId op, ValueId x, double with);

    Masks compute(ValueId id);
    Masks of_constant(const Literal& literal);
    Masks of_input(ValueId id);
    Masks moved(ValueId id);
    Masks mapped(ValueId id);
    Masks chosen(ValueId id);
    Masks sum(const Masks& a, const Masks& b);
    Masks product(const Masks& a, const Masks& b, ValueId x, ValueId y);
    Masks quotient(ValueId id);
    Masks softmax(ValueId id);
    Masks matmul(ValueId id);
    Masks function(ValueId id);
    Masks extreme(const Masks& a, const Masks& b, bool most);
    const Node& node(ValueId id) const { return b_.graph().nodes[id]; }
    ValueId operand(ValueId id, std::size_t k) const { return node(id).inputs[k].value; }

    Builder& b_;
    NonfiniteFrom from_;
    std::map<ValueId, Masks> found_;
    std::optional<ValueId> true_constant_;
    ValueId indexed_ = 0;                           // nodes before this one are in by_expression_
    std::map<std::string, ValueId> by_expression_;  // bool values by key(), so that equal ones are shared
};

}  // namespace ttsim::impl::ir
