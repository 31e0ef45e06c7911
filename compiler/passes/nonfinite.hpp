// Where a value of a model is NaN or infinite, as booleans of what the model masks with. The device holds neither: it
// computes with numbers in their place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

/// What counts as a source of NaN and infinities.
enum class NonfiniteFrom : std::uint8_t {
    Constants,  ///< constants of the model, and softmax of rows that these mask as a whole
    All,        ///< besides, inputs, and what has no finite result: x / 0, log 0, roots and logarithms below 0
};

class Nonfinite {
public:
    /// Booleans that the graph has already are used again.
    Nonfinite(Builder& build, NonfiniteFrom from) : b_(build), from_(from) {}

    /// Booleans that broadcast to the value's shape; none: nowhere.
    struct Where {
        std::optional<ValueId> nan, up, down;  ///< NaN, infinity, minus infinity
        bool nowhere() const { return !nan && !up && !down; }
    };
    const Where& of(ValueId id);

    // booleans; constants that are false throughout are none
    std::optional<ValueId> either(std::optional<ValueId> a, std::optional<ValueId> b);
    std::optional<ValueId> both(std::optional<ValueId> a, std::optional<ValueId> b);
    ValueId inverted(ValueId a);

private:
    using Maybe = std::optional<ValueId>;
    void note_made();
    ValueId made(const std::string& op, const std::vector<ValueId>& in, Attrs attrs = {});
    std::string key(const std::string& op, const std::vector<ValueId>& in, const Attrs& attrs) const;
    std::vector<ValueId> sources(ValueId id) const;
    Maybe known(ValueId a);
    bool are_opposite(ValueId a, ValueId b) const;
    ValueId always();
    Maybe without(ValueId condition, Maybe a);  ///< a where the condition is false
    Maybe any_along(Maybe a, std::int64_t from_end);
    Maybe all_along(Maybe a, std::int64_t from_end, const Dims& whole);
    ValueId compared(const char* op, ValueId x, double with);

    Where looked_up(ValueId id);
    Where of_constant(const Literal& literal);
    Where of_input(ValueId id);
    Where moved(ValueId id);
    Where mapped(ValueId id);
    Where chosen(ValueId id);
    Where sum(const Where& a, const Where& b);
    Where product(const Where& a, const Where& b, ValueId x, ValueId y);
    Where quotient(ValueId id);
    Where softmax(ValueId id);
    Where matmul(ValueId id);
    Where function(ValueId id);
    Where extreme(const Where& a, const Where& b, bool most);
    const Node& node(ValueId id) const { return b_.graph().nodes[id]; }
    ValueId operand(ValueId id, std::size_t k) const { return node(id).inputs[k].value; }

    Builder& b_;
    NonfiniteFrom from_;
    std::map<ValueId, Where> found_;
    std::optional<ValueId> always_;
    ValueId noted_ = 0;                    // nodes up to there are in made_
    std::map<std::string, ValueId> made_;  // by what makes them, so that equal booleans are one
};

}  // namespace ttsim::impl::ir
