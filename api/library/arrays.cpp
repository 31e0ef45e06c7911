#include "api/library/arrays.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace ttsim {

namespace {

static_assert(static_cast<int>(ElementType::F64) == static_cast<int>(impl::ir::DType::F64) &&
              static_cast<int>(ElementType::I64) == static_cast<int>(impl::ir::DType::I64) &&
              static_cast<int>(ElementType::Bool) == static_cast<int>(impl::ir::DType::Bool));

ElementType external(impl::ir::DType type) { return static_cast<ElementType>(type); }

}  // namespace

impl::ir::DType internal(ElementType type) { return static_cast<impl::ir::DType>(type); }

impl::ir::Literal internal(const Array& array, const std::string& name) {
    const impl::ir::DType type = internal(array.type);
    const bool floats = impl::ir::is_float(type);
    const std::size_t given = floats ? array.floats.size() : array.integers.size();
    const auto negative = [](std::int64_t d) { return d < 0; };
    if (std::any_of(array.shape.begin(), array.shape.end(), negative) ||
        static_cast<std::uint64_t>(impl::ir::count(array.shape)) != given)
        impl::fail_input({}, "the values of '{}' are {} {}, and its shape is {}", name, given,
                         floats ? "floats" : "integers", impl::ir::to_string(impl::ir::Type{type, array.shape, {}}));
    impl::ir::Literal literal(type, array.shape, impl::ir::max_read_elements);
    for (std::size_t i = 0; i < given; ++i)
        literal.set(static_cast<std::int64_t>(i),
                    floats ? static_cast<double>(array.floats[i]) : static_cast<double>(array.integers[i]));
    if (!floats) literal.integer_elements() = array.integers;
    return literal;
}

impl::ir::Values internal(const Arrays& arrays) {
    impl::ir::Values values;
    for (const auto& [name, array] : arrays) values.emplace(name, internal(array, name));
    return values;
}

Array external(const impl::ir::Literal& literal) {
    Array array;
    array.type = external(literal.dtype());
    array.shape = literal.dims();
    array.floats = literal.floats();
    array.integers = literal.integer_elements();
    return array;
}

Arrays external(const impl::ir::Values& values) {
    Arrays arrays;
    for (const auto& [name, literal] : values) arrays.emplace(name, external(literal));
    return arrays;
}

ArrayInfo info_of(const std::string& name, const impl::ir::Type& type) {
    return {name, external(type.dtype), type.dims};
}

}  // namespace ttsim
