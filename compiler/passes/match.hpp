// Matchers for recognition passes: splat constants, squares, sums and means, in the forms that exporters write.
#pragma once

#include "compiler/ir/builder.hpp"

namespace ttsim::impl::ir {

class Match {
public:
    explicit Match(const Builder& build) : build_(build) {}

    const Node& node(ValueId id) const { return build_.graph().nodes[id]; }
    bool is(ValueId id, OpId op) const { return node(id).op == op; }
    ValueId operand(ValueId id, std::size_t k) const { return node(id).inputs[k].value; }

    /// The value of a splat constant.
    std::optional<double> number(ValueId id) const;
    /// x of square x, x * x, or x to the power of 2.
    std::optional<ValueId> square_operand(ValueId id) const;
    /// x of sqrt x, or x to the power of 0.5.
    std::optional<ValueId> sqrt_operand(ValueId id) const;
    /// x of 1 / x.
    std::optional<ValueId> reciprocal_operand(ValueId id) const;
    /// x of 1 / sqrt x.
    std::optional<ValueId> rsqrt_operand(ValueId id) const;

    /// Sums along axes, times a factor.
    struct Sum {
        ValueId x = 0;
        std::vector<std::int64_t> axes;  ///< sorted
        double factor = 1;
        std::int64_t size = 1;  ///< product of the sizes of the axes
    };
    /// The summed axes have size 1 in the result. Reshapes that drop and restore them are skipped.
    std::optional<Sum> sum(ValueId id) const;
    std::optional<Sum> mean(ValueId id) const;  ///< a sum whose factor is 1 / size

    /// x * number: both.
    std::optional<std::pair<ValueId, double>> scaled(ValueId id) const;
    /// x + number: both.
    std::optional<std::pair<ValueId, double>> plus_number(ValueId id) const;

private:
    const Builder& build_;
};

}  // namespace ttsim::impl::ir
