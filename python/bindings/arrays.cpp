#include <cstring>

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

template <class T>
std::vector<T> numbers_of(nb::handle from, std::vector<std::int64_t>& shape) {
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(from);
    for (std::size_t k = 0; k < array.ndim(); ++k) shape.push_back(static_cast<std::int64_t>(array.shape(k)));
    return std::vector<T>(array.data(), array.data() + array.size());
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
    if (is_float(type))
        array.floats = numbers_of<float>(numbers, array.shape);
    else
        array.integers = numbers_of<std::int64_t>(numbers, array.shape);
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
