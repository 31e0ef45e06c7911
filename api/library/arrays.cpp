#include "api/library/arrays.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/error_codes.hpp"

namespace ttsim {

namespace {

static_assert(static_cast<int>(ElementType::F64) == static_cast<int>(impl::ir::DType::F64) &&
              static_cast<int>(ElementType::I64) == static_cast<int>(impl::ir::DType::I64) &&
              static_cast<int>(ElementType::Bool) == static_cast<int>(impl::ir::DType::Bool));

ElementType external(impl::ir::DType type) { return static_cast<ElementType>(type); }

}  // namespace

impl::ir::DType internal(ElementType type) { return static_cast<impl::ir::DType>(type); }

impl::ir::Literal internal(Array&& array, const std::string& name) {
    const impl::ir::DType type = internal(array.type);
    const bool floats = impl::ir::is_float(type);
    const std::size_t given = floats ? array.floats.size() : array.integers.size();
    const auto negative = [](std::int64_t d) { return d < 0; };
    if (std::any_of(array.shape.begin(), array.shape.end(), negative) ||
        static_cast<std::uint64_t>(impl::ir::count(array.shape)) != given)
        impl::fail(impl::Fault::Input, {{}, impl::error_code::wrong_shape, {name}},
                   "the values of '{}' are {} {}, and its shape is {}", name, given, floats ? "floats" : "integers",
                   impl::ir::to_string(impl::ir::Type{type, array.shape, {}}));
    impl::ir::check_element_count(array.shape, impl::ir::max_read_elements);
    return floats ? impl::ir::Literal::of_floats(type, std::move(array.shape), std::move(array.floats))
                  : impl::ir::Literal::of_integers(type, std::move(array.shape), std::move(array.integers));
}

impl::ir::Literal internal(const Array& array, const std::string& name) { return internal(Array(array), name); }

impl::ir::Values internal(Arrays&& arrays) {
    impl::ir::Values values;
    for (auto& [name, array] : arrays) values.emplace(name, internal(std::move(array), name));
    return values;
}

impl::ir::Values internal(const Arrays& arrays) { return internal(Arrays(arrays)); }

Array external(impl::ir::Literal&& literal) {
    Array array;
    array.type = external(literal.dtype());
    array.shape = literal.dims();
    if (impl::ir::is_float(literal.dtype()))
        array.floats = std::move(literal).take_floats();
    else
        array.integers = std::move(literal).take_integers();
    return array;
}

Array external(const impl::ir::Literal& literal) { return external(impl::ir::Literal(literal)); }

Arrays external(impl::ir::Values&& values) {
    Arrays arrays;
    for (auto& [name, literal] : values) arrays.emplace(name, external(std::move(literal)));
    return arrays;
}

Arrays external(const impl::ir::Values& values) { return external(impl::ir::Values(values)); }

ArrayInfo info_of(const std::string& name, const impl::ir::Type& type) {
    return {name, external(type.dtype), type.dims};
}

}  // namespace ttsim
