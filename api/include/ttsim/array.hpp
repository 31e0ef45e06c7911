// Values of a model's inputs, outputs and parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ttsim {

/// Element types of a model's values. The device computes all of them as floats; values of integer and boolean types
/// are integers.
enum class ElementType { F32, F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool };

/// A dense array with any number of axes, in row-major order. Elements of F32, F16, BF16 and F64 are in `floats`, those
/// of the other types in `integers`; the other vector is empty.
struct Array {
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;

    Array() = default;
    explicit Array(std::vector<std::int64_t> shape_, std::vector<float> values = {})
        : shape(std::move(shape_)), floats(std::move(values)) {
        if (floats.empty()) floats.resize(static_cast<std::size_t>(size()));
    }
    std::int64_t size() const {  ///< number of elements
        std::int64_t n = 1;
        for (const std::int64_t d : shape) n *= d;
        return n;
    }
};
using Arrays = std::map<std::string, Array>;  ///< arrays by their names in the model

/// Name, element type and shape of a model's input, output or parameter.
struct ArrayInfo {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
};

}  // namespace ttsim
