// Imports sequences of tensors and optionals. Their contents are resolved while the model is read, so that the graph
// has none of them.
#include "compiler/onnx/join.hpp"
#include "compiler/onnx/reader.hpp"

namespace ttsim::impl::ir {

Reader::Control Reader::sequence_of(const std::string& op) {
    static const std::map<std::string, Control> known{
        {"SequenceConstruct", &Reader::import_sequence},  {"SequenceEmpty", &Reader::import_sequence},
        {"SequenceInsert", &Reader::import_sequence},     {"SequenceErase", &Reader::import_sequence},
        {"SequenceAt", &Reader::import_sequence},         {"SequenceLength", &Reader::import_sequence},
        {"SplitToSequence", &Reader::split_to_sequence},  {"ConcatFromSequence", &Reader::join_sequence},
        {"Optional", &Reader::import_optional},           {"OptionalGetElement", &Reader::import_optional},
        {"OptionalHasElement", &Reader::import_optional},
    };
    const auto found = known.find(op);
    return found == known.end() ? nullptr : found->second;
}

bool Reader::import_sequence(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Import n = importing(node, scope);
    const std::string& op = node.op_type();
    if (op == "SequenceEmpty") return set_outputs(node, scope, {{{}, true}}), true;
    if (op == "SequenceConstruct") {
        NamedValue all{{}, true};
        for (const NamedValue& value : *given) {
            if (!value.is_tensor()) n.wrong("it takes tensors");
            all.items.push_back(value.items.front());
        }
        return set_outputs(node, scope, {all}), true;
    }
    if (given->empty() || !given->front().sequence) n.wrong("operand 0 is not a sequence");
    NamedValue all = given->front();
    const std::int64_t size = std::ssize(all.items);
    if (op == "SequenceLength")
        return set_outputs(node, scope, {{{n.b.scalar(static_cast<double>(size), DType::I64)}}}), true;
    const bool insert = op == "SequenceInsert";
    const std::size_t at = insert ? 2 : 1;
    std::int64_t place = insert ? size : size - 1;
    if (given->size() > at)
        place = to_integer(constant_scalar(node, (*given)[at], "the position in its sequence").at(0));
    if (place < 0) place += size;
    if (place < 0 || place >= size + (insert ? 1 : 0)) n.wrong("position {} of a sequence of {}", place, size);
    if (op == "SequenceAt") return set_outputs(node, scope, {{{all.items[static_cast<std::size_t>(place)]}}}), true;
    if (insert) {
        if (given->size() < 2 || !(*given)[1].is_tensor()) n.wrong("operand 1 is not a tensor");
        all.items.insert(all.items.begin() + place, (*given)[1].items.front());
    } else {
        all.items.erase(all.items.begin() + place);
    }
    return set_outputs(node, scope, {all}), true;
}

bool Reader::split_to_sequence(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Import n = importing(node, scope);
    for (const NamedValue& value : *given)
        n.in.push_back(value.is_tensor() ? std::optional(value.items.front()) : std::nullopt);
    const std::int64_t axis = n.axis(n.i("axis", 0), n.rank()), size = n.dims()[static_cast<std::size_t>(axis)];
    const bool by_one = !n.has(1);
    std::vector<std::int64_t> parts;
    if (!by_one && n.rank(1) == 1) {
        parts = n.integers(1);
    } else {
        const std::int64_t each = by_one ? 1 : n.integer(1);
        if (each < 1) n.wrong("parts of {}", each);
        n.check_positions(size);
        for (std::int64_t from = 0; from < size; from += std::min(each, size))
            parts.push_back(std::min(each, size - from));
    }
    constexpr std::int64_t most = 1 << 24;  // elements of the gather matrices
    if (count({std::ssize(parts), size}) > most)
        n.unsupported("{} parts of an axis of {}; at most {} elements of an axis times parts are allowed", parts.size(),
                      size, most);
    NamedValue all{{}, true};
    std::int64_t from = 0;
    for (const std::int64_t part : parts) {
        if (part < 0 || part > size - from) n.wrong("the parts do not add up to {}", size);
        std::vector<std::int64_t> rows;
        for (std::int64_t k = 0; k < part; ++k) rows.push_back(from + k);
        ValueId x = n.gather(n.x(0), axis, rows);
        if (by_one && n.i("keepdims", 1) == 0) {
            Dims dims = n.b.dims(x);
            dims.erase(dims.begin() + axis);
            x = n.b.reshape(x, dims);
        }
        all.items.push_back(x);
        from += part;
    }
    if (from != size) n.wrong("the parts do not add up to {}", size);
    set_outputs(node, scope, {all});
    return true;
}

bool Reader::join_sequence(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Import n = importing(node, scope);
    if (given->size() != 1 || !given->front().sequence) n.wrong("operand 0 is not a sequence");
    std::vector<ValueId> parts = given->front().items;
    if (parts.empty()) n.unsupported("an empty sequence");
    const bool fresh = n.i("new_axis", 0) != 0;
    const std::int64_t rank = std::ssize(n.b.dims(parts.front())) + (fresh ? 1 : 0);
    const std::int64_t axis = n.axis(n.i("axis", 0), rank);
    Dims like = n.b.dims(parts.front());
    for (ValueId& part : parts) {
        Dims dims = n.b.dims(part);
        if (dims.size() != like.size()) n.wrong("a sequence of tensors of different ranks");
        if (fresh) {
            dims.insert(dims.begin() + axis, 1);
            part = n.b.reshape(part, dims);
        }
    }
    set_outputs(node, scope, {{{joined(n, parts, axis)}}});
    return true;
}

bool Reader::import_optional(const onnx::NodeProto& node, Scope& scope) {
    const auto given = operands(node, scope);
    if (!given) return false;
    Import n = importing(node, scope);
    const NamedValue value = given->empty() ? NamedValue{} : given->front();
    const bool holds = value.sequence || !value.items.empty();
    if (node.op_type() == "OptionalHasElement")
        return set_outputs(node, scope, {{{n.b.scalar(holds ? 1 : 0, DType::Bool)}}}), true;
    if (node.op_type() == "OptionalGetElement" && !holds) n.wrong("its operand is empty");
    set_outputs(node, scope, {value});
    return true;
}

}  // namespace ttsim::impl::ir
