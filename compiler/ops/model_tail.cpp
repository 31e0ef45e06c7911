// Ops for nodes at the end of a model whose result shapes are known only at run time, such as the boxes of a detector.
//
//   model_tail {model}          all results packed into one tensor. `model` is a model in protobuf's text form whose
//                               inputs are the operands. The host reads it like any model, with the operands as
//                               constants (host/model_tail.hpp)
//   tail_result {index, dtype}  one of the results. Its type has one element in place of the unknown shape
#include <array>
#include <bit>

#include "compiler/ops/model_tail.hpp"
#include "compiler/ops/op_lists.hpp"

namespace ttsim::impl::ir {

Literal packed_results(const std::vector<Literal>& results) {
    std::vector<std::int64_t> words{std::ssize(results)};
    for (const Literal& one : results) {
        words.push_back(static_cast<std::int64_t>(one.dtype()));
        words.push_back(std::ssize(one.dims()));
        words.insert(words.end(), one.dims().begin(), one.dims().end());
        words.insert(words.end(), one.integer_elements().begin(), one.integer_elements().end());
        for (const float v : one.floats()) words.push_back(std::bit_cast<std::int32_t>(v));
    }
    return Literal::vector(words);
}

namespace {

Type infer_tail(const Node&, std::span<const Type>) { return {DType::I64, {1}, {}}; }

Type infer_result(const Node& node, std::span<const Type>) {
    const auto dtype = parse_dtype(node.get(attr::dtype));
    if (!dtype) fail_input(node.loc, "'{}' has no element type '{}'", node.name, node.get(attr::dtype));
    return {*dtype, {1}, {}};
}

/// Unpacks the format of packed_results().
class Unpacker {
public:
    explicit Unpacker(const Literal& packed) : words_(packed.integer_elements()) {}
    std::int64_t next() { return at_ < words_.size() ? words_[at_++] : 0; }
    Literal literal() {
        const auto dtype = static_cast<DType>(next());
        Dims dims(static_cast<std::size_t>(next()));
        for (std::int64_t& dim : dims) dim = next();
        Literal out(dtype, std::move(dims), max_read_elements);
        for (float& v : out.floats()) v = std::bit_cast<float>(static_cast<std::int32_t>(next()));
        for (std::int64_t& v : out.integer_elements()) v = next();
        return out;
    }

private:
    const std::vector<std::int64_t>& words_;
    std::size_t at_ = 0;
};

Literal eval_result(const Node& node, std::span<const Literal* const> in) {
    Unpacker unpacker(*in[0]);
    const std::int64_t index = node.get(attr::index), all = unpacker.next();
    if (index < 0 || index >= all) fail_input(node.loc, "'{}' is result {} of {}", node.name, index, all);
    for (std::int64_t k = 0; k < index; ++k) unpacker.literal();
    return unpacker.literal();
}

constexpr std::array tail_table{
    OpFunctions{op::model_tail, infer_tail},
    OpFunctions{op::tail_result, infer_result, eval_result},
};

}  // namespace

std::span<const OpFunctions> tail_ops() { return tail_table; }

}  // namespace ttsim::impl::ir
