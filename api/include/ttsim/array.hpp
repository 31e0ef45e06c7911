// Values of a model's inputs, outputs and parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ttsim {

/// Of a model. On the device all of them are floats; integers and booleans hold integers.
enum class ElementType { F32, F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool };

/// Any number of axes; elements row by row. Those of F32 to F64 are `floats`, those of the others `integers`; the other
/// of the two stays empty.
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
    std::int64_t size() const {  ///< elements
        std::int64_t n = 1;
        for (const std::int64_t d : shape) n *= d;
        return n;
    }
};
using Arrays = std::map<std::string, Array>;  ///< by name in the model

struct ArrayInfo {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
};

}  // namespace ttsim
