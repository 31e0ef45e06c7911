#include <algorithm>
#include <bit>
#include <type_traits>

#include "python/bindings/bindings.hpp"

namespace tt_python {

using ttsim::Array;
using ttsim::ElementType;

namespace {

bool is_float(ElementType type) {
    return type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16 ||
           type == ElementType::F64;
}

/// A numpy array that owns its elements.
template <class T>
nb::object owning_array(std::vector<T>&& numbers, const std::vector<std::int64_t>& shape) {
    auto* storage = new std::vector<T>(std::move(numbers));
    nb::capsule owner(storage, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    std::vector<std::size_t> sizes(shape.begin(), shape.end());
    return nb::cast(nb::ndarray<nb::numpy, T>(storage->data(), sizes.size(), sizes.data(), owner));
}

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// IEEE binary16 to binary32: a shift of exponent and fraction; the multiplication by 2^112 rebiases the exponent and
/// normalizes subnormal numbers.
float from_half(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16, magnitude = std::uint32_t{bits & 0x7fffU} << 13;
    constexpr std::uint32_t infinite = 0x7c00U << 13, exponent = 0x7f800000U;
    const float finite = std::bit_cast<float>(magnitude) * 0x1p112F;
    const std::uint32_t value = magnitude >= infinite ? magnitude | exponent : std::bit_cast<std::uint32_t>(finite);
    return std::bit_cast<float>(value | sign);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

template <class From, class To>
std::vector<To> converted(const AnyArray& array) {
    const From* const data = static_cast<const From*>(array.data());
    return std::vector<To>(data, data + array.size());
}

template <class Convert>
std::vector<float> of_bits(const AnyArray& array, Convert convert) {
    const std::uint16_t* const bits = static_cast<const std::uint16_t*>(array.data());
    std::vector<float> floats(array.size());
    std::transform(bits, bits + array.size(), floats.begin(), convert);
    return floats;
}

template <class To>
std::vector<To> of_integers(const AnyArray& array, bool has_sign) {
    switch (array.dtype().bits) {
        case 8:
            return has_sign ? converted<std::int8_t, To>(array) : converted<std::uint8_t, To>(array);
        case 16:
            return has_sign ? converted<std::int16_t, To>(array) : converted<std::uint16_t, To>(array);
        case 32:
            return has_sign ? converted<std::int32_t, To>(array) : converted<std::uint32_t, To>(array);
        default:
            return has_sign ? converted<std::int64_t, To>(array) : converted<std::uint64_t, To>(array);
    }
}

/// The elements as To, by one conversion of every element. uint16 is taken as the bits of bfloat16 if `bfloat` is set.
template <class To>
std::vector<To> elements_of(const AnyArray& array, bool bfloat) {
    const nb::dlpack::dtype type = array.dtype();
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
        case nb::dlpack::dtype_code::Float:
            if (type.bits == 32) return converted<float, To>(array);
            if (type.bits == 64) return converted<double, To>(array);
            if constexpr (std::is_same_v<To, float>)
                if (type.bits == 16) return of_bits(array, from_half);
            break;
        case nb::dlpack::dtype_code::Bfloat:
            if constexpr (std::is_same_v<To, float>) return of_bits(array, from_bfloat);
            break;
        case nb::dlpack::dtype_code::Bool:
            return converted<std::uint8_t, To>(array);
        case nb::dlpack::dtype_code::Int:
            return of_integers<To>(array, true);
        case nb::dlpack::dtype_code::UInt:
            if constexpr (std::is_same_v<To, float>)
                if (bfloat && type.bits == 16) return of_bits(array, from_bfloat);
            return of_integers<To>(array, false);
        default:
            break;
    }
    throw nb::type_error("arrays of this element type cannot be passed to ttsim");
}

}  // namespace

nb::object numpy_array(Array&& array) {
    return is_float(array.type) ? owning_array(std::move(array.floats), array.shape)
                                : owning_array(std::move(array.integers), array.shape);
}

Array array_of(nb::handle numbers, ElementType type) {
    Array array;
    array.type = type;
    array.shape.clear();
    const auto given = nb::cast<AnyArray>(numbers);
    for (std::size_t k = 0; k < given.ndim(); ++k) array.shape.push_back(static_cast<std::int64_t>(given.shape(k)));
    if (is_float(type))
        array.floats = elements_of<float>(given, type == ElementType::BF16);
    else
        array.integers = elements_of<std::int64_t>(given, false);
    return array;
}

nb::dict numpy_arrays(ttsim::Arrays&& arrays) {
    nb::dict all;
    for (auto& [name, array] : arrays) {
        const ElementType type = array.type;
        all[nb::cast(name)] = nb::make_tuple(type, numpy_array(std::move(array)));
    }
    return all;
}

ttsim::Arrays arrays_of(const nb::dict& arrays) {
    ttsim::Arrays all;
    for (const auto& [name, value] : arrays) {
        const nb::tuple pair = nb::cast<nb::tuple>(value);
        all.emplace(nb::cast<std::string>(name), array_of(pair[1], nb::cast<ElementType>(pair[0])));
    }
    return all;
}

void bind_arrays(nb::module_& m) {
    nb::enum_<ElementType>(m, "ElementType", "Types of a model's tensors.")
        .value("F32", ElementType::F32)
        .value("F16", ElementType::F16)
        .value("BF16", ElementType::BF16)
        .value("F64", ElementType::F64)
        .value("I8", ElementType::I8)
        .value("I16", ElementType::I16)
        .value("I32", ElementType::I32)
        .value("I64", ElementType::I64)
        .value("U8", ElementType::U8)
        .value("U16", ElementType::U16)
        .value("U32", ElementType::U32)
        .value("U64", ElementType::U64)
        .value("Bool", ElementType::Bool);
    nb::class_<ttsim::ArrayInfo>(m, "ArrayInfo", "Name, type and shape of an input, output or parameter.")
        .def_ro("name", &ttsim::ArrayInfo::name)
        .def_ro("type", &ttsim::ArrayInfo::type)
        .def_prop_ro("shape", [](const ttsim::ArrayInfo& info) { return nb::tuple(nb::cast(info.shape)); })
        .def("__repr__", [](const ttsim::ArrayInfo& info) {
            return nb::str("ArrayInfo({!r}, {}, {})").format(info.name, nb::cast(info.type).attr("name"), info.shape);
        });
}

}  // namespace tt_python
