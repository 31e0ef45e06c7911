// The values of a constant, and the types of values while a model is compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/gather_map.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

using Dims = std::vector<std::int64_t>;

/// Element types of a model. On the device all of them are floats; integers and booleans hold integers.
enum class DType : std::uint8_t { F32, F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool };
std::string_view to_string(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
inline bool is_float(DType dtype) { return dtype <= DType::F64; }

float from_half(std::uint16_t bits);  ///< IEEE binary16

/// A model tensor (any rank), or with `format` a device tensor whose dims are {z, rt, ct} in tiles.
struct Type {
    DType dtype = DType::F32;
    Dims dims;
    std::optional<DataFormat> format;
    friend bool operator==(const Type&, const Type&) = default;
};
std::string to_string(const Type& type);  ///< "f32[2, 3]", "Float16_b[1, 4, 4]"

/// Elements that a tensor may have: one made while compiling, and one that stands in a file. More would fill the
/// memory.
inline constexpr std::int64_t most_made = std::int64_t{1} << 26, most_read = std::int64_t{1} << 31;

std::int64_t count(const Dims& dims);  ///< number of elements; the largest number where there are more
/// The same with dimensions of 0 taken as 1: nothing that is counted from these dims is larger. -1: one is negative.
/// The largest number as well for a rank that nothing is made for.
std::int64_t extent(const Dims& dims);
/// Throws Error(Unsupported) where there are more than `most` elements.
void check_made(const Dims& dims, std::int64_t most = most_made);
std::int64_t to_whole(double value);  ///< without its fraction; saturates, NaN is 0
Dims strides(const Dims& dims);       ///< row-major

/// Elements in row-major order: floats, or integers for the integer types and booleans. Copies share the elements until
/// one of them is changed; who changes elements from several threads takes the reference to them first.
class Literal {
public:
    Literal() = default;
    /// Zeros. Throws Error(Unsupported) for more than `most` elements.
    Literal(DType dtype, Dims dims, std::int64_t most = most_made);
    static Literal scalar(DType dtype, double value);
    static Literal vector(const std::vector<std::int64_t>& values);  ///< i64[n]
    /// i8 or u8, a byte for each element. It stays one until somebody wants all of them as whole().
    static Literal of_bytes(DType dtype, Dims dims, std::string bytes);
    /// i32, -1 where none is picked; what it takes is by the runs, until somebody wants all of them as whole().
    static Literal of_picks(Dims dims, GatherMap picks);
    /// A float type; `make` gives the same elements on every call, from any thread. They take no memory until somebody
    /// wants all of them as floats().
    static Literal made_when_read(DType dtype, Dims dims, std::function<std::vector<float>()> make);
    /// The only element of `one` throughout, without memory. Reading all of them throws Error(Unsupported) for more
    /// than most_made.
    static Literal filled(const Literal& one, Dims dims);
    /// Whether it is by filled().
    bool is_filled() const { return (packed_ && packed_->fill) || (unmade_ && unmade_->fill); }

    DType dtype() const { return dtype_; }
    const Dims& dims() const { return dims_; }
    std::int64_t size() const {
        if (packed_) return packed_->size;
        if (unmade_) return unmade_->size;
        return static_cast<std::int64_t>(is_float(dtype_) ? floats_->size() : whole_->size());
    }
    /// Elements that it takes the memory of; a table of picks that of its runs, a filled one that of one.
    std::int64_t held() const {
        constexpr std::int64_t elements_of_run = 5;
        if (is_filled()) return 1;
        return picks() ? elements_of_run * static_cast<std::int64_t>(picks()->runs().size()) : size();
    }
    double at(std::int64_t i) const {
        const auto k = static_cast<std::size_t>(i);
        if (unmade_ && unmade_->fill) return static_cast<double>(*unmade_->fill);
        if (is_float(dtype_)) return static_cast<double>(floats()[k]);
        const std::int64_t v = packed_ ? packed_->at(k) : (*whole_)[k];
        return dtype_ == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(v)) : static_cast<double>(v);
    }
    /// An element of an integer type, exactly (compiler/ir/integers.hpp); of a float without its fraction.
    std::int64_t integer(std::int64_t i) const;
    void set(std::int64_t i, double value);  ///< rounds to the float type; an integer type takes integer_of() it
    void set_integer(std::int64_t i, std::int64_t value);  ///< modulo 2^n; a float type rounds it
    /// Element `from` of another literal as one of this type: exactly, where both are integers or floats.
    void copy(std::int64_t i, const Literal& source, std::int64_t from);
    void reshape(Dims dims) { dims_ = std::move(dims); }
    bool is_splat() const;  ///< one value throughout (and at least one element)
    std::vector<std::int64_t> integers() const;
    std::vector<float>& floats() {
        if (kept_ || unmade_) floats_ = std::make_shared<std::vector<float>>(copied_floats());
        kept_ = false;
        unmade_ = nullptr;
        return own(floats_);
    }
    const std::vector<float>& floats() const { return unmade_ ? unmade_->kept() : *floats_; }
    /// A copy, and what `use` makes of them: elements that are made when they are read do not stay here for these.
    std::vector<float> copied_floats() const { return unmade_ ? unmade_->make() : *floats_; }
    template <class Use>
    auto with_floats(const Use& use) const {
        return unmade_ ? use(unmade_->make()) : use(*floats_);
    }
    std::vector<std::int64_t>& whole() {
        if (packed_) whole_ = std::make_shared<std::vector<std::int64_t>>(packed_->whole());
        packed_ = nullptr;
        return own(whole_);
    }
    const std::vector<std::int64_t>& whole() const { return packed_ ? packed_->whole() : *whole_; }
    /// Null: they are not there as runs.
    const GatherMap* picks() const { return packed_ && packed_->picks ? &*packed_->picks : nullptr; }
    /// Calls use(i, value) for those of whole() with first <= i < end that are not negative, in order.
    template <class Use>
    void each_pick(std::int64_t first, std::int64_t end, const Use& use) const {
        if (const GatherMap* runs = picks()) return runs->each(first, end, use);
        const std::int64_t* const values = whole().data();
        for (std::int64_t i = first; i < end; ++i)
            if (values[i] >= 0) use(i, values[i]);
    }
    friend bool operator==(const Literal&, const Literal&);

    /// The elements, of which copies have the same.
    std::shared_ptr<const void> block() const {
        if (packed_) return packed_;
        if (unmade_) return unmade_;
        return is_float(dtype_) ? Block(floats_) : Block(whole_);
    }
    /// Floats with other blocks that are there as long as they are, or as somebody wants.
    struct Kept {
        std::vector<float> floats;
        std::vector<std::shared_ptr<const void>> of;
    };
    /// Keeps `of` with its elements; of floats.
    std::shared_ptr<Kept> keep(std::vector<std::shared_ptr<const void>> of);
    static Literal of(DType dtype, Dims dims, const std::shared_ptr<Kept>& kept);

private:
    using Block = std::shared_ptr<const void>;
    struct Packed {
        std::int64_t size;
        std::string bytes;  // an element each, or
        bool has_sign = false;
        std::optional<GatherMap> picks{};
        std::optional<std::int64_t> fill{};  ///< or one for all
        std::once_flag once{};               // several threads may want them
        std::vector<std::int64_t> wide{};
        Packed(std::string given, bool with_sign)
            : size(static_cast<std::int64_t>(given.size())), bytes(std::move(given)), has_sign(with_sign) {}
        Packed(std::int64_t count, GatherMap given) : size(count), picks(std::move(given)) {}
        Packed(std::int64_t count, std::int64_t element) : size(count), fill(element) {}
        std::int64_t at(std::size_t k) const {
            if (fill) return *fill;
            if (picks) return picks->at(static_cast<std::int64_t>(k));
            return has_sign ? std::int64_t{static_cast<std::int8_t>(bytes[k])}
                            : std::int64_t{static_cast<std::uint8_t>(bytes[k])};
        }
        bool is_splat() const;
        const std::vector<std::int64_t>& whole();
    };
    struct Unmade {
        std::int64_t size;
        std::function<std::vector<float>()> make;
        std::optional<float> fill{};  ///< all of them are this one
        std::once_flag once{};        // several threads may want them
        std::vector<float> elements{};
        Unmade(std::int64_t count, std::function<std::vector<float>()> how) : size(count), make(std::move(how)) {}
        const std::vector<float>& kept();
    };
    template <class T>
    using Data = std::shared_ptr<std::vector<T>>;  // never null
    template <class T>
    static std::vector<T>& own(Data<T>& data) {
        if (data.use_count() > 1) data = std::make_shared<std::vector<T>>(*data);
        return *data;
    }
    template <class T>
    static const Data<T>& none() {
        static const Data<T> empty = std::make_shared<std::vector<T>>();
        return empty;
    }

    DType dtype_ = DType::F32;
    Dims dims_;
    bool kept_ = false;                                // the elements can be found again: they stay as they are
    Data<float> floats_ = none<float>();               // float types
    Data<std::int64_t> whole_ = none<std::int64_t>();  // the others
    std::shared_ptr<Packed> packed_;                   // instead of whole_; null: there
    std::shared_ptr<Unmade> unmade_;                   // instead of floats_; null: there
};
using LiteralPtr = std::shared_ptr<const Literal>;

}  // namespace ttsim::impl::ir
