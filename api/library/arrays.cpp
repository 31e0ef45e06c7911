#include "api/library/arrays.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ttsim {

namespace {

static_assert(static_cast<int>(ElementType::F64) == static_cast<int>(tt::ir::DType::F64) &&
              static_cast<int>(ElementType::I64) == static_cast<int>(tt::ir::DType::I64) &&
              static_cast<int>(ElementType::Bool) == static_cast<int>(tt::ir::DType::Bool));

ElementType external(tt::ir::DType type) { return static_cast<ElementType>(type); }

}  // namespace

tt::ir::DType internal(ElementType type) { return static_cast<tt::ir::DType>(type); }

tt::ir::Literal internal(const Array& array, const std::string& name) {
    const tt::ir::DType type = internal(array.type);
    const bool floats = tt::ir::is_float(type);
    const std::size_t given = floats ? array.floats.size() : array.integers.size();
    const auto negative = [](std::int64_t d) { return d < 0; };
    if (std::any_of(array.shape.begin(), array.shape.end(), negative) ||
        static_cast<std::uint64_t>(tt::ir::count(array.shape)) != given)
        tt::fail_input({}, "the values of '{}' are {} {}, and its shape is {}", name, given,
                       floats ? "floats" : "integers", tt::ir::to_string(tt::ir::Type{type, array.shape, {}}));
    tt::ir::Literal literal(type, array.shape, tt::ir::most_read);
    for (std::size_t i = 0; i < given; ++i)
        literal.set(static_cast<std::int64_t>(i),
                    floats ? static_cast<double>(array.floats[i]) : static_cast<double>(array.integers[i]));
    if (!floats) literal.whole() = array.integers;
    return literal;
}

tt::ir::Values internal(const Arrays& arrays) {
    tt::ir::Values values;
    for (const auto& [name, array] : arrays) values.emplace(name, internal(array, name));
    return values;
}

Array external(const tt::ir::Literal& literal) {
    Array array;
    array.type = external(literal.dtype());
    array.shape = literal.dims();
    array.floats = literal.floats();
    array.integers = literal.whole();
    return array;
}

Arrays external(const tt::ir::Values& values) {
    Arrays arrays;
    for (const auto& [name, literal] : values) arrays.emplace(name, external(literal));
    return arrays;
}

ArrayInfo info_of(const std::string& name, const tt::ir::Type& type) { return {name, external(type.dtype), type.dims}; }

}  // namespace ttsim
